#pragma once

#include <string>
#include <vector>

#include "gpusched/io/document.hpp"
#include "gpusched/kueue/topology.hpp"

/// The corpus kueue-topology-cases.jsonl: one topology a line, with placements that Kueue 0.17.0 found on it.
namespace gpusched::conformance {

/// What one pod set got, as text: `a: n01=2 n02=1`, or `a: why not`.
using PodSetAnswer = std::string;
/// Of all pod sets that were looked at, sorted.
using QueryAnswer = std::vector<PodSetAnswer>;

struct TopologyCase {
  std::string id, family;
  /// By query the answers that are right: some depend on the order of hash maps.
  std::vector<std::vector<QueryAnswer>> expect;
  std::vector<QueryAnswer> ours;
};

/// Reads a line and answers it; throws when it cannot be read.
[[nodiscard]] TopologyCase answer_topology_case(const io::Document& document);

}  // namespace gpusched::conformance
