#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cel/device_data.hpp"
#include "cel/heap.hpp"
#include "cel/plan.hpp"
#include "gpusched/cel/program.hpp"

namespace gpusched::cel {

/// A comprehension's variable.
struct Slot {
  Value value;
  bool ready = false;    ///< the accumulator has been evaluated
  bool growing = false;  ///< it started empty and is extended in place
};

/// Patterns that are not constant, compiled when first met.
class RegexCache {
 public:
  RegexCache();
  ~RegexCache();
  RegexCache(const RegexCache&) = delete;
  RegexCache& operator=(const RegexCache&) = delete;

  /// The compiled pattern, or null and Go's message.
  const re2::RE2* get(std::string_view pattern, std::string& error);

 private:
  std::unordered_map<std::string, std::unique_ptr<re2::RE2>> compiled_;
};

/// One run of a plan.
class Evaluation {
 public:
  Evaluation(Heap& heap, RegexCache& regexes, std::span<Slot> slots, const detail::DeviceData* device,
             const ZoneTable* zones, std::uint64_t limit)
      : heap_(heap), regexes_(regexes), slots_(slots), device_(device), zones_(zones), limit_(limit) {}

  /// The value of a step, with its cost.
  Value eval(const Node& node);

  [[nodiscard]] Heap& heap() { return heap_; }
  [[nodiscard]] RegexCache& regexes() { return regexes_; }
  [[nodiscard]] const ZoneTable* zones() const { return zones_; }
  [[nodiscard]] Value error(std::string_view text) { return heap_.error(text); }

  /// Ends the evaluation: no operator absorbs this. For limits and where the original's program fails inside.
  Value stop(ErrorKind kind, std::string_view text);
  Value unhashable(const Value& key);
  [[nodiscard]] bool stopped() const { return stop_ != ErrorKind::kNone; }
  [[nodiscard]] ErrorKind stop_kind() const { return stop_; }
  [[nodiscard]] std::string_view stop_text() const { return stop_text_; }
  /// Whether so many bytes more may be held; if not the evaluation has been stopped.
  bool room_for(std::size_t bytes);
  /// What a call that is under way may still cost.
  [[nodiscard]] std::uint64_t remaining_cost() const { return limit_ - cost_; }
  Value stop_at_cost_limit(std::uint64_t call_cost);

  [[nodiscard]] std::uint64_t cost() const { return cost_; }

  /// Runs a call's implementation on arguments, without cost (for folding).
  Value call(const Node& node, std::span<const Value> args);

 private:
  Value resolve(const Node& node);
  Value resolve_root(const Node& node, std::size_t& next, bool& optional);
  const Value& attribute_map();
  const Value& capacity_map();
  const Value& device_map();
  Value device_name(const Node& node, const NameTable& table, std::size_t& next, bool& optional);
  Value accumulator(const Node& node);
  Value qualify(const Node& node, Value value, std::size_t next, bool optional);
  Value step(const Qualifier& qualifier, const Value& value, const Value& key, bool optional, bool& present);
  Value key_of(const Qualifier& qualifier, bool& bad);

  Value conditional_test(const Node& node);
  Value conjunction(const Node& node, bool neutral);
  Value equality(const Node& node);
  Value evaluated_call(const Node& node);
  Value trait_error(const Node& node, const Value& first);
  Value guard_error(const Node& node, std::span<const Value> args);
  Value member(const Node& node);
  Value list(const Node& node);
  Value map(const Node& node);
  Value message(const Node& node);
  Value fold(const Node& node);
  Value fold_range(const Node& node, const Value& range);
  bool fold_round(const Node& node);
  Value fold_result(const Node& node);
  Value optional_or(const Node& node, bool value);
  bool take_optional(Value& value, bool& absent);

  Value call_cost(const Node& node, std::span<const Value> args, const Value& result);
  void spend(std::uint64_t cost) {
    if (stop_ != ErrorKind::kNone) return;
    cost_ += cost;
    if (cost_ > limit_) over_limit();
  }
  /// Steps of cost 1: the limit is met at the first that is too much.
  void spend_steps(std::uint64_t count) {
    if (stop_ != ErrorKind::kNone) return;
    cost_ += count;
    if (cost_ > limit_) {
      cost_ = limit_ + 1;
      over_limit();
    }
  }
  void over_limit();

  Heap& heap_;
  RegexCache& regexes_;
  std::span<Slot> slots_;
  const detail::DeviceData* device_;
  Value attribute_map_, capacity_map_, device_map_;  // null until they are asked for
  const ZoneTable* zones_;
  std::uint64_t limit_;
  std::uint64_t cost_ = 0;
  ErrorKind stop_ = ErrorKind::kNone;
  std::string_view stop_text_;
};

/// A message literal: google.protobuf's wrappers and the like become plain values.
[[nodiscard]] Value make_message(Evaluation& evaluation, std::string_view type, std::span<const std::string> fields,
                                 std::span<const Value> values);

/// The operator + of two values.
[[nodiscard]] Value add_values(Evaluation& evaluation, const Value& a, const Value& b);

/// "no such overload: f(int, string)"
[[nodiscard]] Value no_overload_error(Heap& heap, std::string_view function, std::span<const Value> args);

}  // namespace gpusched::cel
