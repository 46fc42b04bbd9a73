#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "dra/slice_content.hpp"
#include "gpusched/base/ascii.hpp"
#include "gpusched/base/text.hpp"

// The limits of the API server, from k8s.io/api v0.37.2, resource/v1/types.go, and the validation of the same release.
namespace gpusched::dra {
namespace {

constexpr std::size_t kMaxDevices = 128;
constexpr std::size_t kMaxAdvancedDevices = 64;
constexpr std::size_t kMaxCounterSets = 8;
constexpr std::size_t kMaxCounters = 32;
constexpr std::size_t kMaxAttributesAndCapacities = 32;
constexpr std::size_t kMaxStringBytes = 64;
constexpr std::size_t kMaxLabelBytes = 63;
constexpr std::size_t kMaxSubdomainBytes = 253;

bool is_lower_alnum(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool label_characters(std::string_view name) {
  return !name.empty() && is_lower_alnum(name.front()) && is_lower_alnum(name.back()) &&
         std::ranges::all_of(name, [](char c) { return is_lower_alnum(c) || c == '-'; });
}

bool is_list(const objects::AttributeValue& value) {
  return std::holds_alternative<std::vector<std::int64_t>>(value) || std::holds_alternative<std::vector<bool>>(value) ||
         std::holds_alternative<std::vector<std::string>>(value) ||
         std::holds_alternative<std::vector<objects::Version>>(value);
}

/// Features that halve the number of devices in a slice.
bool advanced(const objects::Device& device) {
  return !device.taints.empty() || !device.consumes_counters.empty() || !device.binding_conditions.empty() ||
         !device.binding_failure_conditions.empty() ||
         std::ranges::any_of(device.attributes, [](const auto& attribute) { return is_list(attribute.second); });
}

/// Part number `part` of a list that is cut into parts of `size`; empty behind the end.
template <class T>
std::vector<T> part_of(const std::vector<T>& list, std::size_t part, std::size_t size) {
  const std::size_t first = std::min(part * size, list.size());
  const std::size_t last = std::min(first + size, list.size());
  return std::vector<T>(list.begin() + static_cast<std::ptrdiff_t>(first),
                        list.begin() + static_cast<std::ptrdiff_t>(last));
}

void add_error(Diagnostics& errors, std::string code, const std::string& object, std::string message) {
  Diagnostic error;
  error.code = std::move(code);
  error.object = object;
  error.message = std::move(message);
  errors.push_back(std::move(error));
}

void check_device(const objects::Device& device, const std::string& object, Diagnostics& errors) {
  if (!is_dns_label(device.name)) {
    add_error(errors, "device-name-invalid", object,
              fmt::format("device name \"{}\" is not a DNS label of at most {} bytes", device.name, kMaxLabelBytes));
  }
  for (const auto& [name, value] : device.attributes) {
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr && text->size() > kMaxStringBytes) {
      add_error(errors, "attribute-too-long", object,
                fmt::format("device {}: attribute {} has {} bytes, {}; at most {} are allowed", device.name, name,
                            text->size(), quote(*text, 80), kMaxStringBytes));
    }
  }
  if (const std::size_t count = device.attributes.size() + device.capacity.size();
      count > kMaxAttributesAndCapacities) {
    add_error(errors, "slice-limit", object,
              fmt::format("device {} has {} attributes and capacities; at most {} are allowed", device.name, count,
                          kMaxAttributesAndCapacities));
  }
}

}  // namespace

bool is_dns_label(std::string_view name) {
  return name.size() <= kMaxLabelBytes && label_characters(name);
}

bool is_dns_subdomain(std::string_view name) {
  if (name.size() > kMaxSubdomainBytes) return false;
  while (true) {
    const std::size_t dot = name.find('.');
    if (!label_characters(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

std::string to_label_characters(std::string_view name) {
  std::string label(name);
  for (char& c : label) {
    c = ascii_lower(c);
    if (!is_lower_alnum(c)) c = '-';
  }
  return label;
}

PoolContent split_pool(const PoolContent& pool) {
  PoolContent slices;
  for (const SliceContent& content : pool) {
    const std::size_t max_devices = std::ranges::any_of(content.devices, advanced) ? kMaxAdvancedDevices : kMaxDevices;
    for (std::size_t part = 0;; ++part) {
      SliceContent slice{part_of(content.counter_sets, part, kMaxCounterSets),
                         part_of(content.devices, part, max_devices)};
      if (slice.counter_sets.empty() && slice.devices.empty()) break;
      slices.push_back(std::move(slice));
    }
  }
  return slices;
}

void check_devices(const PoolContent& pool, const std::string& object, Diagnostics& errors) {
  std::set<std::string_view> names;
  for (const SliceContent& slice : pool) {
    for (const objects::CounterSet& counters : slice.counter_sets) {
      if (counters.counters.size() <= kMaxCounters) continue;
      add_error(errors, "slice-limit", object,
                fmt::format("counter set {} has {} counters; at most {} are allowed", counters.name,
                            counters.counters.size(), kMaxCounters));
    }
    for (const objects::Device& device : slice.devices) {
      check_device(device, object, errors);
      if (!names.insert(device.name).second) {
        add_error(errors, "device-name-duplicate", object,
                  fmt::format("two devices are named \"{}\"; names are unique in a pool", device.name));
      }
    }
  }
}

}  // namespace gpusched::dra
