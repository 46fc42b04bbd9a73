#include <algorithm>
#include <array>
#include <map>

#include "kubescheduler/plugins.hpp"
#include "kubescheduler/volume_claims.hpp"

namespace gpusched::kubescheduler {

namespace {

/// In-tree volumes that a CSI driver has taken over. Source: k8s.io/csi-translation-lib v0.37.2.
struct MigratedPlugin {
  std::string_view in_tree, driver;
};
constexpr MigratedPlugin kGce{"kubernetes.io/gce-pd", "pd.csi.storage.gke.io"};
constexpr MigratedPlugin kEbs{"kubernetes.io/aws-ebs", "ebs.csi.aws.com"};
constexpr MigratedPlugin kAzure{"kubernetes.io/azure-disk", "disk.csi.azure.com"};
constexpr MigratedPlugin kCinder{"kubernetes.io/cinder", "cinder.csi.openstack.org"};
constexpr std::array<MigratedPlugin, 4> kMigrated = {kGce, kEbs, kAzure, kCinder};

struct Migrated {
  MigratedPlugin plugin;
  std::string id;
};

/// A pod's volume or a persistent volume that a CSI driver serves in place of its in-tree plugin.
template <class Source>
std::optional<Migrated> migrated(const Source& source) {
  const std::array<const std::optional<objects::DiskSource>*, 4> disks = {
      &source.gce_persistent_disk, &source.aws_elastic_block_store, &source.azure_disk, &source.cinder};
  for (std::size_t i = 0; i < disks.size(); ++i) {
    if (*disks[i]) {
      return Migrated{kMigrated[i], (*disks[i])->id};
    }
  }
  return std::nullopt;
}

/// Whether the node's kubelet says that it has handed the plugin over.
bool migration_on(const objects::CsiNode* node, std::string_view plugin) {
  const std::string* const list =
      node == nullptr ? nullptr : objects::find(node->meta.annotations, "storage.alpha.kubernetes.io/migrated-plugins");
  if (list == nullptr) {
    return false;
  }
  std::string_view rest = *list;
  while (true) {
    const std::size_t comma = rest.find(',');
    if (rest.substr(0, comma) == plugin) {
      return true;
    }
    if (comma == std::string_view::npos) {
      return false;
    }
    rest.remove_prefix(comma + 1);
  }
}

using Volumes = std::map<std::string, std::string>;  // unique name -> driver

class NodeVolumeLimits final : public FilterPlugin {
 public:
  explicit NodeVolumeLimits(Cycle& cycle)
      : cycle_(cycle), exceeded_(cycle.reasons.unschedulable("node(s) exceed max volume count")) {}

  Status filter(const NodeView& view) override {
    const objects::CsiNode* const csi_node = cycle_.snapshot.find_csi_node(view.node.name());
    Volumes added;
    collect(cycle_.pod, csi_node, added);
    if (cycle_.rules.volume_limit_scaling) {
      for (const auto& [volume, driver] : added) {
        if (!driver_installed(driver, csi_node)) {
          return cycle_.reasons.unschedulable(driver + " CSI driver is not installed on the node");
        }
      }
    }
    if (added.empty() || csi_node == nullptr) {
      return {};
    }
    Volumes attached;
    for (const PodIndex index : view.usage.pods) {
      collect(*cycle_.snapshot.pod(index).object, csi_node, attached);
    }
    return fits(*csi_node, added, attached) ? Status() : exceeded_;
  }

 private:
  [[nodiscard]] static bool fits(const objects::CsiNode& node, const Volumes& added, const Volumes& attached) {
    for (const objects::CsiNodeDriver& driver : node.drivers) {
      if (!driver.allocatable_count) {
        continue;
      }
      const auto of_driver = [&](const auto& entry) { return entry.second == driver.name; };
      const auto is_new = [&](const auto& entry) { return of_driver(entry) && !attached.contains(entry.first); };
      const auto count_new = std::ranges::count_if(added, is_new);
      if (count_new > 0 && std::ranges::count_if(attached, of_driver) + count_new > *driver.allocatable_count) {
        return false;
      }
    }
    return true;
  }

  /// A driver without a CSIDriver object, or one that does not insist, may be missing.
  [[nodiscard]] bool driver_installed(const std::string& name, const objects::CsiNode* node) const {
    const auto& drivers = cycle_.snapshot.objects().csi_drivers;
    const auto found = std::ranges::find(drivers, name, [](const objects::CsiDriver& d) { return d.meta.name; });
    if (found == drivers.end() || !found->prevent_pod_scheduling_if_missing) {
      return true;
    }
    return node != nullptr && std::ranges::any_of(node->drivers, [&](const auto& d) { return d.name == name; });
  }

  void collect(const objects::Pod& pod, const objects::CsiNode* node, Volumes& volumes) const {
    for (const objects::Volume& volume : pod.spec->volumes) {
      if (volume.persistent_volume_claim || volume.ephemeral) {
        continue;
      }
      if (const auto found = migrated(volume); found && migration_on(node, found->plugin.in_tree)) {
        add(volumes, found->plugin.driver, found->id);
      }
    }
    for (const ClaimUse& use : claims_of(cycle_.snapshot, pod)) {
      if (use.claim != nullptr) {
        collect_claim(*use.claim, node, volumes);
      }
    }
  }

  void collect_claim(const objects::PersistentVolumeClaim& claim, const objects::CsiNode* node,
                     Volumes& volumes) const {
    const auto* const volume = claim.volume_name.empty() ? nullptr : cycle_.snapshot.find_volume(claim.volume_name);
    if (volume == nullptr) {
      collect_unbound(claim, node, volumes);
    } else if (volume->csi) {
      if (!volume->csi->driver.empty() && !volume->csi->volume_handle.empty()) {
        add(volumes, volume->csi->driver, volume->csi->volume_handle);
      }
    } else if (const auto found = migrated(*volume); found && migration_on(node, found->plugin.in_tree)) {
      add(volumes, found->plugin.driver, found->id);
    }
  }

  /// A volume that does not exist yet counts for its class's provisioner, once per claim.
  void collect_unbound(const objects::PersistentVolumeClaim& claim, const objects::CsiNode* node,
                       Volumes& volumes) const {
    const std::string name = storage_class_of(claim);
    const auto* const storage_class = name.empty() ? nullptr : cycle_.snapshot.find_storage_class(name);
    if (storage_class == nullptr) {
      return;
    }
    std::string_view driver = storage_class->provisioner;
    const auto plugin = std::ranges::find(kMigrated, driver, &MigratedPlugin::in_tree);
    if (plugin != kMigrated.end()) {
      if (!migration_on(node, plugin->in_tree)) {
        return;
      }
      driver = plugin->driver;
    }
    if (!driver.empty()) {
      add(volumes, driver, "(unbound)-" + claim.meta.namespace_name + "/" + claim.meta.name);
    }
  }

  static void add(Volumes& volumes, std::string_view driver, const std::string& handle) {
    volumes[std::string(driver) + "/" + handle] = driver;
  }

  Cycle& cycle_;
  Status exceeded_;
};

}  // namespace

PreFiltered pre_filter_node_volume_limits(Cycle& cycle) {
  const auto counts = [](const objects::Volume& volume) {
    return volume.persistent_volume_claim || volume.ephemeral || migrated(volume);
  };
  if (std::ranges::none_of(cycle.pod.spec->volumes, counts)) {
    return {};
  }
  return {{}, std::make_unique<NodeVolumeLimits>(cycle), false, {}};
}

}  // namespace gpusched::kubescheduler
