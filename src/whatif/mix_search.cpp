#include "whatif/mix_search.hpp"

#include <algorithm>
#include <compare>
#include <limits>
#include <numeric>
#include <utility>

namespace gpusched::whatif {

namespace {

// Table entries (states times GPUs) up to which the search is exact.
constexpr std::int64_t kMaxTable = 4'000'000;
// Offers tried on them.
constexpr std::int64_t kMaxWork = 30'000'000;

/// A MixPrice of one state of the table.
struct Price {
  std::int32_t moves = std::numeric_limits<std::int32_t>::max();
  std::int32_t changed = 0;
  std::int32_t enabled = 0;
  std::int32_t destroyed = 0;
  std::int32_t created = 0;

  [[nodiscard]] bool possible() const { return moves != std::numeric_limits<std::int32_t>::max(); }
  auto operator<=>(const Price&) const = default;
};

/// How a state came about.
struct Step {
  std::uint32_t offer = 0;
  std::uint32_t before = 0;
};

class MixSearch {
 public:
  explicit MixSearch(const MixProblem& problem) : problem_(problem), before_(problem.wanted.size(), 0) {
    for (const MixGroup& group : problem_.groups) {
      if (group.offers.empty()) {
        continue;
      }
      for (std::size_t i = 0; i < before_.size(); ++i) {
        before_[i] += group.gpus * group.offers.front().counts[i];
      }
    }
  }

  MixSolution run() {
    MixSolution solution;
    solution.choices.resize(problem_.groups.size());
    solution.before = solution.after = before_;
    solution.optimal = exact(solution);
    if (!solution.optimal) {
      greedy(solution);
    }
    return solution;
  }

 private:
  /// A GPU whose layout may change; never more of a group than instances are wanted, as each has to serve one.
  struct Item {
    std::size_t group;
    const std::vector<mig::Offer>* offers;
  };

  [[nodiscard]] std::vector<Item> items() const {
    const std::int64_t wanted = std::accumulate(problem_.wanted.begin(), problem_.wanted.end(), std::int64_t{0});
    std::vector<Item> items;
    for (std::size_t g = 0; g < problem_.groups.size(); ++g) {
      const MixGroup& group = problem_.groups[g];
      for (std::int64_t i = 0; group.offers.size() > 1 && i < std::min(group.gpus, wanted); ++i) {
        items.push_back({g, &group.offers});
      }
    }
    return items;
  }

  /// A table over what is served of each profile, up to what is wanted: the lowest price for it after each GPU.
  bool exact(MixSolution& solution) const {
    const std::vector<Item> all = items();
    std::int64_t states = 1;
    for (const std::int64_t wanted : problem_.wanted) {
      states = wanted >= kMaxTable ? kMaxTable + 1 : states * (wanted + 1);
      if (states > kMaxTable) {
        return false;
      }
    }
    std::int64_t work = 0;
    for (const Item& item : all) {
      work += states * std::ssize(*item.offers);
    }
    if (states * (std::ssize(all) + 1) > kMaxTable || work > kMaxWork) {
      return false;
    }
    // What the GPUs that are no items keep free is there in any case.
    std::vector<std::int64_t> start = before_;
    for (const Item& item : all) {
      for (std::size_t i = 0; i < start.size(); ++i) {
        start[i] -= item.offers->front().counts[i];
      }
    }
    std::vector<Price> table(static_cast<std::size_t>(states));
    table[state_of(start)] = {0, 0, 0, 0, 0};
    std::vector<std::vector<Step>> from;  // by GPU and state: offer, state before
    for (const Item& item : all) {
      std::vector<Price> next(table.size());
      from.emplace_back(table.size());
      for (std::size_t state = 0; state < table.size(); ++state) {
        if (table[state].possible()) {
          take(item, state, table[state], next, from.back());
        }
      }
      table = std::move(next);
    }
    read_back(all, best_state(table), from, solution);
    return true;
  }

  void take(const Item& item, std::size_t state, Price price, std::vector<Price>& next, std::vector<Step>& from) const {
    for (std::size_t o = 0; o < item.offers->size(); ++o) {
      const mig::Offer& offer = (*item.offers)[o];
      const MixGroup& group = problem_.groups[item.group];
      const std::size_t to = state_after(state, offer.counts);
      const std::int32_t change = changes(group, o) ? 1 : 0;
      const Price sum{price.moves + group.moves_of(o), price.changed + change,
                      price.enabled + (group.enable_mig ? change : 0), price.destroyed + offer.destroyed,
                      price.created + offer.created};
      if (sum < next[to]) {
        next[to] = sum;
        from[to] = {static_cast<std::uint32_t>(o), static_cast<std::uint32_t>(state)};
      }
    }
  }

  [[nodiscard]] std::size_t state_of(const std::vector<std::int64_t>& served) const {
    std::size_t state = 0;
    for (std::size_t i = problem_.wanted.size(); i-- > 0;) {
      state = state * static_cast<std::size_t>(problem_.wanted[i] + 1) +
              static_cast<std::size_t>(std::min(served[i], problem_.wanted[i]));
    }
    return state;
  }

