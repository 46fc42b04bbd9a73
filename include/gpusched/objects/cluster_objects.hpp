#pragma once

#include <vector>

#include "gpusched/objects/device_class.hpp"
#include "gpusched/objects/device_taint_rule.hpp"
#include "gpusched/objects/node.hpp"
#include "gpusched/objects/pod.hpp"
#include "gpusched/objects/policy.hpp"
#include "gpusched/objects/resource_claim.hpp"
#include "gpusched/objects/resource_slice.hpp"
#include "gpusched/objects/storage.hpp"

namespace gpusched::objects {

/// What the scheduler's informers hold: the objects of one dump, in input order.
struct ClusterObjects {
  std::vector<Node> nodes;
  std::vector<Pod> pods;
  std::vector<Namespace> namespaces;
  std::vector<PriorityClass> priority_classes;
  std::vector<PodDisruptionBudget> disruption_budgets;
  std::vector<Service> services;
  std::vector<PodController> controllers;
  std::vector<PersistentVolumeClaim> volume_claims;
  std::vector<PersistentVolume> volumes;
  std::vector<StorageClass> storage_classes;
  std::vector<CsiNode> csi_nodes;
  std::vector<CsiDriver> csi_drivers;
  std::vector<CsiStorageCapacity> storage_capacities;
  std::vector<ResourceClaim> resource_claims;
  std::vector<ResourceSlice> resource_slices;
  std::vector<DeviceClass> device_classes;
  std::vector<DeviceTaintRule> device_taint_rules;
};

}  // namespace gpusched::objects
