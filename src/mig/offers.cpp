#include "gpusched/mig/offers.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace gpusched::mig {

namespace {

using Counts = std::vector<std::uint8_t>;

/// Walks the memory axis from left to right beside the busy instances, so that each layout comes up once.
class OfferWalk {
 public:
  OfferWalk(const Board& board, std::span<const Instance> busy, std::span<const Instance> free,
            std::span<const ProfileIndex> wanted)
      : board_(board), busy_(busy), free_(free), wanted_(wanted) {}

  std::map<Counts, Offer> run() {
    walk(0, Occupancy(board_, busy_));
    return std::move(best_);
  }

 private:
  void walk(std::uint8_t slice, const Occupancy& occupancy) {
    if (slice >= board_.memory_slices) {
      note();
      return;
    }
    const auto take = [&](Instance instance) {
      if (!occupancy.fits(instance)) {
        return;
      }
      Occupancy next = occupancy;
      next.add(instance);
      current_.push_back(instance);
      walk(
          static_cast<std::uint8_t>(slice + std::max<std::uint8_t>(board_.profiles[instance.profile].memory_slices, 1)),
          next);
      current_.pop_back();
    };
    for (const Instance& instance : free_) {
      if (instance.start == slice) {
        take(instance);
      }
    }
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const Instance instance{wanted_[i], slice};
      const bool known = std::ranges::find(free_, instance) != free_.end() ||
                         std::ranges::find(wanted_.first(i), wanted_[i]) != wanted_.first(i).end();
      if (!known) {
        take(instance);
      }
    }
    walk(static_cast<std::uint8_t>(slice + 1), occupancy);
  }

  void note() {
    Offer offer;
    for (const ProfileIndex profile : wanted_) {
      offer.counts.push_back(static_cast<std::uint8_t>(std::ranges::count(current_, profile, &Instance::profile)));
    }
    const auto kept = static_cast<std::size_t>(std::ranges::count_if(
        current_, [&](const Instance& instance) { return std::ranges::find(free_, instance) != free_.end(); }));
    offer.destroyed = static_cast<std::uint8_t>(free_.size() - kept);
    offer.created = static_cast<std::uint8_t>(current_.size() - kept);
    const auto found = best_.find(offer.counts);
    // The first layout of equals has the lowest starts.
    if (found == best_.end() ||
        std::tie(offer.destroyed, offer.created) < std::tie(found->second.destroyed, found->second.created)) {
      offer.layout = current_;
      offer.layout.insert(offer.layout.end(), busy_.begin(), busy_.end());
      std::ranges::sort(offer.layout, {}, &Instance::start);
      best_[offer.counts] = std::move(offer);
    }
  }

  const Board& board_;
  std::span<const Instance> busy_, free_;
  std::span<const ProfileIndex> wanted_;
  Layout current_;
  std::map<Counts, Offer> best_;
};

bool changed(const Offer& offer) {
  return offer.destroyed + offer.created > 0;
}

/// Whether `a` offers as much as `b` at no higher price.
bool beats(const Offer& a, const Offer& b) {
  return std::ranges::equal(a.counts, b.counts, std::ranges::greater_equal()) && changed(a) <= changed(b) &&
         a.destroyed <= b.destroyed && a.created <= b.created && a.counts != b.counts;
}

}  // namespace

std::vector<Offer> offers(const Board& board, std::span<const Instance> busy, std::span<const Instance> free,
                          std::span<const ProfileIndex> wanted) {
  if (!board.starts_known) {
    return {};
  }
  Offer present;
  for (const ProfileIndex profile : wanted) {
    present.counts.push_back(static_cast<std::uint8_t>(std::ranges::count(free, profile, &Instance::profile)));
  }
  present.layout.assign(busy.begin(), busy.end());
  present.layout.insert(present.layout.end(), free.begin(), free.end());
  std::ranges::sort(present.layout, {}, &Instance::start);
  std::vector<Offer> result{present};
  std::map<Counts, Offer> all = OfferWalk(board, busy, free, wanted).run();
  for (const auto& [counts, offer] : all) {
    const bool beaten = std::ranges::equal(present.counts, counts, std::ranges::greater_equal()) ||
                        std::ranges::any_of(all, [&](const auto& other) { return beats(other.second, offer); });
    if (!beaten) {
      result.push_back(offer);
    }
  }
  return result;
}

}  // namespace gpusched::mig
