#include <string>

#include <fmt/format.h>

#include "cel/evaluation.hpp"
#include "cel/numbers.hpp"

namespace gpusched::cel {

Value Evaluation::resolve(const Node& node) {
  if (node.op == Op::kConditional) {
    const Value condition = eval(*node.args[0]);
    if (condition.is_true()) return resolve(*node.args[1]);
    if (condition.is_false()) return resolve(*node.args[2]);
    return condition.is_error() ? condition : no_such_overload();
  }
  std::size_t next = 0;
  bool optional = false;
  const Value value = resolve_root(node, next, optional);
  const std::size_t end = node.qualifiers.size();
  if (value.is_error() || next > end || (next == end && !optional && !value.is(Kind::kOptional))) return value;
  return qualify(node, value, next, optional);
}

/// The value that the qualifiers from `next` on are applied to; behind their end it is the whole attribute's value.
Value Evaluation::resolve_root(const Node& node, std::size_t& next, bool& optional) {
  next = node.root_steps;
  switch (node.root) {
    case Root::kValue:
      return eval(*node.base);
    case Root::kDevice:
      return device_map();
    case Root::kDriver:
      spend_steps(1);
      return Value::string(device_->driver);
    case Root::kAllow:
      spend_steps(1);
      return Value::boolean(device_->allow_multiple_allocations);
    case Root::kAttributes:
      spend_steps(1);
      return attribute_map();
    case Root::kCapacities:
      spend_steps(1);
      return capacity_map();
    case Root::kAttribute:
      return device_name(node, device_->attributes, next, optional);
    case Root::kCapacity:
      return device_name(node, device_->capacities, next, optional);
    case Root::kAccumulator:
      return accumulator(node);
    case Root::kVariable:
      return slots_[node.slot].value;
  }
  return no_such_overload();
}

// Few expressions want maps: those that do make them once an evaluation.
const Value& Evaluation::attribute_map() {
  if (!attribute_map_.is(Kind::kMap)) attribute_map_ = device_->attributes.as_map(heap_);
  return attribute_map_;
}

const Value& Evaluation::capacity_map() {
  if (!capacity_map_.is(Kind::kMap)) capacity_map_ = device_->capacities.as_map(heap_);
  return capacity_map_;
}

/// The variable itself.
const Value& Evaluation::device_map() {
  if (device_map_.is(Kind::kMap)) return device_map_;
  MapValue device;
  device.strings_only = true;
  put(heap_, device, Value::string("driver"), Value::string(device_->driver));
  put(heap_, device, Value::string("allowMultipleAllocations"), Value::boolean(device_->allow_multiple_allocations));
  put(heap_, device, Value::string("attributes"), attribute_map());
  put(heap_, device, Value::string("capacity"), capacity_map());
  device_map_ = Value::of_map(heap_.make(device));
  return device_map_;
}

/// device.attributes["domain"].name: one look-up for three steps.
Value Evaluation::device_name(const Node& node, const NameTable& table, std::size_t& next, bool& optional) {
  const Value* found = table.find(node.domain, node.id);
  const Qualifier& last = node.qualifiers[2];
  if (last.optional) {
    spend_steps(found == nullptr ? 2 : 3);
    if (found == nullptr) {
      next = node.qualifiers.size() + 1;
      return Value::optional(nullptr);
    }
    optional = true;
    return *found;
  }
  spend_steps(3);
  if (last.presence_test) return Value::boolean(found != nullptr);
  return found != nullptr ? *found : error("no such key: " + std::string(node.id));
}

/// The accumulator is evaluated when it is used for the first time.
Value Evaluation::accumulator(const Node& node) {
  Slot& slot = slots_[node.slot];
  if (slot.ready) return slot.value;
  slot.ready = true;
  Value init = eval(*node.init);
  if (init.is(Kind::kList) && items_of(init).empty()) {
    init = Value::list({});
    init.mutable_list = true;
    init.growing = heap_.make(MutableList());
    slot.growing = true;
  } else if (init.is(Kind::kMap) && init.map->size == 0) {
    auto* map = heap_.make(MapValue());
    map->growing = true;
    init = Value::of_map(map);
    slot.growing = true;
  }
  slot.value = init;
  return init;
}

Value Evaluation::key_of(const Qualifier& qualifier, bool& bad) {
  const Value key = qualifier.key_is_attribute ? resolve(*qualifier.index) : eval(*qualifier.index);
  bad = true;
  switch (key.kind) {
    case Kind::kString:
    case Kind::kInt:
    case Kind::kUint:
    case Kind::kDouble:
    case Kind::kBool:
      bad = false;
      return key;
    case Kind::kError:
      return key;
    default:
      return error(fmt::format("invalid qualifier type: {}", go_type_name(key)));
  }
}

Value Evaluation::qualify(const Node& node, Value value, std::size_t next, bool optional) {
  if (value.is(Kind::kOptional)) {
    if (value.items == nullptr) return value;
    value = *value.items;
    optional = true;
  }
  for (; next < node.qualifiers.size(); ++next) {
    const Qualifier& qualifier = node.qualifiers[next];
    optional = optional || qualifier.optional;
    bool bad = false;
    const Value key = qualifier.constant ? qualifier.key : key_of(qualifier, bad);
    if (stopped()) return key;
    bool present = true;
    const Value found = bad ? key : step(qualifier, value, key, optional, present);
    const bool counts = optional ? present && !found.is_error() : true;
    if (counts) spend_steps(1);
    if (found.is_error()) return found;
    if (!present) return Value::optional(nullptr);
    value = found;
  }
  return optional ? heap_.optional(value) : value;
}

namespace {

/// The index of a list element; nothing when the key is no whole number in range of int.
std::optional<std::int64_t> list_index(const Value& key) {
  switch (key.kind) {
    case Kind::kInt:
      return key.integer;
    case Kind::kUint:
      return key.integer < 0 ? std::nullopt : std::optional(key.integer);
    case Kind::kDouble:
      return exact_int(key.real);
    default:
      return std::nullopt;
  }
}

}  // namespace

/// value[key]. With `optional` what is not there makes present false instead of an error; has() gives true or false.
Value Evaluation::step(const Qualifier& qualifier, const Value& value, const Value& key, bool optional, bool& present) {
  const bool test = qualifier.presence_test && !optional;
  const auto absent = [&](std::string_view message) {
    if (test) return Value::boolean(false);
    present = !optional;
    return optional ? Value() : error(fmt::format("{}: {}", message, go_text(key)));
  };
  switch (value.kind) {
    case Kind::kError:
      return value;
    case Kind::kMap: {
      if (!can_look_up(*value.map, key)) return unhashable(key);
      const auto found = find(*value.map, key);
      if (!found) return absent("no such key");
      return test ? Value::boolean(true) : *found;
    }
    case Kind::kList: {
      if (!is_number(key)) return error(fmt::format("unsupported index type '{}' in list", type_name(key)));
      const auto index = list_index(key);
      if (!index) return error(fmt::format("unsupported index value {} in list", go_text(key)));
      const auto items = items_of(value);
      if (*index < 0 || *index >= static_cast<std::int64_t>(items.size())) return absent("index out of bounds");
      return test ? Value::boolean(true) : items[static_cast<std::size_t>(*index)];
    }
    case Kind::kEmpty:
      if (!key.is(Kind::kString)) return no_such_overload();
      return error(fmt::format("no such field '{}'", key.view()));
    default:
      return absent("no such key");
  }
}

}  // namespace gpusched::cel
