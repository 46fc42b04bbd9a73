#include "cli/mix_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/input_names.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::cli {

namespace {

constexpr std::string_view kOption = "repartition-for";
constexpr std::int64_t kMostInstances = 1'000'000;

void add(std::vector<whatif::MixEntry>& mix, std::string_view profile, std::int64_t count) {
  const auto found = std::ranges::find(mix, profile, &whatif::MixEntry::profile);
  if (found == mix.end()) {
    mix.push_back({std::string(profile), count});
  } else {
    found->count += count;
  }
}

}  // namespace

Result<std::vector<whatif::MixEntry>> wanted_mix(const Arguments& arguments, Inputs& inputs) {
  std::vector<whatif::MixEntry> mix;
  if (names_file(arguments.get(kOption))) {
    const Result<io::Model> pods = inputs.pods_alone(kOption);
    if (!pods) {
      return std::unexpected(pods.error());
    }
    for (const PodId pod : pods->pods) {
      for (const MigRequest& request : pods->usage.pod_class(pod).mig) {
        add(mix, pods->usage.shape().text(request.profile), request.count);
      }
    }
    if (mix.empty()) {
      return bad_usage(fmt::format("--{}: the pods ask for no MIG instances", kOption));
    }
    return mix;
  }
  for (const std::string& word : arguments.list(kOption)) {
    const std::size_t equals = word.find('=');
    const auto count =
        equals == std::string::npos ? std::nullopt : parse_whole_number(std::string_view(word).substr(equals + 1));
    if (!count || *count < 1 || *count > kMostInstances || equals == 0) {
      return bad_usage(fmt::format("--{} takes PROFILE=COUNT,... or a pod file, not {}", kOption, quote(word)),
                       "for example --repartition-for 1g.10gb=6,3g.40gb=2");
    }
    add(mix, std::string_view(word).substr(0, equals), *count);
  }
  return mix;
}

}  // namespace gpusched::cli
