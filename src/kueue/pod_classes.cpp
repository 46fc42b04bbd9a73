#include "kueue/pod_classes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "gpusched/objects/pod_requests.hpp"
#include "kueue/amounts.hpp"

namespace gpusched::kueue {

namespace {

using objects::LimitRangeItem;
using objects::ResourceList;

constexpr std::string_view kAboveLimit = "requests must not exceed its limits";
constexpr std::string_view kAboveMax = "requests must not be above the limitRange max";
constexpr std::string_view kBelowMin = "requests must not be below the limitRange min";

/// Adds what is missing; of two amounts of one resource `keep` says whether the other replaces the one that is there.
template <class Keep>
void merge(ResourceList& list, const ResourceList& other, Keep&& replaces) {
  for (const auto& [name, quantity] : other) {
    const auto old = std::ranges::find(list, name, [](const auto& entry) -> const std::string& { return entry.first; });
    if (old == list.end()) {
      list.emplace_back(name, quantity);
    } else if (replaces(quantity, old->second)) {
      old->second = quantity;
    }
  }
}

void add_missing(ResourceList& list, const ResourceList& other) {
  merge(list, other, [](const Quantity&, const Quantity&) { return false; });
}
void keep_min(ResourceList& list, const ResourceList& other) {
  merge(list, other, [](const Quantity& b, const Quantity& a) { return b < a; });
}
void keep_max(ResourceList& list, const ResourceList& other) {
  merge(list, other, [](const Quantity& b, const Quantity& a) { return b > a; });
}

/// Resources of which the first list has more than the second, sorted.
std::vector<std::string> greater(const ResourceList& list, const ResourceList& other) {
  std::vector<std::string> names;
  for (const auto& [name, quantity] : list) {
    const Quantity* const bound = objects::find(other, name);
    if (bound != nullptr && amount_of(name, quantity) > amount_of(name, *bound)) {
      names.push_back(name);
    }
  }
  std::ranges::sort(names);
  return names;
}

void note(std::vector<SpecError>& errors, std::string path, std::vector<std::string> resources, std::string_view rule) {
  if (!resources.empty()) {
    errors.push_back({std::move(path), std::move(resources), rule});
  }
}

/// Calls `visit(container, "containers[0]")` for every container, init containers first.
template <class Spec, class Visit>
void each_container(Spec& spec, Visit&& visit) {
  for (std::size_t i = 0; i < spec.init_containers.size(); ++i) {
    visit(spec.init_containers[i], fmt::format("initContainers[{}]", i));
  }
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    visit(spec.containers[i], fmt::format("containers[{}]", i));
  }
}

/// An amount in units of 10^-9, exact for all that clusters hold.
__extension__ using Wide = __int128;
constexpr Wide kNano = 1'000'000'000;

Wide to_nano(const Quantity& quantity) {
  constexpr std::int32_t kNanoScale = -9;
  return quantity.is_integer() ? Wide{quantity.value()} * kNano : Wide{quantity.scaled_value(kNanoScale)};
}

Quantity from_nano(Wide nano) {
  constexpr Wide kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int32_t kNanoScale = -9;
  if (nano <= kMax && nano >= -kMax) {
    return Quantity::from_scaled(static_cast<std::int64_t>(nano), kNanoScale);
  }
  return Quantity::from_int64(static_cast<std::int64_t>(std::clamp(nano / kNano, -kMax, kMax)));
}

Quantity product(const Quantity& quantity, std::int64_t factor) {
  Wide nano = 0;
  if (__builtin_mul_overflow(to_nano(quantity), Wide{factor}, &nano)) {
    return Quantity::from_int64(std::numeric_limits<std::int64_t>::max());
  }
  return from_nano(nano);
}

std::size_t mix(std::size_t seed, std::size_t value) {
  constexpr std::size_t kOdd = 0x9e3779b97f4a7c15ULL;
  return (seed ^ value) * kOdd + (seed >> 29U);
}

/// Cheap, over what usually tells pods apart.
std::size_t hash_of(const objects::PodSet& pod_set) {
  const std::hash<std::string> text;
  std::size_t hash = pod_set.topology ? 1 : 0;
  for (const objects::Container& container : pod_set.spec.containers) {
    for (const auto& [name, quantity] : container.resources.requests) {
      hash = mix(mix(hash, text(name)), static_cast<std::size_t>(quantity.milli_value()));
    }
  }
  for (const auto& [key, value] : pod_set.spec.node_selector) {
    hash = mix(mix(hash, text(key)), text(value));
  }
  for (const objects::Toleration& toleration : pod_set.spec.tolerations) {
    hash = mix(mix(hash, text(toleration.key)), text(toleration.value));
  }
  return hash;
}

}  // namespace

PodClasses::PodClasses(const objects::KueueObjects& objects, const objects::KueueConfiguration& configuration,
                       StringTable& resource_names)
    : objects_(objects), configuration_(configuration), names_(resource_names) {
  for (const objects::LimitRange& range : objects.limit_ranges) {
    for (const LimitRangeItem& item : range.limits) {
      LimitRangeItem& summary = limits_[range.meta.namespace_name][item.type];
      keep_min(summary.max, item.max);
      keep_max(summary.min, item.min);
      add_missing(summary.default_limits, item.default_limits);
      add_missing(summary.default_requests, item.default_requests);
    }
  }
}

