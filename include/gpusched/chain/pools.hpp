#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpusched/chain/flavors.hpp"
#include "gpusched/chain/queue_plan.hpp"
#include "gpusched/chain/stop_policy.hpp"
#include "gpusched/chain/views.hpp"
#include "gpusched/objects/gpustack.hpp"

/// Stage 4: a pool is an InstanceType and the ClusterQueue of the same name.
namespace gpusched::chain {

/// What a pool is made of; the InstanceType's spec carries it.
struct PoolIdentity {
  std::string general_group;      ///< a CPU key, or "generic" for all of them
  std::string accelerator_group;  ///< "" for a pool of CPUs
  std::string os, arch;

  [[nodiscard]] bool acceleratable() const { return !accelerator_group.empty(); }
  auto operator<=>(const PoolIdentity&) const = default;
};

/// The pool that a flavor belongs to under a setting of CPU awareness.
[[nodiscard]] PoolIdentity pool_of(const FlavorKey& key, bool aware);
/// "gpustack--nvidia-a10g-linux-amd64"; InstanceType and ClusterQueue share it.
[[nodiscard]] std::string pool_name(const PoolIdentity& identity);
/// The same without the platform: the InstanceTypeFlavor of the catalog.
[[nodiscard]] std::string catalog_name(const PoolIdentity& identity);
/// Labels of the queue and the type. The queue owns the flavors that have all of them.
[[nodiscard]] LabelMap schedule_labels(const PoolIdentity& identity);
/// Whether a queue with these schedule labels owns a flavor with those labels.
[[nodiscard]] bool owns(const LabelMap& schedule, const LabelMap& flavor);

/// A ClusterQueue as a dump shows it.
struct LiveQueue {
  objects::ObjectMeta meta;
  QueueState state;
  bool tas_queue = false;
  bool migration_consistent = true;
  std::vector<std::string> resources;  ///< covered ones of all groups, repetitions included
  std::vector<FlavorQuota> flavors;    ///< of all groups; the first resource counts
  std::vector<std::string> busy;       ///< flavors with something reserved or used
  std::vector<std::string> reported;   ///< flavors that the status lists
  bool status_current = true;
  std::int64_t reserved_cpu_milli = 0;
};

/// What a ClusterQueue's annotations, spec and status say to the two controllers.
[[nodiscard]] LiveQueue live_queue(const objects::OperatorQueue& queue);

/// What the instances of a pool's accelerators look like, for the catalog and requests.
struct OfferedProfile {
  std::string name;  ///< published
  std::int64_t memory_mib = 0;
  std::int64_t count = 0;

  bool operator==(const OfferedProfile&) const = default;
};

struct Pool {
  std::string name;
  PoolIdentity identity;
  bool authored = false;    ///< the operator writes the type; false: it exists already
  bool type_exists = true;  ///< a queue may have lost its type
  bool queue_existed = false;
  std::string display_name, cpu, ram, local_storage;
  Model model;                           ///< descriptors of the first flavor
  std::string memory;                    ///< of one accelerator, as requests are folded by
  std::vector<OfferedProfile> profiles;  ///< by name
  std::int64_t logical_count = 0, physical_count = 0;
  bool cores_overcommit = false;
  bool sliceable = false;

  std::vector<std::uint32_t> flavors;  ///< indices of Chain::flavors, in the order of the plan
  QuotaPlan plan;
  std::vector<FlavorQuota> groups;  ///< quota that the queue ends up with; empty: no resource group
  std::string covered_resource;
  QueueState state;           ///< after both controllers have settled
  std::vector<Write> writes;  ///< on the way there
  bool drained = false;
  std::vector<std::string> checks;  ///< AdmissionChecks that the queue refers to
  std::string local_queue;
  std::string phase;  ///< Active, Inactive, Draining
  FourViews views;
  View cpu_view;
};

}  // namespace gpusched::chain
