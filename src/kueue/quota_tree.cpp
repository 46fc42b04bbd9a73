#include "kueue/quota_tree.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "kueue/wrapping.hpp"

namespace gpusched::kueue {

void QuotaTree::build(std::vector<QuotaNodeSpec> specs, std::size_t queue_count) {
  queue_count_ = queue_count;
  nodes_.assign(specs.size(), {});
  trees_.clear();
  cells_.clear();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    nodes_[i].parent = specs[i].parent;
    nodes_[i].weight = specs[i].fair_weight;
    if (specs[i].parent.valid()) {
      Node& parent = nodes_[specs[i].parent.index()];
      (i < queue_count ? parent.all_queues : parent.cohorts).push_back(QuotaNode(i));
    }
  }
  make_trees(specs);
  for (std::size_t i = 0; i < specs.size(); ++i) {
    for (const NodeQuota& quota : specs[i].quotas) {
      Cell& own = cell(QuotaNode(i), column(QuotaNode(i), quota.what));
      own.quota = quota.quota;
      own.listed = true;
    }
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (!nodes_[i].parent.valid()) {
      sum_up(QuotaNode(i));
      spread_potential(QuotaNode(i));
    }
  }
}

void QuotaTree::make_trees(const std::vector<QuotaNodeSpec>& specs) {
  std::vector<std::uint32_t> tree_of_root(nodes_.size(), 0);
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].parent.valid()) {
      tree_of_root[i] = static_cast<std::uint32_t>(trees_.size());
      trees_.emplace_back();
    }
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    nodes_[i].tree = tree_of_root[root(QuotaNode(i)).index()];
    if (i < queue_count_) {
      trees_[nodes_[i].tree].queues.push_back(QueueId(i));
    }
    for (const NodeQuota& quota : specs[i].quotas) {
      trees_[nodes_[i].tree].columns.push_back(quota.what);
    }
  }
  for (Tree& tree : trees_) {
    std::ranges::sort(tree.columns);
    const auto repeated = std::ranges::unique(tree.columns);
    tree.columns.erase(repeated.begin(), repeated.end());
    std::vector<StringId> resources;
    for (const FlavorResource& what : tree.columns) {
      const auto known = std::ranges::find(resources, what.resource);
      tree.resource_slots.push_back(static_cast<std::uint32_t>(known - resources.begin()));
      if (known == resources.end()) {
        resources.push_back(what.resource);
      }
    }
    tree.slot_count = static_cast<std::uint32_t>(resources.size());
  }
  std::size_t cell_count = 0;
  for (Node& node : nodes_) {
    node.first_cell = cell_count;
    cell_count += trees_[node.tree].columns.size();
  }
  cells_.assign(cell_count, {});
}

/// Quotas of a subtree, without what children keep for themselves.
void QuotaTree::sum_up(QuotaNode node) {
  const std::size_t columns = trees_[nodes_[node.index()].tree].columns.size();
  for (std::size_t c = 0; c < columns; ++c) {
    cell(node, Column(c)).subtree = cell(node, Column(c)).quota.nominal;
  }
  const auto take = [&](QuotaNode child) {
    sum_up(child);
    for (std::size_t c = 0; c < columns; ++c) {
      Cell& own = cell(node, Column(c));
      const Cell& below = cell(child, Column(c));
      own.subtree = wrap_add(own.subtree, wrap_sub(below.subtree, below.local));
      own.listed |= below.listed;
    }
  };
  std::ranges::for_each(nodes_[node.index()].cohorts, take);
  std::ranges::for_each(nodes_[node.index()].all_queues, take);
  for (std::size_t c = 0; c < columns; ++c) {
    Cell& own = cell(node, Column(c));
    own.local =
        own.quota.has_lending_limit ? std::max<std::int64_t>(0, wrap_sub(own.subtree, own.quota.lending_limit)) : 0;
  }
}