  [[nodiscard]] std::size_t state_after(std::size_t state, const std::vector<std::uint8_t>& counts) const {
    std::size_t result = 0;
    std::size_t factor = 1;
    for (std::size_t i = 0; i < problem_.wanted.size(); ++i) {
      const auto radix = static_cast<std::size_t>(problem_.wanted[i] + 1);
      result += std::min(state % radix + counts[i], radix - 1) * factor;
      state /= radix;
      factor *= radix;
    }
    return result;
  }

  [[nodiscard]] std::size_t best_state(const std::vector<Price>& table) const {
    std::size_t best = 0;
    std::pair<std::int64_t, std::int64_t> most{-1, -1};
    for (std::size_t state = 0; state < table.size(); ++state) {
      if (!table[state].possible()) {
        continue;
      }
      std::pair<std::int64_t, std::int64_t> served{0, 0};
      std::size_t rest = state;
      for (std::size_t i = 0; i < problem_.wanted.size(); ++i) {
        const auto radix = static_cast<std::size_t>(problem_.wanted[i] + 1);
        const auto count = static_cast<std::int64_t>(rest % radix);
        served.first += count;
        served.second += count * problem_.slices[i];
        rest /= radix;
      }
      if (served > most || (served == most && table[state] < table[best])) {
        most = served;
        best = state;
      }
    }
    return best;
  }

  void read_back(const std::vector<Item>& all, std::size_t state, const std::vector<std::vector<Step>>& from,
                 MixSolution& solution) const {
    for (std::size_t i = all.size(); i-- > 0;) {
      const auto& [offer, before] = from[i][state];
      choose(all[i].group, offer, solution);
      state = before;
    }
    // Which of equal GPUs changes is open: the first ones by name do.
    for (std::vector<std::size_t>& choices : solution.choices) {
      std::ranges::sort(choices, std::ranges::greater());
    }
  }

  /// Whether an offer is another layout; else pods only leave what there is.
  static bool changes(const MixGroup& group, std::size_t offer) {
    return offer > 0 && group.offers[offer].destroyed + group.offers[offer].created > 0;
  }

  void choose(std::size_t group, std::size_t offer, MixSolution& solution) const {
    const std::vector<mig::Offer>& offers = problem_.groups[group].offers;
    const std::int64_t change = changes(problem_.groups[group], offer) ? 1 : 0;
    solution.choices[group].push_back(offer);
    solution.price.moves += problem_.groups[group].moves_of(offer);
    solution.price.changed += change;
    solution.price.enabled += problem_.groups[group].enable_mig ? change : 0;
    solution.price.destroyed += offers[offer].destroyed;
    solution.price.created += offers[offer].created;
    for (std::size_t i = 0; i < solution.after.size(); ++i) {
      solution.after[i] += offers[offer].counts[i] - offers.front().counts[i];
    }
  }

  /// How often in a row a change is still the best one: as long as everything that it brings is wanted, it serves the
  /// same each time, and no other change serves more than before.
  [[nodiscard]] std::int64_t repeats(std::size_t group, std::size_t offer, const MixSolution& solution) const {
    const std::vector<mig::Offer>& offers = problem_.groups[group].offers;
    std::int64_t times = problem_.groups[group].gpus - std::ssize(solution.choices[group]);
    for (std::size_t i = 0; i < problem_.wanted.size(); ++i) {
      const std::int64_t more = offers[offer].counts[i] - offers.front().counts[i];
      if (more < 0) {
        return 1;
      }
      times = more > 0 ? std::min(times, (problem_.wanted[i] - solution.after[i]) / more) : times;
    }
    return std::max<std::int64_t>(times, 1);
  }

  /// Again and again the change of one GPU that serves the most; then the most slices, moving the fewest pods,
  /// destroying the fewest instances.
  void greedy(MixSolution& solution) const {
    for (;;) {
      struct Gain {
        std::int64_t served = 0, slices = 0;
        int unmoved = 0, in_mig_mode = 0, kept = 0, left_out = 0;
        auto operator<=>(const Gain&) const = default;
      } best;
      std::size_t best_group = 0;
      std::size_t best_offer = 0;
      for (std::size_t g = 0; g < problem_.groups.size(); ++g) {
        const MixGroup& group = problem_.groups[g];
        if (std::ssize(solution.choices[g]) >= group.gpus) {
          continue;
        }
        for (std::size_t o = 1; o < group.offers.size(); ++o) {
          Gain gain{
              0, 0, -group.moves_of(o), group.enable_mig ? 0 : 1, -group.offers[o].destroyed, -group.offers[o].created};
          for (std::size_t i = 0; i < problem_.wanted.size(); ++i) {
            const std::int64_t now = std::min(solution.after[i], problem_.wanted[i]);
            const std::int64_t then = std::min(
                solution.after[i] + group.offers[o].counts[i] - group.offers.front().counts[i], problem_.wanted[i]);
            gain.served += then - now;
            gain.slices += (then - now) * problem_.slices[i];
          }
          if (gain.served > 0 && gain > best) {
            best = gain;
            best_group = g;
            best_offer = o;
          }
        }
      }
      if (best.served == 0) {
        return;
      }
      for (std::int64_t times = repeats(best_group, best_offer, solution); times > 0; --times) {
        choose(best_group, best_offer, solution);
      }
    }
  }

  const MixProblem& problem_;
  std::vector<std::int64_t> before_;
};

}  // namespace

MixSolution solve_mix(const MixProblem& problem) {
  return MixSearch(problem).run();
}

}  // namespace gpusched::whatif
