#include "kubescheduler/cycle.hpp"

#include <algorithm>
#include <utility>

namespace gpusched::kubescheduler {

const Reasons* ReasonTable::intern(Reasons reasons) {
  auto found = table_.find(reasons);
  if (found == table_.end()) {
    auto kept = std::make_unique<const Reasons>(reasons);
    found = table_.emplace(std::move(reasons), std::move(kept)).first;
  }
  return found->second.get();
}

Cycle make_cycle(const Snapshot& snapshot, const objects::Pod& pod, const PredictOptions& options,
                 dra::SelectorEvaluator* selectors, std::shared_ptr<ClaimDevices> devices) {
  return {snapshot,
          pod,
          options,
          options.rules,
          snapshot.make_pod_state(pod),
          {},
          ExtendedResourceClasses(snapshot.objects().device_classes),
          selectors,
          nullptr,
          std::move(devices)};
}

void normalize_by_maximum(std::span<std::int64_t> scores, bool reverse) {
  constexpr std::int64_t kMaximum = 100;
  const std::int64_t highest = scores.empty() ? 0 : std::max<std::int64_t>(0, std::ranges::max(scores));
  for (std::int64_t& score : scores) {
    score = highest == 0 ? 0 : kMaximum * score / highest;
    if (reverse) {
      score = kMaximum - score;
    }
  }
}

}  // namespace gpusched::kubescheduler
