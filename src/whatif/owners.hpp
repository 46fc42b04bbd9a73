#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/objects/meta.hpp"
#include "gpusched/whatif/cluster_edit.hpp"

namespace gpusched::whatif {

/// By what the pods of an owner are in order, the oldest first; from the end those go that are too many. A StatefulSet
/// goes by ordinal alone (pkg/controller/statefulset); of others pods without a node go first, then the youngest. That
/// is less than ActivePodsWithRanks of pkg/controller asks for: docs/known-differences.md. The number in the name
/// decides where a fixture tells no time.
struct PodAge {
  std::int64_t ordinal = 0;  ///< of a StatefulSet's pod
  bool waits = false;        ///< it has no node
  objects::Timestamp since;  ///< when it started, else was created; the earliest when unknown
  std::int64_t number = -1;  ///< behind the last '-' of the name

  auto operator<=>(const PodAge&) const = default;
};

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
  [[nodiscard]] PodAge age(std::string_view pod, bool waits, std::optional<objects::Timestamp> since) const;
  /// "3 -> 1 pods, the youngest go".
  [[nodiscard]] std::string scale_text(std::size_t pods, std::size_t wanted) const;
  /// "unknown-owner", with the nearest of those that there are.
  [[nodiscard]] std::unexpected<Diagnostics> unknown(std::span<const std::string> owners) const;
  /// "ambiguous-owner".
  [[nodiscard]] std::unexpected<Diagnostics> ambiguous(std::span<const std::string> owners) const;

 private:
  [[nodiscard]] bool goes_by_ordinal() const;

  std::string kind_, namespace_, name_;
};

using NameSet = std::set<std::string, std::less<>>;

/// What more pods of an owner are called: numbers go on ("db-0", "db-1": "db-2"), else "web-new-1"; names that are
/// `taken` are left out. `owner` is what names start with then.
[[nodiscard]] std::vector<std::string> new_pod_names(std::span<const std::string> pods, std::string_view owner,
                                                     std::size_t count, const NameSet& taken);

}  // namespace gpusched::whatif
