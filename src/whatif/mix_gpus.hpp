#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "gpusched/whatif/repartition.hpp"
#include "whatif/mix_search.hpp"

namespace gpusched::whatif {

/// What is served (negated: fewer is worse), and the price of it. The smallest is the best.
struct MixCost {
  std::int64_t instances = 0, slices = 0;
  MixPrice price;

  auto operator<=>(const MixCost&) const = default;
};

/// The layouts for a mix on one state of a cluster.
struct MixPlan {
  RepartitionAnswer answer;    ///< without moves
  MixCost cost;                ///< with those that pods have to make first
  std::vector<PodId> leaving;  ///< these, each once; the answer holds when they are gone and took room nowhere else
};

/// Looks for the layouts that serve a mix best, on one state of a cluster after another.
class MixGpus {
 public:
  /// No two entries are for one profile of a board.
  MixGpus(const ClusterShape& shape, std::vector<MixEntry> mix) : shape_(shape), mix_(std::move(mix)) {}

  /// `movable`, by PodId: whether it may leave what it holds; empty: none may. With some, the plan is one that no real
  /// moves can beat, as it does not ask where the pods go.
  [[nodiscard]] MixPlan best(const ClusterUsage& usage, const std::vector<bool>& movable = {});

  /// Whether an instance of this profile of a board is wanted.
  [[nodiscard]] bool wants(std::uint16_t mig_board, mig::ProfileIndex profile) const;
  /// Table entries that `best` looked at so far: a measure of its time.
  [[nodiscard]] std::int64_t work() const { return work_; }

 private:
  /// Instances that go together when one pod, or all pods of a GPU outside MIG mode, go.
  struct Hold {
    std::int32_t moves = 0;  ///< in kMoveCost
    std::vector<mig::Instance> instances;
  };
  /// What is the same for all GPUs that can be changed in the same ways.
  struct Kind {
    std::uint16_t mig_board = 0;
    std::vector<mig::Instance> busy, free;  ///< busy ones that stay
    std::vector<Hold> holds;                ///< that may go
    bool enable_mig = false;
  };
  /// What one GPU of a kind can become.
  struct Ways {
    std::vector<mig::Offer> offers;
    std::vector<std::int32_t> moves;     ///< by offer
    std::vector<std::uint32_t> leaving;  ///< by offer, bit i: hold i goes
  };
  struct Place {
    NodeId node;
    std::uint16_t gpu = 0;
    std::vector<std::vector<PodId>> holders;  ///< by hold
  };
  using Key = std::tuple<std::uint16_t, bool, std::vector<std::int32_t>>;
  struct Group {
    const Ways* ways;
    Kind kind;
    std::vector<Place> places;
  };

  [[nodiscard]] static Key key_of(const Kind& kind);
  [[nodiscard]] std::vector<Group> collect(const ClusterUsage& usage, const std::vector<bool>& movable);
  [[nodiscard]] bool describe_gpu(const ClusterUsage& usage, const std::vector<bool>& movable, Place& place,
                                  Kind& kind) const;
  [[nodiscard]] static bool describe_whole(const ClusterUsage& usage, const std::vector<bool>& movable, Place& place,
                                           Kind& kind);
  [[nodiscard]] Ways ways_of(const Kind& kind) const;
  [[nodiscard]] std::vector<mig::Offer> offers_of(const Kind& kind, std::uint32_t leaving) const;
  [[nodiscard]] std::int64_t slices_of(std::string_view profile) const;
  static void add_gpus(const Group& group, std::span<const std::size_t> choices, MixPlan& plan);

  const ClusterShape& shape_;
  std::vector<MixEntry> mix_;
  std::map<Key, Ways> ways_;
  std::int64_t work_ = 0;
};

}  // namespace gpusched::whatif
