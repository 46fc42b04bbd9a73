#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpusched/dra/allocator.hpp"

namespace gpusched::dra {

/// Devices of a node that one check takes from a request, and for what values.
struct DeviceLoss {
  struct Cause {
    std::string text;  ///< `model is "L4"`, "memory: 40Gi asked for, 24Gi there"
    std::uint32_t devices = 0;
    std::string example;  ///< the first such device, without its pool

    auto operator<=>(const Cause&) const = default;
  };
  std::string check;  ///< "in use", "selector #0 of class gpu", "selector #1", "capacity", "counters", "tainted", …
  std::string expression;  ///< of a selector
  std::uint32_t devices = 0;
  std::vector<Cause> causes;   ///< the most frequent ones first, not all
  std::uint32_t matching = 0;  ///< of devices in use: those that would come through all other checks

  auto operator<=>(const DeviceLoss&) const = default;
};

/// What becomes of a node's devices on the way to one request, or to one of its subrequests. A device is counted at the
/// first check that it fails, in the order in which the allocator asks.
struct RequestFunnel {
  std::size_t claim = 0;
  std::string request;  ///< "gpus" or "gpus/pair"
  std::string device_class;
  std::int64_t wanted = 0;  ///< of mode All: as many as match
  bool all = false;
  std::uint32_t published = 0;  ///< devices of complete pools that the node can reach
  std::vector<DeviceLoss> losses;
  std::uint32_t left = 0;  ///< each of them could be taken alone

  auto operator<=>(const RequestFunnel&) const = default;
};

/// A constraint on the devices that are left.
struct ConstraintView {
  struct Group {
    std::string value;  ///< "0", "\"numa-1\""; "" for devices without the attribute
    std::vector<std::string> devices;

    auto operator<=>(const Group&) const = default;
  };
  std::size_t claim = 0;
  std::string text;  ///< "matchAttribute gpu.example.com/nvlinkIsland"
  std::vector<Group> groups;
  bool breaks = false;  ///< without it the node would have the devices

  auto operator<=>(const ConstraintView&) const = default;
};

/// Why one node has no devices for the claims.
struct NodeWhyNot {
  std::string conclusion;               ///< "request gpus: 1 of 2 devices left"
  std::vector<std::string> pools;       ///< what is wrong with pools: "fabric: 1 of 2 slices of generation 3 are there"
  std::vector<RequestFunnel> requests;  ///< of all claims
  std::vector<ConstraintView> constraints;

  auto operator<=>(const NodeWhyNot&) const = default;
};

/// A selector or constraint that nothing can satisfy, and what comes near.
struct NearMiss {
  std::size_t claim = 0;
  std::string request;  ///< "" for a constraint of the whole claim
  std::string text;

  bool operator==(const NearMiss&) const = default;
};

/// One change after which the claims were allocated on a copy of the cluster.
struct Fix {
  std::string change;  ///< "request gpus: ask for 2 devices instead of 4"
  std::string effect;  ///< "allocated on pcie-a: gpu-0, gpu-1"

  bool operator==(const Fix&) const = default;
};

struct WhyNot {
  struct Group {
    NodeWhyNot why;
    std::vector<std::size_t> nodes;  ///< into the input's, all alike
  };
  std::vector<std::string> claims;  ///< "namespace/name", which others refer to by number
  std::vector<Group> groups;        ///< in the order of their first nodes
  std::vector<NearMiss> hints;
  std::vector<Fix> fixes;  ///< smallest changes first
};

/// A claim that could give its devices back.
struct Holder {
  std::string name;  ///< "ml/notebook"
  const objects::AllocationResult* allocation = nullptr;
};

/// "namespace/name", or the name alone without a namespace.
[[nodiscard]] std::string name_of(const objects::ResourceClaim& claim);

struct WhyNotInput {
  Features features;
  std::span<const objects::ResourceSlice> slices;
  std::span<const objects::DeviceClass> classes;
  std::span<const NodeFacts> nodes;
  const InUse& in_use;
  std::span<const Holder> holders;  ///< whose devices are part of in_use
  SelectorEvaluator& selectors;
  AllocateOptions search;
};

/// Why no node can allocate the claims, which one pod would use together. Every fix has been tried.
[[nodiscard]] WhyNot explain_refusal(const WhyNotInput& input, std::span<const objects::ResourceClaim* const> claims);

}  // namespace gpusched::dra
