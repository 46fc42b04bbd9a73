#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/whatif/cluster_edit.hpp"

namespace gpusched::whatif {

/// Which owners an edit means by "deployment/web" or "sts/ml/db". Owners are written "namespace/Kind/name". Of a pod
/// without a controller, and of a fixture's, the kind is Pod and the name that of the pod, without its number.
class OwnerQuery {
 public:
  explicit OwnerQuery(const ScaleOwner& edit);

  /// A kind in lower case, kubectl's short and plural names spelled out: "sts" is "statefulset".
  [[nodiscard]] static std::string kind_of(std::string_view word);

  /// The owner of a pod of which none is known: "notebook-3" belongs to "Pod/notebook".
  [[nodiscard]] std::string owner_of(std::string_view pod) const;
  [[nodiscard]] bool matches(std::string_view owner) const;
  /// What the names of new pods start with: "namespace/name".
  [[nodiscard]] std::string stem(std::string_view owner) const;
  /// "unknown-owner", with the nearest of those that there are.
  [[nodiscard]] std::unexpected<Diagnostics> unknown(std::span<const std::string> owners) const;
  /// "ambiguous-owner".
  [[nodiscard]] std::unexpected<Diagnostics> ambiguous(std::span<const std::string> owners) const;

 private:
  std::string kind_, namespace_, name_;
};

/// The number behind the last '-', which tells the replicas of a fixture and of a StatefulSet apart; -1 without one.
[[nodiscard]] std::int64_t ordinal(std::string_view pod);

/// What more pods of an owner are called: numbers go on ("db-0", "db-1": "db-2"), else "web-new-1". `owner` is what
/// names start with then.
[[nodiscard]] std::vector<std::string> new_pod_names(std::span<const std::string> pods, std::string_view owner,
                                                     std::size_t count);

}  // namespace gpusched::whatif
