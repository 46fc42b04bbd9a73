#pragma once

#include <cstdint>
#include <vector>

#include "gpusched/gang/simulate.hpp"

namespace gpusched::gang {

/// Writes down where every pod was from when to when. Tries that were taken back at the same time leave no trace.
class StayLog {
 public:
  /// Without room for pods nothing is written.
  void resize(std::size_t pods) { open_.resize(pods); }
  [[nodiscard]] bool on() const { return !open_.empty(); }

  /// The pod has a place since now; `runs`: its job runs already.
  void placed(PodId pod, std::int64_t now, bool runs) { open_[pod.index()] = {now, runs}; }
  /// The pod's stay so far as `stay`, which says whose it is and where; the next one begins, running or not.
  void ends(PodId pod, Stay stay, std::int64_t now, bool runs_on) {
    Open& open = open_[pod.index()];
    stay.from_ms = open.from_ms;
    stay.until_ms = now;
    stay.runs = open.runs;
    if (stay.from_ms < now || stay.open) {
      stays_.push_back(std::move(stay));
    }
    open = {now, runs_on};
  }

  [[nodiscard]] std::vector<Stay>& stays() { return stays_; }

 private:
  struct Open {
    std::int64_t from_ms = 0;
    bool runs = false;
  };
  std::vector<Open> open_;  // by PodId
  std::vector<Stay> stays_;
};

}  // namespace gpusched::gang
