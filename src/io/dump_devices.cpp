#include "io/dump_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>

#include "gpusched/base/text.hpp"
#include "io/seen_objects.hpp"

namespace gpusched::io {

namespace {

Diagnostic warning(std::string code, std::string message, const objects::ResourceSlice& slice) {
  Diagnostic diagnostic;
  diagnostic.severity = Severity::kWarning;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.object = fmt::format("ResourceSlice {}", slice.name);
  return diagnostic;
}

/// major.minor.patch of semver.org 2.0.0 at its strictest part: no leading zeros, exactly three numbers.
bool is_version(std::string_view text) {
  text = text.substr(0, text.find_first_of("-+"));
  for (int part = 0; part < 3; ++part) {
    const std::size_t end = text.find_first_not_of("0123456789");
    const std::string_view number = text.substr(0, end);
    if (number.empty() || (number.size() > 1 && number.front() == '0')) {
      return false;
    }
    text.remove_prefix(number.size());
    if (part < 2 && !text.starts_with('.')) {
      return false;
    }
    text.remove_prefix(part < 2 ? 1 : 0);
  }
  return text.empty();
}

std::optional<AttributeFact> fact_of(const objects::AttributeValue& value) {
  if (const auto* const number = std::get_if<std::int64_t>(&value)) {
    return *number;
  }
  if (const auto* const truth = std::get_if<bool>(&value)) {
    return *truth;
  }
  if (const auto* const text = std::get_if<std::string>(&value)) {
    return std::string_view(*text);
  }
  if (const auto* const version = std::get_if<objects::Version>(&value)) {
    return std::string_view(version->text);
  }
  return std::nullopt;
}

}  // namespace

void DumpDevices::read(const ClusterDump& dump, Diagnostics& diagnostics) {
  std::vector<Document> documents;
  std::ranges::copy_if(dump.others, std::back_inserter(documents), [](const Document& document) {
    const Value* const kind = document.root.find("kind");
    return kind != nullptr && kind->is_string() && (kind->text() == "ResourceSlice" || kind->text() == "ResourceClaim");
  });
  Result<DraObjects> read = read_dra_objects(documents);
  if (!read) {
    std::ranges::move(read.error(), std::back_inserter(diagnostics));
    return;
  }
  objects_ = std::move(*read);
  std::ranges::sort(objects_.slices, {}, [](const objects::ResourceSlice& slice) {
    return std::tie(slice.spec.driver, slice.spec.pool.name, slice.name);
  });
  for (const objects::ResourceSlice& slice : objects_.slices) {
    Pool& pool = pools_[{slice.spec.driver, slice.spec.pool.name}];
    if (slice.spec.pool.generation > pool.generation) {
      pool = {slice.spec.pool.generation, 0, 0};
    }
    if (slice.spec.pool.generation == pool.generation) {
      ++pool.slices;
      pool.expected = std::max(pool.expected, slice.spec.pool.resource_slice_count);
    }
  }
  for (const objects::ResourceSlice& slice : objects_.slices) {
    add_slice(slice, diagnostics);
  }
}

void DumpDevices::add_slice(const objects::ResourceSlice& slice, Diagnostics& diagnostics) {
  Pool& pool = pools_[{slice.spec.driver, slice.spec.pool.name}];
  if (slice.spec.pool.generation != pool.generation) {
    return;
  }
  if (pool.slices < pool.expected) {
    diagnostics.push_back(warning("incomplete-pool",
                                  fmt::format("pool {}/{} has {} of {} slices: the scheduler does not use it",
                                              slice.spec.driver, slice.spec.pool.name, pool.slices, pool.expected),
                                  slice));
    pool.expected = pool.slices;  // said once
  }
  std::size_t shared = 0;
  std::set<std::string_view> wrong;  // attributes whose versions are none
  for (const objects::Device& device : slice.spec.devices) {
    const std::optional<std::string>& node = slice.spec.node_name ? slice.spec.node_name : device.node_name;
    for (const auto& [name, value] : device.attributes) {
      const auto* const version = std::get_if<objects::Version>(&value);
      if (version != nullptr && !is_version(version->text) && wrong.insert(name).second) {
        diagnostics.push_back(warning(
            "invalid-version",
            fmt::format(
                "attribute {}: {} is not compatible with semver.org spec 2.0.0; the API server refuses the slice", name,
                quote(version->text)),
            slice));
      }
    }
    if (node) {
      add_device(slice, device, *node);
    } else {
      ++shared;
    }
  }
  if (shared > 0) {
    diagnostics.push_back(warning("shared-devices",
                                  fmt::format("{} devices of pool {}/{} belong to no single node and are not counted",
                                              shared, slice.spec.driver, slice.spec.pool.name),
                                  slice));
    diagnostics.back().severity = Severity::kNote;
  }
}

void DumpDevices::add_device(const objects::ResourceSlice& slice, const objects::Device& device,
                             const std::string& node) {
  std::vector<DeviceFacts>& devices = nodes_[node];
  const auto same = [&](const DeviceFacts& other) {
    return other.driver == slice.spec.driver && other.pool == slice.spec.pool.name && other.name == device.name;
  };
  if (std::ranges::any_of(devices, same)) {
    return;
  }
  auto& attributes = attributes_.emplace_back();
  for (const auto& [name, value] : device.attributes) {
    if (const std::optional<AttributeFact> fact = fact_of(value)) {
      attributes.emplace_back(name, *fact);
    }
  }
  auto& capacity = capacities_.emplace_back();
  for (const auto& [name, amount] : device.capacity) {
    capacity.emplace_back(name, amount.value.value());
  }
  devices.push_back({.driver = slice.spec.driver,
                     .pool = slice.spec.pool.name,
                     .name = device.name,
                     .attributes = attributes,
                     .capacity = capacity,
                     .counter_set = device.consumes_counters.empty()
                                        ? std::string_view()
                                        : std::string_view(device.consumes_counters.front().counter_set)});
}

std::span<const DeviceFacts> DumpDevices::of(std::string_view node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? std::span<const DeviceFacts>() : found->second;
}

}  // namespace gpusched::io
