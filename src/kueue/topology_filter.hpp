#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpusched/kueue/topology.hpp"

namespace gpusched::kueue {

/// Which nodes a pod set accepts and which accept it. Looked at only when the lowest level is the hostname.
struct NodeFilter {
  std::vector<objects::Toleration> tolerations;  ///< the pods' and the flavor's
  objects::Labels selector;
  std::optional<objects::NodeSelector> affinity;  ///< required
  std::vector<objects::PreferredSchedulingTerm> preferred;
};

/// What a filter says about the leaves.
struct Verdicts {
  std::uint64_t epoch = 0;               ///< of the leaves; 0: never asked
  std::vector<std::uint8_t> excluded;    ///< by leaf
  std::vector<std::int64_t> preference;  ///< by leaf: weights of the preferred terms that match; empty without terms
  std::map<std::string, int> by_taint;   ///< excluded nodes by taint, "key=value:Effect"
  int by_selector = 0, by_affinity = 0;
};

/// `nodes`: one a leaf; empty when leaves are no nodes, and nothing is excluded then.
[[nodiscard]] Verdicts judge(const NodeFilter& filter, std::span<const objects::Node* const> nodes, std::size_t leaves);

/// Why leaves take no pod, for the failure sentence.
struct Exclusions {
  const Verdicts* verdicts = nullptr;
  std::vector<std::pair<std::string, int>> by_resource;  ///< leaves with room for no pod, by their scarcest resource
  std::size_t leaves = 0;
};

/// ". Total nodes: 6; excluded: resource "nvidia.com/gpu": 6", or "" when nothing was excluded.
[[nodiscard]] std::string exclusion_text(const Exclusions& exclusions);

}  // namespace gpusched::kueue
