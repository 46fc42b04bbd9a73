#include "kueue/topology_capacity.hpp"

#include <algorithm>

#include "kueue/wrapping.hpp"

namespace gpusched::kueue {

namespace {

constexpr TopologyCapacity::Column kNoColumn = std::numeric_limits<TopologyCapacity::Column>::max();

std::int64_t difference(std::int64_t free, std::int64_t used) {
  if (used == kAbsent) return free;
  return wrap_sub(free == kAbsent ? std::int64_t{0} : free, used);
}

}  // namespace

void TopologyCapacity::set_leaves(std::vector<ResourceRow> free, std::vector<DomainId> domains) {
  free_ = std::move(free);
  domains_ = std::move(domains);
  std::ranges::fill(leaf_of_, kNoLeaf);
  for (std::uint32_t leaf = 0; leaf < domains_.size(); ++leaf) {
    const std::size_t domain = domains_[leaf].index();
    if (domain >= leaf_of_.size()) leaf_of_.resize(domain + 1, kNoLeaf);
    leaf_of_[domain] = leaf;
  }
  for (Column column = 0; column < columns_.size(); ++column) fill(resources_[column], columns_[column]);
  changes_.clear();
  ++epoch_;
  ++leaves_epoch_;
}

void TopologyCapacity::fill(StringId resource, Amounts& amounts) const {
  amounts.free.assign(domains_.size(), kAbsent);
  amounts.room.resize(domains_.size());
  for (std::size_t leaf = 0; leaf < domains_.size(); ++leaf) {
    const auto entry = std::ranges::lower_bound(free_[leaf], resource, {}, &ResourceAmount::resource);
    if (entry != free_[leaf].end() && entry->resource == resource) amounts.free[leaf] = entry->amount;
    const std::size_t domain = domains_[leaf].index();
    amounts.room[leaf] = difference(amounts.free[leaf], domain < amounts.used.size() ? amounts.used[domain] : kAbsent);
  }
}

std::uint32_t TopologyCapacity::leaf(DomainId domain) const {
  return domain.index() < leaf_of_.size() ? leaf_of_[domain.index()] : kNoLeaf;
}

TopologyCapacity::Column TopologyCapacity::column(StringId resource) {
  if (resource.index() >= column_of_.size()) column_of_.resize(resource.index() + 1, kNoColumn);
  Column& column = column_of_[resource.index()];
  if (column == kNoColumn) {
    column = static_cast<Column>(columns_.size());
    resources_.push_back(resource);
    fill(resource, columns_.emplace_back());
  }
  return column;
}

void TopologyCapacity::change(const DomainUsage& usage, std::int64_t sign, StringId pods) {
  const std::int64_t count = wrap_mul(sign, std::int64_t{usage.pods});
  bool pods_seen = false;
  for (const ResourceAmount& entry : *usage.per_pod) {
    std::int64_t amount = wrap_mul(entry.amount, count);
    if (entry.resource == pods) {
      amount = wrap_add(amount, count);
      pods_seen = true;
    }
    change(usage.domain, column(entry.resource), amount);
  }
  if (!pods_seen) change(usage.domain, column(pods), count);

  const std::uint32_t changed = leaf(usage.domain);
  if (changed == kNoLeaf) return;
  if (changes_.size() > 4 * domains_.size() + 1024) {  // reading all is cheaper by now
    changes_.clear();
    ++epoch_;
  }
  changes_.push_back(changed);
}

void TopologyCapacity::change(DomainId domain, Column column, std::int64_t amount) {
  Amounts& amounts = columns_[column];
  if (domain.index() >= amounts.used.size()) amounts.used.resize(domain.index() + 1, kAbsent);
  std::int64_t& used = amounts.used[domain.index()];
  used = wrap_add(used == kAbsent ? std::int64_t{0} : used, amount);
  const std::uint32_t changed = leaf(domain);
  if (changed != kNoLeaf) amounts.room[changed] = difference(amounts.free[changed], used);
}

}  // namespace gpusched::kueue
