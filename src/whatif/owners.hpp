#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gpusched/whatif/cluster_edit.hpp"

namespace gpusched::whatif {

/// Which owners an edit means by "deployment/web" or "sts/ml/db". Owners are written "namespace/Kind/name". Of a pod
/// without a controller, and of a fixture's, the kind is Pod and the name that of the pod, without its number.
class OwnerQuery {
 public:
  explicit OwnerQuery(const ScaleOwner& edit);

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

}  // namespace gpusched::whatif
