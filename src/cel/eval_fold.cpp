#include <fmt/format.h>

#include "cel/evaluation.hpp"

namespace gpusched::cel {

Value Evaluation::fold(const Node& node) {
  Slot& accumulator = slots_[node.slot];
  accumulator.ready = false;
  accumulator.growing = false;
  const Value range = eval(*node.base);
  if (range.is_error()) return range;
  return fold_range(node, range);
}

Value Evaluation::fold_range(const Node& node, const Value& range) {
  if (range.is(Kind::kList)) {
    // The list may grow under the loop when it is an accumulator itself; the original sees the size at the start.
    const std::size_t count = items_of(range).size();
    for (std::size_t i = 0; i < count; ++i) {
      const Value item = items_of(range)[i];
      slots_[node.slot1].value = node.two_variables ? Value::of_int(static_cast<std::int64_t>(i)) : item;
      if (node.two_variables) slots_[node.slot2].value = item;
      if (!fold_round(node)) break;
    }
  } else if (range.is(Kind::kMap)) {
    const std::size_t count = range.map->size;
    for (std::size_t i = 0; i < count; ++i) {
      const MapEntry entry = range.map->entries[i];
      slots_[node.slot1].value = entry.key;
      if (node.two_variables) slots_[node.slot2].value = entry.value;
      if (!fold_round(node)) break;
    }
  } else if (node.two_variables) {
    return error(fmt::format("unsupported comprehension range type: {}", go_type_name(range)));
  } else {
    return error(fmt::format("got '{}', expected iterable type", go_type_name(range)));
  }
  if (stopped()) return Value::error(stop_text_);
  return fold_result(node);
}

/// One element; false ends the loop.
bool Evaluation::fold_round(const Node& node) {
  const Value condition = eval(*node.condition);
  if (stopped() || condition.is_false()) return false;
  const Value step = eval(*node.step);
  if (stopped()) return false;
  Slot& accumulator = slots_[node.slot];
  accumulator.value = step;
  accumulator.ready = true;
  return true;
}

Value Evaluation::fold_result(const Node& node) {
  Value result = eval(*node.result);
  if (!slots_[node.slot].growing) return result;
  if (result.is(Kind::kList) && result.mutable_list) {
    result = Value::list(items_of(result));
  } else if (result.is(Kind::kMap) && result.map->growing) {
    MapValue fixed = *result.map;
    fixed.growing = false;
    result = Value::of_map(heap_.make(fixed));
  }
  return result;
}

}  // namespace gpusched::cel
