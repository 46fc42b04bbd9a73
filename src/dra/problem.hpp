#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dra/amount.hpp"

namespace gpusched::dra {

/// One allocation question as integers: what the search can still observe after selectors, quantities and names have
/// been looked at. Devices are numbered in the order of the search; a leaf is a request with `exactly`, or one
/// subrequest, numbered in the order of claims, requests and subrequests.
struct Problem {
  static constexpr std::uint32_t kNone = 0xffff'ffffU;

  /// What is known from the start about a device for a leaf.
  enum class Status : std::uint8_t {
    kNever,     ///< not selectable, too small, tainted, or over-committed counters
    kPossible,  ///< unless in use, or counters, constraints or capacity say no during the search
    kError,     ///< a selector or capacity fails when the device is reached and not in use
  };

  // Values of a constraint on devices. Others are numbers from 0, equal for equal values.
  static constexpr std::int32_t kMissing = -1;     ///< never satisfies
  static constexpr std::int32_t kListValue = -2;   ///< a list where lists are not supported: passes only as the first
  static constexpr std::int32_t kValueError = -3;  ///< a derived attribute that fails when it is asked for

  struct CounterUse {
    std::uint32_t counter = 0;
    Amount amount = 0;
  };
  /// Groups of one consumption, for CompatibilityGroups.
  struct GroupUse {
    std::uint32_t counter_set = 0;
    std::vector<std::uint32_t> groups;  ///< sorted
  };

  struct Device {
    bool in_use = false;    ///< by an existing claim
    bool multiple = false;  ///< allows multiple allocations
    bool shared = false;    ///< existing claims hold shares
    std::uint32_t block = kNone;
    std::uint32_t position = 0;  ///< in its block
    std::uint32_t first_use = 0, use_count = 0;
    std::uint32_t first_capacity = 0, capacity_count = 0;  ///< of `multiple` devices
    std::vector<GroupUse> group_uses;
  };

  struct Check {
    std::uint32_t constraint = 0;
    std::uint32_t table = 0;  ///< of `values`
  };

  struct Leaf {
    std::uint32_t claim = 0, request = 0;
    std::uint32_t subrequest = kNone;
    std::uint32_t count = 0;
    bool all = false;
    bool admin = false;
    std::vector<Status> status;              ///< by device; empty for `all`
    std::vector<std::uint32_t> all_devices;  ///< of `all`
    std::vector<std::uint8_t> all_fails;     ///< by index: cannot be taken, found out before constraints
    std::vector<Check> checks;               ///< constraints that apply, in order
    std::vector<std::uint32_t> needs;        ///< by device: first amount in Problem::needs, or kNone
    std::uint32_t alike = 0;                 ///< leaves with the same number ask the same things
  };

  struct Request {
    std::uint32_t claim = 0;
    std::uint32_t first_leaf = 0, leaf_count = 0;
    bool has_subrequests = false;
  };

  struct Claim {
    std::uint32_t first_request = 0, request_count = 0;
  };

  struct Constraint {
    std::uint32_t claim = 0;
    bool distinct = false;
    bool sets = false;  ///< values are indices into `sets`
  };

  struct Block {
    std::vector<std::uint32_t> devices;   ///< by position
    std::vector<std::uint32_t> counters;  ///< local number -> counter
    std::uint64_t type = 0;               ///< equal for blocks of equal structure
    std::uint64_t content = 0;            ///< equal for blocks that nothing at all tells apart from the start
  };

  std::vector<Device> devices;
  std::vector<CounterUse> uses;
  std::vector<std::uint32_t> local_counter;  ///< by counter: its number in its block
  std::vector<Amount> counter_left;
  std::vector<Amount> capacity_left;
  std::vector<Amount> needs;
  std::vector<Block> blocks;

  std::vector<Claim> claims;
  std::vector<Request> requests;
  std::vector<Leaf> leaves;
  std::uint32_t leaf_classes = 0;

  std::vector<Constraint> constraints;
  std::vector<std::vector<std::int32_t>> values;  ///< tables: value by device
  std::int32_t value_count = 0;
  std::vector<std::vector<std::uint32_t>> sets;  ///< sorted elements
  std::uint32_t element_count = 0;

  bool any_admin = false;
  bool any_all = false;
  bool any_error = false;         ///< some device has Status::kError or kValueError
  bool limit_reachable = false;   ///< the limit of devices per claim can stop the search
  bool negative_amounts = false;  ///< devices may come back to life
  bool order_shows = false;       ///< constraints or groups depend on the order of takings
  bool groups = false;            ///< CompatibilityGroups matter
  bool permutations = false;      ///< the search of the stable implementation
  /// By counter set: groups of the devices that hold it already.
  struct GroupState {
    bool has_members = false;
    bool all_empty = false;
    std::vector<std::uint32_t> groups;

    bool operator==(const GroupState&) const = default;
  };
  std::vector<GroupState> group_states;

  [[nodiscard]] std::span<const CounterUse> uses_of(const Device& device) const {
    return std::span(uses).subspan(device.first_use, device.use_count);
  }
};

/// Whether devices of these groups may draw on a counter set in this state. Rule: CompatibilityGroups; devices with
/// and without groups do not go together.
[[nodiscard]] bool admits(const Problem::GroupState& state, std::span<const std::uint32_t> groups);
void add_members(Problem::GroupState& state, std::span<const std::uint32_t> groups);

/// resource.k8s.io AllocationResultsMaxSize.
inline constexpr std::uint32_t kMaxDevicesPerClaim = 32;

}  // namespace gpusched::dra
