#include "dra/observation.hpp"

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

}  // namespace

Observation::Observation(const cel::Observed& look)
    : look_(look),
      attributes_(names_of(look.attributes)),
      capacities_(names_of(look.capacities)),
      compares_(!look.all_attributes && !look.all_capacities && look.capacities.empty()) {}

// Published names are split at their first slash.
Observation::Names Observation::names_of(const std::vector<cel::ObservedName>& observed) {
  Names names;
  for (const cel::ObservedName& name : observed) {
    const bool reachable = name.domain.find('/') == std::string::npos;
    Name& added = names.emplace_back();
    added.domain = name.domain;
    added.id = name.name;
    if (reachable) added.full_size = name.domain.size() + 1 + name.name.size();
  }
  return names;
}

void Observation::turn_to(std::string_view driver) {
  if (driver_.data() != nullptr && driver.data() == driver_.data() && driver.size() == driver_.size()) return;
  driver_ = driver;
  has_last_ = false;
  ContentHash start(kSeed);
  if (look_.driver || look_.all_attributes || look_.all_capacities) start.add(driver_);
  start_ = start.value();
  for (Names* const names : {&attributes_, &capacities_}) {
    for (Name& name : *names) {
      name.plain = name.domain == driver && name.id.find('/') == std::string_view::npos;
    }
  }
}

bool Observation::is_named(std::string_view published, const Name& name) {
  if (published.size() == name.id.size()) return name.plain && same_text(published, name.id);
  return published.size() == name.full_size && published.ends_with(name.id) && published.starts_with(name.domain) &&
         published[name.domain.size()] == '/';
}

// Neighbours are mostly alike, and comparing is cheaper than hashing.
bool Observation::same_as_last(const objects::Device& device) {
  if (!compares_) return false;
  const bool multiple = device.allow_multiple_allocations.value_or(false);
  bool same = has_last_ && (multiple == last_multiple_ || !look_.allow_multiple_allocations);
  has_last_ = true;
  last_multiple_ = multiple;
  for (Name& name : attributes_) {
    const objects::AttributeValue* value = nullptr;
    for (const auto& [published, published_value] : device.attributes) {
      if (is_named(published, name)) value = &published_value;
    }
    same = same && (value == nullptr) == (name.last == nullptr) && (value == nullptr || *value == *name.last);
    name.last = value;
  }
  return same;
}

Hash128 Observation::hash(const objects::Device& device) const {
  ContentHash hash(start_);
  if (look_.allow_multiple_allocations) hash.add(device.allow_multiple_allocations.value_or(false) ? 1U : 0U);
  if (look_.all_attributes) {
    for (const auto& [name, value] : device.attributes) hash.add(name).add(hash_of(value));
    hash.add(kNextName);
  }
  // Every value of a name: of several the last counts.
  for (const Name& name : attributes_) {
    for (const auto& [published, value] : device.attributes) {
      if (is_named(published, name)) hash.add(hash_of(value));
    }
    hash.add(kNextName);
  }
  if (look_.all_capacities) {
    for (const auto& [name, capacity] : device.capacity) {
      hash.add(name);
      add_amount(hash, capacity.value);
    }
    hash.add(kNextName);
  }
  for (const Name& name : capacities_) {
    for (const auto& [published, capacity] : device.capacity) {
      if (is_named(published, name)) add_amount(hash, capacity.value);
    }
    hash.add(kNextName);
  }
  return hash.value();
}

void Observation::show(const objects::Device& device, cel::Device& asked) const {
  asked.reset(driver_, device.allow_multiple_allocations.value_or(false));
  if (look_.all_attributes) add_attributes(device, asked);
  for (const Name& name : attributes_) {
    for (const auto& [published, value] : device.attributes) {
      if (is_named(published, name)) add_attribute({name.domain, name.id}, published, value, asked);
    }
  }
  if (look_.all_capacities) add_capacities(device, asked);
  for (const Name& name : capacities_) {
    for (const auto& [published, capacity] : device.capacity) {
      if (is_named(published, name)) asked.add_capacity(cel::QualifiedName{name.domain, name.id}, capacity.value);
    }
  }
}

}  // namespace gpusched::dra
