#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "gpusched/model/shape_builder.hpp"
#include "gpusched/objects/meta.hpp"

namespace gpusched::whatif {

/// A new shape in the making: its builder, and which nodes of the old one get another class or go.
struct ShapeEdit {
  explicit ShapeEdit(const ClusterShape& from) : builder(from), gone(from.nodes.size()) {}

  ShapeBuilder builder;
  std::vector<std::pair<NodeId, NodeClassId>> changed;
  std::vector<bool> gone;

  [[nodiscard]] LabelSetId labels(const objects::Labels& labels) {
    LabelSet set;
    for (const auto& [key, value] : labels) {
      set.emplace_back(builder.text(key), builder.text(value));
    }
    return builder.labels(std::move(set));
  }

  [[nodiscard]] ShapePtr build() && {
    if (changed.empty() && std::ranges::find(gone, true) == gone.end()) {
      return std::move(builder).build();
    }
    ClusterShape shape = *std::move(builder).build();
    for (const auto& [node, node_class] : changed) {
      shape.nodes[node.index()].node_class = node_class;
    }
    gone.resize(shape.nodes.size());
    std::vector<Node> kept;
    for (std::size_t i = 0; i < shape.nodes.size(); ++i) {
      if (!gone[i]) {
        kept.push_back(shape.nodes[i]);
      }
    }
    shape.nodes = std::move(kept);
    return ShapeBuilder(shape).build();  // sorts the names
  }
};

}  // namespace gpusched::whatif
