#include "kueue/topology_tree.hpp"

#include <algorithm>

namespace gpusched::kueue {

DomainRange TopologyTree::children_of(DomainRange domains) const {
  if (domains.empty()) return {};
  return {children[domains.begin].begin, children[domains.end - 1].end};
}

TopologyTree build_tree(std::span<const std::vector<std::string>> leaf_values, std::size_t levels) {
  TopologyTree tree;
  tree.levels.resize(levels);
  // Of every level the leaf at which each domain begins: the first that differs from its neighbour up to that level.
  std::vector<std::size_t> first_leaf;
  for (std::size_t level = 0; level < levels; ++level) {
    tree.levels[level].begin = static_cast<DomainIndex>(first_leaf.size());
    for (std::size_t leaf = 0; leaf < leaf_values.size(); ++leaf) {
      const auto depth = static_cast<std::ptrdiff_t>(level + 1);
      const auto& values = leaf_values[leaf];
      if (leaf == 0 || !std::equal(values.begin(), values.begin() + depth, leaf_values[leaf - 1].begin())) {
        first_leaf.push_back(leaf);
      }
    }
    tree.levels[level].end = static_cast<DomainIndex>(first_leaf.size());
  }
  tree.parent.resize(first_leaf.size());
  tree.children.resize(first_leaf.size());
  for (std::size_t level = 0; level + 1 < levels; ++level) {
    DomainIndex child = tree.levels[level + 1].begin;
    for (DomainIndex domain = tree.levels[level].begin; domain < tree.levels[level].end; ++domain) {
      const bool last = domain + 1 == tree.levels[level].end;
      const std::size_t end_leaf = last ? leaf_values.size() : first_leaf[domain + 1];
      tree.children[domain].begin = child;
      for (; child < tree.levels[level + 1].end && first_leaf[child] < end_leaf; ++child) tree.parent[child] = domain;
      tree.children[domain].end = child;
    }
  }
  return tree;
}

}  // namespace gpusched::kueue
