#include "whatif/mig_wish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "gpusched/base/text.hpp"
#include "gpusched/mig/named_config.hpp"
#include "gpusched/mig/profile.hpp"

namespace gpusched::whatif {

namespace {

std::unexpected<Diagnostics> unknown_profile(std::string_view word, const mig::Board& board) {
  std::vector<std::string> known = mig::named_configs(board);
  for (const mig::Profile& profile : board.profiles) {
    known.emplace_back(profile.name);
  }
  const std::vector<std::string_view> words(known.begin(), known.end());
  const std::string nearest = suggest(word, words);
  return fail("mig-profile-unknown",
              fmt::format("{} has no MIG profile or configuration {}", board.products.front(), quote(word)),
              nearest.empty() ? fmt::format("its profiles are {}", mig::join_names(board, mig::all_profiles(board)))
                              : fmt::format("did you mean {}?", nearest));
}

/// "2x1g.10gb" -> 2 and "1g.10gb".
std::pair<int, std::string_view> counted(std::string_view word) {
  int count = 1;
  const std::size_t x = word.find('x');
  if (x != std::string_view::npos) {
    int number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + x, number);
    if (error == std::errc() && end == word.data() + x) {
      return {number, word.substr(x + 1)};
    }
  }
  return {count, word};
}

}  // namespace

Result<MigWish> parse_layout(std::string_view text, const mig::Board& board) {
  MigWish wish;
  if (const Result<mig::NamedConfig> config = mig::find_named_config(text, board)) {
    wish.mig = config->mig_enabled;
    for (const mig::ProfileIndex profile : config->profiles) {
      wish.entries.push_back({profile, std::nullopt});
    }
    return wish;
  } else if (config.error().front().code == "mig-config-not-on-board") {
    return std::unexpected(config.error());
  }
  wish.mig = true;
  // A "+" also begins a suffix ("1g.10gb+me"), so the longest run of parts that is a profile counts as one.
  std::string_view rest = text;
  while (true) {
    const auto [count, name] = counted(rest);
    std::optional<mig::ProfileIndex> profile;
    std::size_t length = name.size();
    for (std::size_t end = name.size(); end != std::string_view::npos && end > 0; end = name.rfind('+', end - 1)) {
      profile = mig::find_profile(board, name.substr(0, end));
      length = end;
      if (profile) {
        break;
      }
    }
    if (!profile) {
      return unknown_profile(name.substr(0, name.find('+')), board);
    }
    if (count < 1 || count > static_cast<int>(mig::kMaxInstancesPerGpu)) {
      return fail("mig-layout-impossible",
                  fmt::format("a GPU holds 1 to {} instances, not {}", mig::kMaxInstancesPerGpu, count));
    }
    wish.entries.insert(wish.entries.end(), static_cast<std::size_t>(count), {*profile, std::nullopt});
    if (wish.entries.size() > mig::kMaxInstancesPerGpu) {
      return fail("mig-layout-impossible", fmt::format("a GPU holds at most {} instances", mig::kMaxInstancesPerGpu));
    }
    if (length == name.size()) {
      return wish;
    }
    rest = name.substr(length + 1);
  }
}

MigInstance instance_of(const mig::Board& board, mig::Instance placed, std::uint16_t gpu, ShapeBuilder& builder) {
  const mig::Profile& profile = board.profiles[placed.profile];
  MigInstance instance;
  instance.profile = builder.text(profile.name);
  instance.resource = builder.resource(mig::resource_name(profile));
  instance.gpu = gpu;
  instance.start = placed.start;
  instance.memory_slices = profile.memory_slices;
  instance.compute_slices = profile.compute_slices;
  instance.mig_profile = placed.profile;
  instance.memory_mib = static_cast<std::int32_t>(profile.memory_mib);
  return instance;
}

std::string mig_text(const ClusterShape& shape, const NodeClass& node_class) {
  std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;  // layout and its GPUs
  for (std::size_t gpu = 0; gpu < node_class.gpus.size(); ++gpu) {
    std::string layout;
    for (const MigInstance& instance : node_class.instances) {
      if (instance.gpu == gpu) {
        layout += fmt::format("{}{}@{}", layout.empty() ? "" : ", ", shape.text(instance.profile), instance.start);
      }
    }
    if (layout.empty()) {
      layout = node_class.gpus[gpu].mig ? "MIG without instances" : "no MIG";
    }
    const auto found = std::ranges::find(groups, layout, &decltype(groups)::value_type::first);
    (found == groups.end() ? groups.emplace_back(layout, std::vector<std::size_t>()) : *found).second.push_back(gpu);
  }
  std::string text;
  for (const auto& [layout, gpus] : groups) {
    text += text.empty() ? "" : "; ";
    text += fmt::format("GPU{} {}: {}", gpus.size() == 1 ? "" : "s", fmt::join(gpus, ", "), layout);
  }
  return text;
}

}  // namespace gpusched::whatif
