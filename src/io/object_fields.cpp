#include "io/object_fields.hpp"

#include <array>

namespace gpusched::io {

namespace {

constexpr std::array kVolumeMount = {Projection{"bindMountOptions"}};

constexpr std::array kContainer = {
    Projection{"name"},
    Projection{"image"},
    Projection{"resources"},
    Projection{"ports"},
    Projection{"restartPolicy"},
    Projection{"restartPolicyRules"},
    Projection{"volumeMounts", kVolumeMount, true},
};

// Volume sources that tie a pod to a node or to a claim.
constexpr std::array kVolume = {
    Projection{"name"},
    Projection{"persistentVolumeClaim"},
    Projection{"ephemeral"},
    Projection{"gcePersistentDisk"},
    Projection{"awsElasticBlockStore"},
    Projection{"azureDisk"},
    Projection{"cinder"},
    Projection{"csi"},
    Projection{"iscsi"},
    Projection{"rbd"},
    Projection{"image"},
};

constexpr std::array kPodSpec = {
    Projection{"containers", kContainer},
    Projection{"initContainers", kContainer},
    Projection{"volumes", kVolume, true},
    Projection{"resources"},
    Projection{"overhead"},
    Projection{"nodeSelector"},
    Projection{"affinity"},
    Projection{"tolerations"},
    Projection{"topologySpreadConstraints"},
    Projection{"priority"},
    Projection{"priorityClassName"},
    Projection{"preemptionPolicy"},
    Projection{"schedulerName"},
    Projection{"schedulingGates"},
    Projection{"schedulingGroup"},
    Projection{"resourceClaims"},
    Projection{"hostNetwork"},
    Projection{"hostUsers"},
    Projection{"runtimeClassName"},
    Projection{"os"},
};

constexpr std::array kCondition = {
    Projection{"type"},
    Projection{"status"},
    Projection{"reason"},
    Projection{"message"},
};
constexpr std::array kReason = {Projection{"reason"}};
constexpr std::array kState = {Projection{"waiting", kReason}, Projection{"terminated", kReason}};
constexpr std::array kContainerStatus = {
    Projection{"name"},
    Projection{"resources"},
    Projection{"allocatedResources"},
    Projection{"state", kState},
};

constexpr std::array kPodStatus = {
    Projection{"conditions", kCondition},
    Projection{"containerStatuses", kContainerStatus},
    Projection{"initContainerStatuses", kContainerStatus},
    Projection{"resize"},
    Projection{"resources"},
    Projection{"allocatedResources"},
    Projection{"resourceClaimStatuses"},
    Projection{"extendedResourceClaimStatus"},
    Projection{"reason"},
    Projection{"message"},
};

constexpr std::array kNodeSpec = {Projection{"unschedulable"}, Projection{"taints"}, Projection{"providerID"}};

constexpr std::array kNodeInfo = {Projection{"kubeletVersion"}};

constexpr std::array kNodeStatus = {
    Projection{"allocatable"},         Projection{"capacity"},         Projection{"conditions", kCondition},
    Projection{"nodeInfo", kNodeInfo}, Projection{"declaredFeatures"}, Projection{"images"},
};

}  // namespace

std::span<const Projection> pod_spec_fields() {
  return kPodSpec;
}
std::span<const Projection> pod_status_fields() {
  return kPodStatus;
}
std::span<const Projection> node_spec_fields() {
  return kNodeSpec;
}
std::span<const Projection> node_status_fields() {
  return kNodeStatus;
}

}  // namespace gpusched::io