void QuotaTree::spread_potential(QuotaNode node) {
  Node& here = nodes_[node.index()];
  const Tree& tree = trees_[here.tree];
  here.lendable.assign(tree.slot_count, 0);
  for (std::size_t c = 0; c < tree.columns.size(); ++c) {
    Cell& own = cell(node, Column(c));
    own.potential = own.subtree;
    if (here.parent.valid()) {
      own.potential = wrap_add(own.local, cell(here.parent, Column(c)).potential);
      if (own.quota.has_borrowing_limit) {
        own.potential = std::min(own.potential, wrap_add(own.subtree, own.quota.borrowing_limit));
      }
    }
    std::int64_t& lendable = here.lendable[tree.resource_slots[c]];
    if (cell(root(node), Column(c)).listed) {
      lendable = wrap_add(lendable, own.potential);
    }
  }
  for (const auto* const children : {&here.cohorts, &here.all_queues}) {
    for (const QuotaNode child : *children) {
      spread_potential(child);
    }
  }
}

void QuotaTree::set_active(const std::vector<bool>& queue_active) {
  for (Node& node : nodes_) {
    node.queues.clear();
    node.height = 0;
    std::ranges::copy_if(node.all_queues, std::back_inserter(node.queues),
                         [&](QuotaNode queue) { return queue_active[queue.index()]; });
  }
  for (std::size_t i = queue_count_; i < nodes_.size(); ++i) {
    if (!nodes_[i].parent.valid()) {
      measure(QuotaNode(i));
    }
  }
}

int QuotaTree::measure(QuotaNode cohort) {
  Node& node = nodes_[cohort.index()];
  node.height = node.cohorts.empty() && node.queues.empty() ? 0 : 1;
  for (const QuotaNode child : node.cohorts) {
    node.height = std::max(node.height, measure(child) + 1);
  }
  return node.height;
}

Column QuotaTree::column(QuotaNode node, FlavorResource what) const {
  const std::vector<FlavorResource>& columns = trees_[nodes_[node.index()].tree].columns;
  const auto found = std::ranges::lower_bound(columns, what);
  return found != columns.end() && *found == what ? Column(static_cast<std::size_t>(found - columns.begin()))
                                                  : Column();
}

FlavorResource QuotaTree::name(QuotaNode node, Column column) const {
  return trees_[nodes_[node.index()].tree].columns[column.index()];
}

QuotaNode QuotaTree::root(QuotaNode node) const {
  while (has_parent(node)) {
    node = parent(node);
  }
  return node;
}

std::span<const QuotaNode> QuotaTree::child_cohorts(QuotaNode cohort) const {
  return nodes_[cohort.index()].cohorts;
}
std::span<const QuotaNode> QuotaTree::child_queues(QuotaNode cohort) const {
  return nodes_[cohort.index()].queues;
}

std::int64_t QuotaTree::local_available(QuotaNode node, Column column) const {
  const Cell& own = cell(node, column);
  return std::max<std::int64_t>(0, wrap_sub(own.local, own.usage));
}

std::int64_t QuotaTree::available(QuotaNode node, Column column) const {
  const Cell& own = cell(node, column);
  if (!has_parent(node)) {
    return wrap_sub(own.subtree, own.usage);
  }
  std::int64_t from_parent = available(parent(node), column);
  if (own.quota.has_borrowing_limit) {
    const std::int64_t stored = wrap_sub(own.subtree, own.local);
    const std::int64_t used = std::max<std::int64_t>(0, wrap_sub(own.usage, own.local));
    from_parent = std::min(from_parent, wrap_add(wrap_sub(stored, used), own.quota.borrowing_limit));
  }
  return wrap_add(local_available(node, column), from_parent);
}

bool QuotaTree::borrows_with(QuotaNode node, Column column, std::int64_t amount) const {
  const Cell& own = cell(node, column);
  return wrap_add(own.usage, amount) > own.subtree;
}

bool QuotaTree::within_quota(QuotaNode node, std::span<const Column> columns) const {
  return std::ranges::none_of(columns, [&](Column column) { return borrows_with(node, column, 0); });
}