PodClass PodClasses::intern(const objects::PodSet& pod_set, const std::string& name_space) {
  const std::size_t hash = hash_of(pod_set);
  const auto ranges = limits_.find(name_space);
  const LimitRangeItem* const limits = ranges == limits_.end() ? nullptr : &ranges->second.begin()->second;
  const auto [first, last] = by_hash_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    const Entry& entry = entries_[known->second.index()];
    if (entry.limits == limits && entry.original->spec == pod_set.spec &&
        entry.original->topology == pod_set.topology) {
      return known->second;
    }
  }
  const PodClass pod_class(contents_.size());
  contents_.push_back(make(pod_set, name_space));
  entries_.push_back({&pod_set, limits});
  by_hash_.emplace(hash, pod_class);
  return pod_class;
}

PodContent PodClasses::make(const objects::PodSet& pod_set, const std::string& name_space) {
  PodContent content;
  content.spec = pod_set.spec;
  content.topology = pod_set.topology;
  const auto ranges = limits_.find(name_space);
  const auto limits_of = [&](const std::string& type) -> const LimitRangeItem* {
    if (ranges == limits_.end()) {
      return nullptr;
    }
    const auto found = ranges->second.find(type);
    return found == ranges->second.end() ? nullptr : &found->second;
  };
  const LimitRangeItem* const of_container = limits_of("Container");
  fill_requests(content.spec, of_container);

  objects::Pod pod;
  pod.spec = content.spec;
  objects::PodRequestRules rules;
  rules.use_status = false;
  const ResourceList requests = objects::pod_requests(pod, rules);
  content.requests = to_row(requests, names_);
  content.quota = quota_row(requests);

  each_container(content.spec, [&](const objects::Container& container, const std::string& path) {
    const objects::ResourceRequirements& resources = container.resources;
    note(content.above_limits, "." + path, greater(resources.requests, resources.limits), kAboveLimit);
    if (of_container != nullptr) {
      ResourceList low = resources.requests;
      ResourceList high = resources.requests;
      keep_min(low, resources.limits);
      keep_max(high, resources.limits);
      note(content.out_of_range, "." + path, greater(high, of_container->max), kAboveMax);
      note(content.out_of_range, "." + path, greater(of_container->min, low), kBelowMin);
    }
  });
  if (const LimitRangeItem* const of_pod = limits_of("Pod")) {
    note(content.out_of_range, "", greater(requests, of_pod->max), kAboveMax);
    note(content.out_of_range, "", greater(of_pod->min, requests), kBelowMin);
  }
  return content;
}

void PodClasses::fill_requests(objects::PodSpec& spec, const LimitRangeItem* container_limits) const {
  if (!spec.runtime_class_name.empty() && spec.overhead.empty()) {
    for (const objects::RuntimeClass& runtime_class : objects_.runtime_classes) {
      if (runtime_class.meta.name == spec.runtime_class_name) {
        spec.overhead = runtime_class.overhead;
      }
    }
  }
  each_container(spec, [&](objects::Container& container, const std::string&) {
    objects::ResourceRequirements& resources = container.resources;
    if (container_limits != nullptr) {
      add_missing(resources.limits, container_limits->default_limits);
      add_missing(resources.requests, container_limits->default_requests);
    }
    add_missing(resources.requests, resources.limits);
  });
}

ResourceRow PodClasses::quota_row(const ResourceList& requests) const {
  ResourceList counted;
  for (const auto& [name, quantity] : requests) {
    const auto excludes = [&](const std::string& prefix) { return name.starts_with(prefix); };
    if (std::ranges::none_of(configuration_.exclude_resource_prefixes, excludes)) {
      counted.emplace_back(name, quantity);
    }
  }
  return to_row(transformed(counted), names_);
}

ResourceList PodClasses::transformed(const ResourceList& requests) const {
  // Of several transformations of one input the last one counts.
  const auto find_rule = [&](const std::string& input) {
    const auto& rules = configuration_.transformations;
    const auto found =
        std::find_if(rules.rbegin(), rules.rend(), [&](const auto& rule) { return rule.input == input; });
    return found == rules.rend() ? nullptr : &*found;
  };
  ResourceList output;
  const auto set = [&](const std::string& name, const Quantity& quantity) {
    std::erase_if(output, [&](const auto& entry) { return entry.first == name; });
    output.emplace_back(name, quantity);
  };
  for (const auto& [name, request] : requests) {
    const objects::ResourceTransformation* const rule = find_rule(name);
    if (rule == nullptr) {
      set(name, request);
      continue;
    }
    Quantity input = request;
    if (const Quantity* const factor = objects::find(requests, rule->multiply_by)) {
      input = product(input, factor->value());
    }
    for (const auto& [output_name, base] : rule->outputs) {
      Quantity amount = product(base, input.value());
      if (const Quantity* const before = objects::find(output, output_name)) {
        amount.add(*before);
      }
      set(output_name, amount);
    }
    if (!rule->replace) {
      set(name, input);
    }
  }
  return output;
}

}  // namespace gpusched::kueue
