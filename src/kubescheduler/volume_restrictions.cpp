#include <algorithm>
#include <set>

#include "kubescheduler/plugins.hpp"
#include "kubescheduler/volume_claims.hpp"

namespace gpusched::kubescheduler {

namespace {

bool has_restrictions(const objects::Volume& volume) {
  return volume.gce_persistent_disk || volume.aws_elastic_block_store || volume.rbd || volume.iscsi;
}

bool overlap(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(a, [&](const std::string& item) { return std::ranges::find(b, item) != b.end(); });
}

/// The same disk, unless both only read; EBS volumes are never shared.
bool conflicts(const objects::Volume& a, const objects::Volume& b) {
  const auto same = [](const auto& x, const auto& y, const auto& equal) {
    return x && y && equal(*x, *y) && !(x->read_only && y->read_only);
  };
  const auto default_pool = [](const std::string& pool) { return pool.empty() ? std::string("rbd") : pool; };
  return same(a.gce_persistent_disk, b.gce_persistent_disk, [](auto& x, auto& y) { return x.id == y.id; }) ||
         (a.aws_elastic_block_store && b.aws_elastic_block_store &&
          a.aws_elastic_block_store->id == b.aws_elastic_block_store->id) ||
         same(a.iscsi, b.iscsi, [](auto& x, auto& y) { return x.iqn == y.iqn; }) ||
         same(a.rbd, b.rbd, [&](auto& x, auto& y) {
           return overlap(x.monitors, y.monitors) && default_pool(x.pool) == default_pool(y.pool) && x.image == y.image;
         });
}

using Names = std::set<std::string_view>;

class VolumeRestrictions final : public FilterPlugin {
 public:
  /// `exclusive` are the pod's ReadWriteOncePod claims, `in_use` how many of them bound pods use.
  VolumeRestrictions(Cycle& cycle, Names exclusive, std::int64_t in_use)
      : cycle_(cycle),
        exclusive_(std::move(exclusive)),
        in_use_(in_use),
        disk_conflict_(cycle.reasons.unschedulable("node(s) had no available disk")),
        claim_conflict_(
            cycle.reasons.unschedulable("node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access "
                                        "mode already in-use by another pod")) {}

  Status filter(const NodeView& view) override {
    for (const objects::Volume& volume : cycle_.pod.spec->volumes) {
      if (has_restrictions(volume) && conflicts_on(view, volume)) {
        return disk_conflict_;
      }
    }
    std::int64_t in_use = in_use_;
    for (const PodChange& change : view.changes) {
      in_use += change.count * uses(*change.pod->object);
    }
    return in_use > 0 ? claim_conflict_ : Status();
  }

 private:
  [[nodiscard]] bool conflicts_on(const NodeView& view, const objects::Volume& volume) const {
    return std::ranges::any_of(view.usage.pods, [&](PodIndex index) {
      return std::ranges::any_of(cycle_.snapshot.pod(index).object->spec->volumes,
                                 [&](const objects::Volume& used) { return conflicts(volume, used); });
    });
  }

  /// By name alone: the real plugin does not look at the namespace here.
  [[nodiscard]] std::int64_t uses(const objects::Pod& pod) const {
    return std::ranges::count_if(pod.spec->volumes, [&](const objects::Volume& volume) {
      return volume.persistent_volume_claim && exclusive_.contains(volume.persistent_volume_claim->claim_name);
    });
  }

  Cycle& cycle_;
  Names exclusive_;
  std::int64_t in_use_;
  Status disk_conflict_, claim_conflict_;
};

bool used_by_bound_pod(const Cycle& cycle, std::string_view claim) {
  return std::ranges::any_of(cycle.snapshot.pods(), [&](const PodState& pod) {
    return pod.node.valid() && pod.object->meta.namespace_name == cycle.pod.meta.namespace_name &&
           std::ranges::any_of(pod.object->spec->volumes, [&](const objects::Volume& volume) {
             return volume.persistent_volume_claim && volume.persistent_volume_claim->claim_name == claim;
           });
  });
}

}  // namespace

PreFiltered pre_filter_volume_restrictions(Cycle& cycle) {
  Names exclusive;
  for (const objects::Volume& volume : cycle.pod.spec->volumes) {
    if (!volume.persistent_volume_claim) {
      continue;
    }
    const std::string& name = volume.persistent_volume_claim->claim_name;
    const auto* const claim = cycle.snapshot.find_volume_claim(cycle.pod.meta.namespace_name, name);
    if (claim == nullptr) {
      return {cycle.reasons.unresolvable(not_found("persistentvolumeclaim", name)), nullptr, false, {}};
    }
    if (std::ranges::find(claim->access_modes, "ReadWriteOncePod") != claim->access_modes.end()) {
      exclusive.insert(name);
    }
  }
  const std::int64_t in_use =
      std::ranges::count_if(exclusive, [&](std::string_view name) { return used_by_bound_pod(cycle, name); });
  if (in_use == 0 && std::ranges::none_of(cycle.pod.spec->volumes, has_restrictions)) {
    return {};
  }
  return {{}, std::make_unique<VolumeRestrictions>(cycle, std::move(exclusive), in_use), false, {}};
}

}  // namespace gpusched::kubescheduler