void QuotaTree::add(QuotaNode queue, const Usage& usage) {
  std::int64_t amount = usage.amount;
  for (QuotaNode node = queue;; node = parent(node)) {
    const std::int64_t local = local_available(node, usage.column);
    Cell& own = cell(node, usage.column);
    own.usage = wrap_add(own.usage, amount);
    if (!has_parent(node) || amount <= local) {
      return;
    }
    amount = wrap_sub(amount, local);
  }
}

void QuotaTree::remove(QuotaNode queue, const Usage& usage) {
  std::int64_t amount = usage.amount;
  for (QuotaNode node = queue;; node = parent(node)) {
    Cell& own = cell(node, usage.column);
    const std::int64_t in_parent = wrap_sub(own.usage, own.local);
    own.usage = wrap_sub(own.usage, amount);
    if (!has_parent(node) || in_parent <= 0) {
      return;
    }
    amount = std::min(amount, in_parent);
  }
}

void QuotaTree::add(QuotaNode queue, std::span<const Usage> usage) {
  for (const Usage& one : usage) {
    add(queue, one);
  }
}
void QuotaTree::remove(QuotaNode queue, std::span<const Usage> usage) {
  for (const Usage& one : usage) {
    remove(queue, one);
  }
}

void QuotaTree::shift(QuotaNode node, const Usage& usage) {
  Cell& own = cell(node, usage.column);
  own.usage = wrap_add(own.usage, usage.amount);
}

QuotaTree::Fit QuotaTree::lowest_fit(QuotaNode queue, Column column, std::int64_t amount) const {
  if (!has_parent(queue) || !borrows_with(queue, column, amount)) {
    return {0, has_parent(queue)};
  }
  std::int64_t remaining = wrap_sub(amount, local_available(queue, column));
  QuotaNode node = parent(queue);
  for (;; node = parent(node)) {
    if (!borrows_with(node, column, remaining)) {
      return {height(node), has_parent(node)};
    }
    if (!has_parent(node)) {
      return {height(node), false};
    }
    remaining = wrap_sub(remaining, local_available(node, column));
  }
}

FairShare QuotaTree::fair_share(QuotaNode node) const {
  const Node& here = nodes_[node.index()];
  FairShare share{here.weight, 0, false, {}};
  if (!here.parent.valid()) {
    return share;
  }
  const Tree& tree = trees_[here.tree];
  std::vector<std::int64_t> borrowed(tree.slot_count, 0);
  for (std::size_t c = 0; c < tree.columns.size(); ++c) {
    const Cell& own = cell(node, Column(c));
    const std::int64_t amount = wrap_sub(own.usage, own.subtree);
    if (own.listed && amount > 0) {
      std::int64_t& sum = borrowed[tree.resource_slots[c]];
      sum = wrap_add(sum, amount);
      share.borrowed.push_back(Column(c));
    }
  }
  share.borrowing = !share.borrowed.empty();
  constexpr double kPerMille = 1000.0;
  const std::vector<std::int64_t>& lendable = nodes_[here.parent.index()].lendable;
  for (std::size_t slot = 0; slot < borrowed.size(); ++slot) {
    if (borrowed[slot] > 0 && lendable[slot] > 0) {
      share.ratio =
          std::max(share.ratio, static_cast<double>(borrowed[slot]) * kPerMille / static_cast<double>(lendable[slot]));
    }
  }
  return share;
}

int compare(const FairShare& a, const FairShare& b) {
  const auto order = [](double x, double y) { return x < y ? -1 : (x > y ? 1 : 0); };
  const auto zero_weight_borrows = [](const FairShare& share) { return share.weight == 0 && share.ratio != 0; };
  const auto weighted = [](const FairShare& share) { return share.ratio == 0 ? 0 : share.ratio / share.weight; };
  if (zero_weight_borrows(a) && zero_weight_borrows(b)) {
    return order(a.ratio, b.ratio);
  }
  if (zero_weight_borrows(a)) {
    return 1;
  }
  return zero_weight_borrows(b) ? -1 : order(weighted(a), weighted(b));
}

}  // namespace gpusched::kueue
