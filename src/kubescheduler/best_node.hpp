#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "gpusched/kubescheduler/snapshot.hpp"

namespace gpusched::kubescheduler {

/// The node with the highest total, of equal ones the first by name: a tournament whose winner is known at once and in
/// which a node's new total costs as many comparisons as the tree is high.
class BestNode {
 public:
  static constexpr std::int64_t kOut = std::numeric_limits<std::int64_t>::min();

  /// `by_name` holds the nodes sorted by name and outlives this.
  explicit BestNode(std::span<const NodeIndex> by_name) : by_name_(by_name) {
    while (leaves_ < by_name.size()) {
      leaves_ *= 2;
    }
    totals_.assign(leaves_, kOut);
    winners_.resize(2 * leaves_);
    for (std::size_t i = 0; i < leaves_; ++i) {
      winners_[leaves_ + i] = static_cast<std::uint32_t>(i);
    }
    place_of_.resize(by_name.size());
    for (std::size_t i = 0; i < by_name.size(); ++i) {
      place_of_[by_name[i].index()] = static_cast<std::uint32_t>(i);
    }
    play_all();
  }

  /// kOut: the node does not take part.
  void set(NodeIndex node, std::int64_t total) {
    const std::size_t place = place_of_[node.index()];
    totals_[place] = total;
    for (std::size_t i = (leaves_ + place) / 2; i > 0; i /= 2) {
      play(i);
    }
  }

  /// None when no node takes part.
  [[nodiscard]] NodeIndex get() const {
    const std::uint32_t winner = winners_[1];
    return totals_[winner] == kOut ? NodeIndex() : by_name_[winner];
  }

 private:
  void play(std::size_t i) {
    const std::uint32_t left = winners_[2 * i];
    const std::uint32_t right = winners_[2 * i + 1];
    winners_[i] = totals_[right] > totals_[left] ? right : left;
  }
  void play_all() {
    for (std::size_t i = leaves_ - 1; i > 0; --i) {
      play(i);
    }
  }

  std::span<const NodeIndex> by_name_;
  std::size_t leaves_ = 1;
  std::vector<std::int64_t> totals_;    // by place
  std::vector<std::uint32_t> winners_;  // places; 1 is the root, leaves_ + place a leaf
  std::vector<std::uint32_t> place_of_;
};

}  // namespace gpusched::kubescheduler
