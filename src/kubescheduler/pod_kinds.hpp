#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gpusched/kubescheduler/rules.hpp"
#include "gpusched/kubescheduler/snapshot.hpp"

namespace gpusched::kubescheduler {

using KindIndex = Id<struct KindIndexTag>;

/// Indices into Snapshot::resource_claims(), in the order of the pod's spec.resourceClaims.
using ClaimIndices = std::vector<std::size_t>;

/// Pending pods that the scheduler cannot tell apart: same spec, labels, owner and namespace, and claims that ask for
/// the same, are the pod's alone and have no devices yet.
class PodKinds {
 public:
  /// Both are borrowed.
  PodKinds(const Snapshot& snapshot, const SchedulerRules& rules)
      : snapshot_(snapshot), rules_(rules), kind_of_pod_(snapshot.pods().size()) {}

  /// None: the pod is like no other. `claims` is filled for a pod that has a kind.
  [[nodiscard]] KindIndex kind_of(PodIndex pod, ClaimIndices& claims);

 private:
  /// Handles of equal parts are equal in a dump; where they are not, equal pods have two kinds.
  struct Parts {
    const void *spec = nullptr, *labels = nullptr, *owners = nullptr;
    std::string_view name_space;
    bool operator==(const Parts&) const = default;
  };
  struct HashParts {
    std::size_t operator()(const Parts& parts) const;
  };
  /// A kind of pods with claims, whose specs differ in the names of the claims.
  struct WithClaims {
    KindIndex kind;
    objects::PodSpec spec;  // of one of the pods
    std::vector<objects::DeviceClaim> claims;
  };

  [[nodiscard]] bool find_claims(const objects::Pod& pod, ClaimIndices& claims) const;
  [[nodiscard]] KindIndex find_kind(const objects::Pod& pod, const ClaimIndices& claims);
  [[nodiscard]] KindIndex kind_with_claims(const objects::Pod& pod, const Parts& parts, const ClaimIndices& claims);
  [[nodiscard]] bool asks_for_the_same(const WithClaims& kind, const ClaimIndices& claims) const;

  const Snapshot& snapshot_;
  const SchedulerRules& rules_;
  std::vector<std::optional<KindIndex>> kind_of_pod_;  // once it was asked for
  std::size_t count_ = 0;
  std::unordered_map<Parts, KindIndex, HashParts> kinds_;
  std::unordered_map<Parts, std::vector<WithClaims>, HashParts> with_claims_;  // by parts without the spec
};

}  // namespace gpusched::kubescheduler
