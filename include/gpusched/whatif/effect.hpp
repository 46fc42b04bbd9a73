#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace gpusched::whatif {

/// What an edit did to a pod.
enum class PodChange : std::uint8_t {
  kMoved,      ///< evicted and placed again, on `node`
  kPending,    ///< evicted, or new, and without a place: `reason`
  kForbidden,  ///< a PodDisruptionBudget keeps it where it is: `reason`
  kStays,      ///< of a DaemonSet or of the node itself
  kGone,       ///< deleted
};

struct PodFate {
  std::string pod;
  PodChange change = PodChange::kGone;
  std::string node = {};
  std::string reason = {};
  bool unmanaged = false;  ///< nobody makes it again: kubectl drain refuses without --force

  bool operator==(const PodFate&) const = default;
};

/// One edit and what it did to the cluster as the edits before it left it.
struct EditEffect {
  std::string edit;                ///< "drain dgx-a"
  std::string effect;              ///< "3 pods evicted, 2 placed (dgx-b, dgx-c), 1 Pending: ..."
  std::vector<std::string> nodes;  ///< the nodes that it changed, added or took away
  std::vector<PodFate> pods = {};

  bool operator==(const EditEffect&) const = default;
};

/// "3 pods evicted, 2 placed (dgx-b, dgx-c), 1 Pending: 0/4 nodes are available: ...; web/api is kept: ...".
[[nodiscard]] std::string eviction_text(std::span<const PodFate> fates);
/// "a, b, c and 4 more".
[[nodiscard]] std::string short_list(std::span<const std::string> names);

}  // namespace gpusched::whatif
