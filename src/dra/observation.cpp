#include "dra/observation.hpp"

#include <algorithm>
#include <utility>

#include "dra/cel_device.hpp"
#include "dra/content_hash.hpp"
#include "gpusched/base/short_text.hpp"

namespace gpusched::dra {

namespace {

constexpr std::uint64_t kSeed = 4, kNextName = 5;

/// Equal amounts may be written, and so printed, in different ways, which an expression can see.
void add_amount(ContentHash& hash, const Quantity& quantity) {
  hash.add(quantity.as_int64() ? 1U : 0U).add(quantity.to_string());
}

/// Published names are split at their first slash.
template <class Name>
std::vector<Name> names_of(const std::vector<cel::ObservedName>& observed) {
  std::vector<Name> names;
  for (const cel::ObservedName& name : observed) {
    const bool reachable = name.domain.find('/') == std::string::npos;
    Name& added = names.emplace_back();
    added.domain = name.domain;
    added.id = name.name;
    if (reachable) added.full_size = name.domain.size() + 1 + name.name.size();
  }
  return names;
}

// Most values are texts, which variants compare and copy slowly.
bool is_same(const objects::AttributeValue& a, const objects::AttributeValue& b) {
  const auto* const text = std::get_if<std::string>(&a);
  const auto* const other = std::get_if<std::string>(&b);
  return text != nullptr && other != nullptr ? same_text(*text, *other) : a == b;
}
bool is_same(const Quantity& a, const Quantity& b) {
  return a.is_same_as(b);
}

void copy(const objects::AttributeValue& value, objects::AttributeValue& to) {
  const auto* const text = std::get_if<std::string>(&value);
  auto* const old = std::get_if<std::string>(&to);
  if (text != nullptr && old != nullptr) {
    old->assign(*text);
  } else {
    to = value;
  }
}
void copy(const Quantity& value, Quantity& to) {
  to = value;
}

/// Keeps the value, if there is one; true: it is the same as the one that was kept before.
template <class Value>
bool same_as_kept(const Value* value, std::optional<Value>& kept) {
  if (value == nullptr || !kept) {
    const bool same = value == nullptr && !kept;
    kept = value == nullptr ? std::nullopt : std::optional(*value);
    return same;
  }
  if (is_same(*value, *kept)) return true;
  copy(*value, *kept);
  return false;
}

}  // namespace

Observation::Observation(const cel::Observed& look)
    : look_(look),
      attributes_(names_of<Attribute>(look.attributes)),
      capacities_(names_of<Capacity>(look.capacities)) {}

void Observation::turn(std::string_view driver) {
  driver_ = driver;
  any_before_ = false;
  ContentHash start(kSeed);
  if (look_.driver || look_.all_attributes || look_.all_capacities) start.add(driver_);
  start_ = start.value();
  const auto is_plain = [&](const Name& name) {
    return name.domain == driver && name.id.find('/') == std::string_view::npos;
  };
  for (Attribute& name : attributes_) name.plain = is_plain(name);
  for (Capacity& name : capacities_) name.plain = is_plain(name);
}

bool Observation::Name::means(std::string_view published_name) const {
  if (published_name.size() == id.size()) return plain && same_text(published_name, id);
  return published_name.size() == full_size && published_name.ends_with(id) && published_name.starts_with(domain) &&
         published_name[domain.size()] == '/';
}

template <class Content>
const std::pair<std::string, Content>* Observation::Name::last_of(const objects::Named<Content>& published) const {
  const auto found =
      std::find_if(published.rbegin(), published.rend(), [&](const auto& named) { return means(named.first); });
  return found == published.rend() ? nullptr : &*found;
}

// Neighbours are mostly alike, and comparing is cheaper than hashing.
bool Observation::look_at(const objects::Device& device) {
  const bool multiple = device.allow_multiple_allocations.value_or(false);
  bool same = any_before_ && !look_.all_attributes && !look_.all_capacities &&
              (multiple == multiple_ || !look_.allow_multiple_allocations);
  any_before_ = true;
  device_ = &device;
  multiple_ = multiple;
  for (Attribute& name : attributes_) {
    const auto* const named = name.last_of(device.attributes);
    name.value = named != nullptr ? &named->second : nullptr;
    name.published = named != nullptr ? std::string_view(named->first) : std::string_view();
    if (!same_as_kept(name.value, name.before)) same = false;
  }
  for (Capacity& name : capacities_) {
    const auto* const named = name.last_of(device.capacity);
    name.amount = named != nullptr ? &named->second.value : nullptr;
    if (!same_as_kept(name.amount, name.before)) same = false;
  }
  return same;
}

Hash128 Observation::hash() const {
  ContentHash hash(start_);
  if (look_.allow_multiple_allocations) hash.add(multiple_ ? 1U : 0U);
  if (look_.all_attributes) {
    for (const auto& [name, value] : device_->attributes) hash.add(name).add(hash_of(value));
    hash.add(kNextName);
  }
  for (const Attribute& name : attributes_) {
    if (name.value != nullptr) hash.add(hash_of(*name.value));
    hash.add(kNextName);
  }
  if (look_.all_capacities) {
    for (const auto& [name, capacity] : device_->capacity) {
      hash.add(name);
      add_amount(hash, capacity.value);
    }
    hash.add(kNextName);
  }
  for (const Capacity& name : capacities_) {
    if (name.amount != nullptr) add_amount(hash, *name.amount);
    hash.add(kNextName);
  }
  return hash.value();
}

void Observation::show(cel::Device& asked) const {
  asked.reset(driver_, multiple_);
  if (look_.all_attributes) add_attributes(*device_, asked);
  for (const Attribute& name : attributes_) {
    if (name.value == nullptr) continue;
    if (const auto* const text = std::get_if<std::string>(name.value)) {
      asked.add_text({name.domain, name.id}, *text);
    } else {
      add_attribute({name.domain, name.id}, name.published, *name.value, asked);
    }
  }
  if (look_.all_capacities) add_capacities(*device_, asked);
  for (const Capacity& name : capacities_) {
    if (name.amount != nullptr) asked.add_capacity(cel::QualifiedName{name.domain, name.id}, *name.amount);
  }
}

}  // namespace gpusched::dra
