#pragma once

#include <string>
#include <vector>

namespace gpusched::objects {

/// One condition on a label, or on a field of a node. `op` is kept as written (In, NotIn, Exists, DoesNotExist, Gt,
/// Lt): an unknown one is an error of whoever evaluates it, with a text of its own.
struct NodeSelectorRequirement {
  std::string key;
  std::string op;
  std::vector<std::string> values;

  bool operator==(const NodeSelectorRequirement&) const = default;
};

/// All requirements must hold; a term without any matches nothing.
struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions;  ///< on labels
  std::vector<NodeSelectorRequirement> match_fields;       ///< on fields; the API knows metadata.name only

  bool operator==(const NodeSelectorTerm&) const = default;
};

/// core/v1 NodeSelector: one of the terms must match.
struct NodeSelector {
  std::vector<NodeSelectorTerm> terms;

  bool operator==(const NodeSelector&) const = default;
};

}  // namespace gpusched::objects
