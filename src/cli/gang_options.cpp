#include "cli/gang_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpusched/base/text.hpp"
#include "gpusched/io/trace.hpp"

namespace gpusched::cli {

namespace {

Result<std::optional<std::int64_t>> seconds(const Arguments& arguments, std::string_view name) {
  const std::string_view text = arguments.get(name);
  if (text.empty()) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> ms = io::parse_seconds(text);
  if (!ms || *ms < 0) {
    return bad_usage(fmt::format("--{} takes seconds from 0 to {}, not {}", name, io::kMaxTraceSeconds, quote(text)));
  }
  return *ms;
}

Result<std::optional<gang::Backoff>> backoff(const Arguments& arguments) {
  const std::vector<std::string> parts = arguments.list("backoff");
  if (parts.empty()) {
    return std::nullopt;
  }
  gang::Backoff result;
  const std::optional<std::int64_t> base = io::parse_seconds(parts[0]);
  const std::optional<std::int64_t> max = parts.size() > 1 ? io::parse_seconds(parts[1]) : result.max_ms;
  const std::optional<std::int64_t> limit = parts.size() > 2 ? parse_whole_number(parts[2]) : 0;
  if (parts.size() > 3 || !base || *base < 0 || !max || *max < *base || !limit || *limit < 0 || *limit > INT32_MAX) {
    return bad_usage(fmt::format("--backoff takes BASE, MAX (seconds, not below BASE) and LIMIT (a number), not {}",
                                 quote(arguments.get("backoff"))),
                     "for example --backoff 60,3600,5");
  }
  result.base_ms = *base;
  result.max_ms = *max;
  if (parts.size() > 2) {
    result.limit = static_cast<std::int32_t>(*limit);
  }
  return result;
}

}  // namespace

Result<gang::Options> gang_options(const Arguments& arguments) {
  gang::Options options;
  options.mode = gang::parse_mode(arguments.get("mode")).value_or(gang::Mode::kGang);
  options.placement.policy = chosen<placement::Policy>(placement::kPolicyNames, arguments.get("policy"));
  options.placement.view = chosen<placement::View>(placement::kViewNames, arguments.get("view"));
  if (arguments.has("gpus") &&
      arguments.get("gpus").find('x') == std::string_view::npos) {  // a pool has no GPUs to see
    options.placement.view = placement::View::kExtended;
  }
  if (options.placement.view == placement::View::kExtended &&
      options.placement.policy == placement::Policy::kTopology) {
    return bad_usage(
        "--policy topology has no extended view: through a count there is nothing to be topology-aware about",
        "give a cluster file, --view gpu, or another policy");
  }
  const auto timeout = seconds(arguments, "timeout");
  if (!timeout) {
    return std::unexpected(timeout.error());
  }
  options.timeout_ms = *timeout;
  const auto backoff_of_run = backoff(arguments);
  if (!backoff_of_run) {
    return std::unexpected(backoff_of_run.error());
  }
  options.backoff = *backoff_of_run;
  if (arguments.get("preemption") != "auto") {
    options.preemption = arguments.get("preemption") == "on";
  }
  return options;
}

}  // namespace gpusched::cli
