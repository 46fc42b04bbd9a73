#include "gpusched/cel/device.hpp"

#include <functional>
#include <string>

#include "cel/device_data.hpp"
#include "cel/semver.hpp"

namespace gpusched::cel {

Value NameTable::as_map(Heap& heap) const {
  static constexpr MapValue kEmpty;
  MapValue outer;
  for (const Entry& entry : entries_) {
    const Value domain = Value::string(entry.name.domain);
    const Value* known = find_own(outer, domain);
    MapValue* names = known != nullptr ? const_cast<MapValue*>(known->map) : nullptr;  // made here
    if (names == nullptr) {
      names = heap.make(MapValue());
      names->strings_only = true;
      put(heap, outer, domain, Value::of_map(names));
    }
    put(heap, *names, Value::string(entry.name.name), entry.value);
  }
  outer.strings_only = true;
  outer.fallback = &kEmpty;
  return Value::of_map(heap.make(outer));
}

namespace {

/// The value of an attribute; an error says why there is none.
class AttributeReader {
 public:
  explicit AttributeReader(Heap& heap) : heap_(heap) {}

  Value operator()(std::monostate) { return Value::error("unsupported attribute value"); }
  Value operator()(std::int64_t value) { return Value::of_int(value); }
  Value operator()(bool value) { return Value::boolean(value); }
  Value operator()(std::string_view value) { return Value::string(value); }
  Value operator()(const VersionText& version) {
    const auto parsed = parse_semver(version.text);
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
  Value operator()(const std::vector<bool>* values) {
    return list(*values, [](bool value) { return value; });
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

}  // namespace

QualifiedName qualified(std::string_view published, std::string_view driver) {
  const std::size_t slash = published.find('/');
  if (slash == std::string_view::npos) return {driver, published};
  return {published.substr(0, slash), published.substr(slash + 1)};
}

bool is_version(std::string_view text) {
  return parse_semver(text).has_value();
}

Device::Device(std::string_view driver, bool allow_multiple_allocations)
    : data_(std::make_unique<detail::DeviceData>()) {
  reset(driver, allow_multiple_allocations);
}
Device::~Device() = default;
Device::Device(Device&&) noexcept = default;
Device& Device::operator=(Device&&) noexcept = default;

void Device::reset(std::string_view driver, bool allow_multiple_allocations) {
  data_->heap.reset();
  data_->error.clear();
  data_->bad_attribute = {};
  data_->driver = driver;
  data_->allow_multiple_allocations = allow_multiple_allocations;
  data_->attributes.clear();
  data_->capacities.clear();
}

void Device::add_attribute(const QualifiedName& name, const AttributeInput& input, std::string_view published) {
  const Value value = std::visit(AttributeReader(data_->heap), input);
  if (!value.is_error()) {
    data_->attributes.add(name, value);
    return;
  }
  if (!data_->error.empty() && data_->bad_attribute <= published) return;
  data_->bad_attribute = published;
  data_->error = "attribute " + std::string(published) + ": " + std::string(value.view());
}

void Device::add_text(const QualifiedName& name, std::string_view text) {
  data_->attributes.add(name, Value::string(text));
}

void Device::add_capacity(const QualifiedName& name, const Quantity& amount) {
  data_->capacities.add(name, Value::of_quantity(&amount));
}

std::string_view Device::error() const {
  return data_->error;
}

std::string_view Device::driver() const {
  return data_->driver;
}

}  // namespace gpusched::cel
