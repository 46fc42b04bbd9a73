#pragma once

#include "gpusched/base/strong_id.hpp"

namespace gpusched {

using StringId = Id<struct StringTag>;        ///< a text in ClusterShape::strings
using ResourceId = Id<struct ResourceTag>;    ///< a resource name: cpu, memory, nvidia.com/gpu …
using LabelSetId = Id<struct LabelSetTag>;    ///< the labels of a node
using TaintSetId = Id<struct TaintSetTag>;    ///< the taints of a node
using BoardId = Id<struct BoardTag>;          ///< a GPU model with its memory and links
using NodeClassId = Id<struct NodeClassTag>;  ///< nodes that differ in nothing but their name
using NodeId = Id<struct NodeTag>;            ///< a node, in input order
using PodClassId = Id<struct PodClassTag>;    ///< pods that differ in nothing but their name
using PodId = Id<struct PodTag>;              ///< a pod of one ClusterUsage

/// Resource ids that every shape has, so that hot code needs no look-up.
inline constexpr ResourceId kCpu{0};               ///< milli-CPU
inline constexpr ResourceId kMemory{1};            ///< bytes
inline constexpr ResourceId kEphemeralStorage{2};  ///< bytes
inline constexpr ResourceId kPods{3};              ///< number of pods
inline constexpr ResourceId kNvidiaGpu{4};         ///< nvidia.com/gpu: whole GPUs or time-slicing replicas

}  // namespace gpusched
