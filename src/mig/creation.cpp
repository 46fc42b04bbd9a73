#include "gpusched/mig/creation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <tuple>
#include <utility>

namespace gpusched::mig {
namespace {

/// How many instances of each base profile fit, the largest profile first; what a start is judged by.
using Room = std::array<std::uint8_t, 16>;

Room room(const Board& board, const Occupancy& occupancy) {
  Room room{};
  std::size_t next = 0;
  for (std::size_t i = board.profiles.size(); i-- > 0;) {
    if (!board.profiles[i].base()) continue;
    const auto profile = static_cast<ProfileIndex>(i);
    Occupancy trial = occupancy;
    while (const auto start = trial.lowest_start(profile)) {
      trial.add({profile, *start});
      ++room[next];
    }
    ++next;
  }
  return room;
}

std::optional<std::uint8_t> roomiest_start(const Board& board, const Occupancy& occupancy, ProfileIndex profile) {
  std::optional<std::uint8_t> best;
  Room most{};
  if (profile >= board.profiles.size()) return best;
  for (std::uint32_t starts = board.profiles[profile].starts; starts != 0; starts &= starts - 1) {
    const Instance instance{profile, static_cast<std::uint8_t>(std::countr_zero(starts))};
    if (!occupancy.fits(instance)) continue;
    Occupancy next = occupancy;
    next.add(instance);
    const Room left = room(board, next);
    if (!best || left > most) {
      best = instance.start;
      most = left;
    }
  }
  return best;
}

std::optional<std::uint8_t> start_of(const Board& board, const Occupancy& occupancy, ProfileIndex profile,
                                     StartRule rule) {
  return rule == StartRule::kLowest ? occupancy.lowest_start(profile) : roomiest_start(board, occupancy, profile);
}

/// mig-parted's first try: most compute slices first, then the attributes backwards ("+me" before none).
std::vector<ProfileIndex> largest_first(const Board& board, std::span<const ProfileIndex> list) {
  std::vector<ProfileIndex> order(list.begin(), list.end());
  std::ranges::stable_sort(order, std::greater<>{}, [&](ProfileIndex i) {
    const Profile& profile = board.profiles[i];
    const std::size_t attributes = std::min(profile.name.find_first_of("+-"), profile.name.size());
    return std::tuple(profile.compute_slices, profile.name.substr(attributes), profile.memory_slices);
  });
  return order;
}

/// Walks the orders as mig-parted's recursion does, every different one once.
class OrderWalk {
 public:
  OrderWalk(const Board& board, std::vector<ProfileIndex> first, StartRule rule)
      : board_(board), order_(std::move(first)), rule_(rule) {}

  CreationOrders run() {
    walk(0);
    return std::move(result_);
  }

 private:
  void walk(std::size_t from) {
    if (from == order_.size()) {
      ++result_.orders;
      Creation creation = create_in_order(board_, order_, rule_);
      if (creation.stopped) return;
      if (++result_.working == 1) {
        result_.tries = result_.orders;
        result_.created = std::move(creation.created);
      }
      return;
    }
    for (std::size_t i = from; i < order_.size(); ++i) {
      const auto before = std::span(order_).subspan(from, i - from);
      if (std::ranges::find(before, order_[i]) != before.end()) continue;
      std::swap(order_[from], order_[i]);
      walk(from + 1);
      std::swap(order_[from], order_[i]);
    }
  }

  const Board& board_;
  std::vector<ProfileIndex> order_;
  StartRule rule_;
  CreationOrders result_;
};

}  // namespace

std::optional<std::uint8_t> choose_start(const Board& board, std::span<const Instance> existing, ProfileIndex profile,
                                         StartRule rule) {
  return start_of(board, Occupancy(board, existing), profile, rule);
}

Creation create_in_order(const Board& board, std::span<const ProfileIndex> list, StartRule rule) {
  Creation creation;
  Occupancy occupancy(board);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto start = start_of(board, occupancy, list[i], rule);
    if (!start) {
      creation.stopped = static_cast<std::uint8_t>(i);
      break;
    }
    creation.created.push_back({list[i], *start});
    occupancy.add(creation.created.back());
  }
  return creation;
}

CreationOrders creation_orders(const Board& board, std::span<const ProfileIndex> list, StartRule rule) {
  const bool known = std::ranges::all_of(list, [&](ProfileIndex i) { return i < board.profiles.size(); });
  if (!known || list.size() > kMaxInstancesPerGpu) return {};
  return OrderWalk(board, largest_first(board, list), rule).run();
}

}  // namespace gpusched::mig
