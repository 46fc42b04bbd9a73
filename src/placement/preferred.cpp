#include "placement/preferred.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace gpusched::placement {

namespace {

using Mask = std::uint32_t;

/// Splits sets of GPUs, given as masks of positions, into sets of one size; the last one may be smaller. Every mask is
/// worked out once, where the plugin walks all splits.
class Splitter {
 public:
  Splitter(std::span<const std::uint16_t> gpus, Mask required, int size, const PairScore& score)
      : required_(required), size_(size), count_(static_cast<int>(gpus.size())) {
    scores_.resize(gpus.size() * gpus.size());
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      for (std::size_t j = 0; j < gpus.size(); ++j) {
        scores_[i * gpus.size() + j] = i == j ? 0 : score(gpus[i], gpus[j]);
      }
    }
  }

  /// The best set that holds the required GPUs, of the best split.
  Mask run() {
    Mask rest = (Mask{1} << count_) - 1;
    bool padded = count_ % size_ == 0;
    bool found = required_ == 0;
    Mask best = 0;
    int best_score = -1;
    while (rest != 0) {
      const Split& split = best_split(rest, padded, found);
      if (!split.possible) return 0;
      const bool whole = std::popcount(split.first) == size_;
      padded = padded || !whole;
      found = found || (whole && holds_required(split.first));
      if (const int own = set_score(split.first); holds_required(split.first) && own > best_score) {
        best = split.first;
        best_score = own;
      }
      rest &= ~split.first;
    }
    return best;
  }

 private:
  struct Split {
    bool possible = false;
    int score = 0;
    Mask first = 0;  // the set with the lowest GPU of the rest
  };

  bool holds_required(Mask set) const { return (set & required_) == required_; }

  int set_score(Mask set) const {
    int score = 0;
    for (Mask a = set; a != 0; a &= a - 1) {
      for (Mask b = a & (a - 1); b != 0; b &= b - 1) {
        score += scores_[static_cast<std::size_t>(std::countr_zero(a) * count_ + std::countr_zero(b))];
      }
    }
    return score;
  }

  // `padded`: the smaller set is out already; `found`: so is a whole set with the required GPUs.
  const Split& best_split(Mask rest, bool padded, bool found) {
    const std::uint64_t key = std::uint64_t{rest} << 2 | (padded ? 2U : 0U) | (found ? 1U : 0U);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    Split best;
    if (rest == 0) {
      best.possible = found;
    } else {
      const Mask lowest = rest & (~rest + 1);
      extend(lowest, rest & ~lowest, rest, padded, found, best);
    }
    return known_.emplace(key, best).first->second;
  }

  /// Every set that starts with `set` and goes on with GPUs of `from`, in the plugin's order: the smaller set comes
  /// where blanks behind all GPUs would put it.
  void extend(Mask set, Mask from, Mask rest, bool padded, bool found, Split& best) {
    const int taken = std::popcount(set);
    for (; taken < size_ && from != 0; from &= from - 1) {
      const Mask next = from & (~from + 1);
      extend(set | next, from & ~next, rest, padded, found, best);
    }
    const bool whole = taken == size_;
    if (!whole && (padded || taken != count_ % size_)) return;
    const Split& tail = best_split(rest & ~set, padded || !whole, found || (whole && holds_required(set)));
    const int score = set_score(set) + tail.score;
    if (tail.possible && (!best.possible || score > best.score)) best = {true, score, set};
  }

  Mask required_;
  int size_;
  int count_;
  std::vector<int> scores_;
  std::unordered_map<std::uint64_t, Split> known_;
};

/// GPU by GPU, each time the one that is best connected with those that are taken.
std::vector<std::uint16_t> greedy_choice(std::span<const std::uint16_t> available,
                                         std::span<const std::uint16_t> required, std::size_t size,
                                         const PairScore& score) {
  std::vector<std::uint16_t> chosen(required.begin(), required.end());
  while (chosen.size() < size) {
    std::uint16_t best = 0;
    int best_score = -1;
    for (const std::uint16_t gpu : available) {
      if (std::ranges::find(chosen, gpu) != chosen.end()) continue;
      int own = 0;
      for (const std::uint16_t other : chosen) own += score(gpu, other);
      if (own > best_score) {
        best = gpu;
        best_score = own;
      }
    }
    chosen.push_back(best);
  }
  return chosen;
}

}  // namespace

std::vector<std::uint16_t> aligned_choice(std::span<const std::uint16_t> available,
                                          std::span<const std::uint16_t> required, std::size_t size,
                                          const PairScore& score) {
  if (size == 0 || available.size() < size || required.size() > size) return {};
  if (size == 1 && required.empty()) return {available.front()};
  if (available.size() > kMostAligned) return greedy_choice(available, required, size, score);
  Mask wanted = 0;
  for (const std::uint16_t gpu : required) {
    const auto place = std::ranges::find(available, gpu);
    if (place == available.end()) return {};
    wanted |= Mask{1} << (place - available.begin());
  }
  std::vector<std::uint16_t> chosen;
  for (Mask set = Splitter(available, wanted, static_cast<int>(size), score).run(); set != 0; set &= set - 1) {
    chosen.push_back(available[static_cast<std::size_t>(std::countr_zero(set))]);
  }
  return chosen;
}

}  // namespace gpusched::placement
