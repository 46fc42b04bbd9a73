#include "gpusched/cel/device.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <utility>

#include "cel/device_data.hpp"
#include "cel/semver.hpp"

namespace gpusched::cel {

std::uint64_t name_hash(std::string_view domain, std::string_view name) {
  const std::hash<std::string_view> hash;
  const std::uint64_t a = hash(domain);
  return (hash(name) ^ std::rotl(a, 31)) * 0x9E3779B97F4A7C15ULL;
}

void NameTable::build(std::vector<Entry> entries) {
  entries_ = std::move(entries);
  slots_.clear();
  if (entries_.empty()) return;
  slots_.assign(std::bit_ceil(entries_.size() * 2 + 1), 0);
  mask_ = slots_.size() - 1;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t slot = entries_[i].hash & mask_;
    while (slots_[slot] != 0) slot = (slot + 1) & mask_;
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

namespace {

using detail::DeviceData;

/// The value of an attribute; an error says why there is none.
class AttributeReader {
 public:
  explicit AttributeReader(Heap& heap) : heap_(heap) {}

  Value operator()(std::monostate) { return Value::error("unsupported attribute value"); }
  Value operator()(std::int64_t value) { return Value::of_int(value); }
  Value operator()(bool value) { return Value::boolean(value); }
  Value operator()(std::string_view value) { return heap_.string(value); }
  Value operator()(const VersionText& version) {
    const auto parsed = parse_semver(heap_.keep(version.text));
    if (!parsed) return heap_.error("parse semantic version: " + parsed.error());
    Value value;
    value.kind = Kind::kSemver;
    value.semver = heap_.make(*parsed);
    return value;
  }
  Value operator()(const VersionTexts& versions) {
    return list(versions.texts, [](std::string_view t) { return VersionText{t}; });
  }
  Value operator()(std::span<const std::int64_t> values) { return list(values, std::identity{}); }
  Value operator()(const std::vector<bool>& values) {
    return list(values, [](bool value) { return value; });
  }
  Value operator()(std::span<const std::string_view> values) { return list(values, std::identity{}); }

 private:
  template <class Values, class Project>
  Value list(const Values& values, Project project) {
    auto* items = heap_.array<Value>(values.size());
    std::size_t i = 0;
    for (const auto& value : values) {
      items[i] = (*this)(project(value));
      if (items[i].is_error()) return items[i];
      ++i;
    }
    return Value::list({items, values.size()});
  }

  Heap& heap_;
};

/// Splits at the first slash; without one the driver is the domain.
std::pair<std::string_view, std::string_view> split_name(std::string_view name, std::string_view driver) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return {driver, name};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

Value domains_map(Heap& heap, const std::vector<NameTable::Entry>& entries, const MapValue* empty) {
  MapValue outer;
  std::vector<std::pair<std::string_view, MapValue*>> inner;
  for (const NameTable::Entry& entry : entries) {
    auto found = std::ranges::find(inner, entry.domain, &std::pair<std::string_view, MapValue*>::first);
    if (found == inner.end()) {
      found = inner.insert(found, {entry.domain, heap.make(MapValue())});
      put(heap, outer, Value::string(entry.domain), Value::of_map(found->second));
    }
    put(heap, *found->second, Value::string(entry.name), entry.value);
  }
  for (const auto& [domain, names] : inner) names->strings_only = true;
  outer.strings_only = true;
  outer.fallback = empty;
  return Value::of_map(heap.make(outer));
}

/// The last of several with the same domain and name stays.
void add_entry(std::vector<NameTable::Entry>& entries, Heap& heap, std::string_view name, std::string_view driver,
               const Value& value) {
  const auto [domain, id] = split_name(name, driver);
  const auto same = std::ranges::find_if(
      entries, [&](const NameTable::Entry& entry) { return entry.domain == domain && entry.name == id; });
  if (same != entries.end()) {
    same->value = value;
    return;
  }
  entries.push_back({name_hash(domain, id), heap.keep(domain), heap.keep(id), value});
}

void fill(DeviceData& data, std::string_view driver, bool allow, std::span<const NamedAttribute> attributes,
          std::span<const NamedCapacity> capacities) {
  Heap& heap = data.heap;
  data.driver = heap.string(driver);
  data.allow_multiple_allocations = Value::boolean(allow);
  std::vector<NameTable::Entry> entries;
  std::optional<std::string_view> bad;
  for (const NamedAttribute& attribute : attributes) {
    const Value value = std::visit(AttributeReader(heap), attribute.value);
    if (value.is_error()) {
      if (bad && *bad <= attribute.name) continue;
      bad = attribute.name;
      data.error = "attribute " + std::string(attribute.name) + ": " + std::string(value.view());
    } else {
      add_entry(entries, heap, attribute.name, driver, value);
    }
  }
  const MapValue* empty = heap.make(MapValue());
  data.attribute_map = domains_map(heap, entries, empty);
  data.attributes.build(std::move(entries));
  entries.clear();
  for (const NamedCapacity& capacity : capacities) {
    add_entry(entries, heap, capacity.name, driver, heap.quantity(capacity.value, false));
  }
  data.capacity_map = domains_map(heap, entries, empty);
  data.capacities.build(std::move(entries));
  MapValue device;
  device.strings_only = true;
  put(heap, device, Value::string("driver"), data.driver);
  put(heap, device, Value::string("allowMultipleAllocations"), data.allow_multiple_allocations);
  put(heap, device, Value::string("attributes"), data.attribute_map);
  put(heap, device, Value::string("capacity"), data.capacity_map);
  data.map = Value::of_map(heap.make(device));
}

}  // namespace

Device::Device(std::string_view driver, bool allow_multiple_allocations, std::span<const NamedAttribute> attributes,
               std::span<const NamedCapacity> capacities)
    : data_(std::make_unique<DeviceData>()) {
  fill(*data_, driver, allow_multiple_allocations, attributes, capacities);
}
Device::~Device() = default;
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;

std::string_view Device::error() const {
  return data_->error;
}

}  // namespace gpusched::cel
