#include "kubescheduler/volume_binding.hpp"

#include <fmt/format.h>

#include <cmath>

#include "gpusched/scoring/node_resources_fit.hpp"
#include "kubescheduler/plugins.hpp"
#include "kubescheduler/profile.hpp"
#include "kubescheduler/volume_claims.hpp"

namespace gpusched::kubescheduler {

namespace {

class VolumeBinding final : public FilterPlugin {
 public:
  VolumeBinding(Cycle& cycle, PodVolumeClaims claims) : cycle_(cycle), claims_(std::move(claims)) {}

  Status filter(const NodeView& view) override {
    FoundVolumes found = find_volumes(cycle_.snapshot, claims_, view.object());
    if (!found.error.empty()) {
      return cycle_.reasons.error(std::move(found.error));
    }
    if (found.reasons.empty()) {
      return {};
    }
    return {StatusCode::kUnresolvable, 0, cycle_.reasons.intern(std::move(found.reasons))};
  }

 private:
  Cycle& cycle_;
  PodVolumeClaims claims_;
};

/// The fuller the storage of a class becomes, the lower; the mean over the classes.
class VolumeBindingScore final : public ScorePlugin {
 public:
  explicit VolumeBindingScore(Cycle& cycle) : cycle_(cycle), claims_(sort_volume_claims(cycle.snapshot, cycle.pod)) {
    for (const objects::UtilizationShapePoint& point : profile_of(cycle).volume_binding.shape) {
      shape_.push_back({point.utilization, point.score});
    }
  }

  std::int64_t score(NodeIndex node) override {
    if (claims_.delayed.empty()) {
      return 0;
    }
    const FoundVolumes found = find_volumes(cycle_.snapshot, claims_, *cycle_.snapshot.node(node).object);
    const auto& classes = found.by_binding.empty() ? found.by_provision : found.by_binding;
    if (classes.empty()) {
      return 0;
    }
    std::int64_t sum = 0;
    for (const auto& [name, use] : classes) {
      sum += class_score(use);
    }
    return std::llround(static_cast<double>(sum) / static_cast<double>(classes.size()));
  }

 private:
  [[nodiscard]] std::int64_t class_score(const StorageUse& use) const {
    constexpr std::int64_t kFull = 100;
    const bool is_full = use.capacity == 0 || use.requested > use.capacity;
    return scoring::shape_score(shape_, is_full ? kFull : use.requested * kFull / use.capacity);
  }

  Cycle& cycle_;
  PodVolumeClaims claims_;
  std::vector<scoring::ShapePoint> shape_;
};

/// Why the pod cannot be scheduled at all; "" when its claims are in order.
std::string claim_error(const objects::Pod& pod, const ClaimUse& use) {
  if (use.claim == nullptr) {
    return use.ephemeral
               ? fmt::format("waiting for ephemeral volume controller to create the persistentvolumeclaim \"{}\"",
                             use.name)
               : not_found("persistentvolumeclaim", use.name);
  }
  if (use.claim->phase == "Lost") {
    return fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"", use.name,
                       use.claim->volume_name);
  }
  if (use.claim->meta.deletion_timestamp) {
    return fmt::format("persistentvolumeclaim \"{}\" is being deleted", use.name);
  }
  return use.ephemeral ? ownership_error(*use.claim, pod) : "";
}

}  // namespace

PreFiltered pre_filter_volume_binding(Cycle& cycle) {
  const std::vector<ClaimUse> uses = claims_of(cycle.snapshot, cycle.pod);
  for (const ClaimUse& use : uses) {
    if (std::string error = claim_error(cycle.pod, use); !error.empty()) {
      return {cycle.reasons.unresolvable(std::move(error)), nullptr, false, {}};
    }
  }
  if (uses.empty()) {
    return {};
  }
  PodVolumeClaims claims = sort_volume_claims(cycle.snapshot, cycle.pod);
  if (!claims.error.empty()) {
    return {cycle.reasons.error(claims.error), nullptr, false, {}};
  }
  if (claims.has_immediate) {
    return {cycle.reasons.unresolvable("pod has unbound immediate PersistentVolumeClaims"), nullptr, false, {}};
  }
  return {{}, std::make_unique<VolumeBinding>(cycle, std::move(claims)), false, {}};
}

std::unique_ptr<ScorePlugin> pre_score_volume_binding(Cycle& cycle, FeasibleNodes) {
  if (!cycle.rules.storage_capacity_scoring) {
    return nullptr;
  }
  return std::make_unique<VolumeBindingScore>(cycle);
}

}  // namespace gpusched::kubescheduler
