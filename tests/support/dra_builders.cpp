#include "support/dra_builders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "gpusched/base/text.hpp"

namespace gpusched::test {

using objects::Device;

std::size_t ToySelectors::compile(std::string_view expression) {
  const auto known = std::ranges::find(expressions_, expression);
  if (known != expressions_.end()) return static_cast<std::size_t>(known - expressions_.begin());
  expressions_.emplace_back(expression);
  return expressions_.size() - 1;
}

const std::string& ToySelectors::compile_error(std::size_t selector) const {
  return expressions_[selector] == "bad" ? bad_ : none_;
}

std::size_t ToySelectors::add_device(std::string_view /*driver*/, const Device& device) {
  devices_.push_back(device);
  return devices_.size() - 1;
}

const ToySelectors::Outcome& ToySelectors::evaluate(std::size_t selector, std::size_t device) {
  ++evaluations;
  const std::string& expression = expressions_[selector];
  outcome_ = {expression == "true", expression == "error" ? "division by zero" : ""};
  if (expression == "true" || expression == "false" || expression == "error") return outcome_;
  const std::size_t equals = expression.find('=');
  const std::string name = expression.substr(0, equals);
  const objects::AttributeValue* const value = objects::find(devices_[device].attributes, name);
  if (equals == std::string::npos) {
    if (value == nullptr) outcome_.error = "no such key: " + name;
    outcome_.match = value != nullptr && *value == objects::AttributeValue(true);
    return outcome_;
  }
  const auto* const number = value != nullptr ? std::get_if<std::int64_t>(value) : nullptr;
  outcome_.match = number != nullptr && std::to_string(*number) == expression.substr(equals + 1);
  return outcome_;
}

const ToySelectors::Derived& ToySelectors::derive(std::size_t expression, std::size_t device) {
  const Outcome& outcome = evaluate(expression, device);
  derived_ = {outcome.match, outcome.error};
  return derived_;
}

objects::DeviceClass any_class() {
  objects::DeviceClass device_class;
  device_class.name = "any";
  return device_class;
}

dra::AllocationAnswer ask(const DraQuestion& question, const dra::AllocateOptions& options) {
  ToySelectors selectors;
  const dra::InUse held = dra::in_use(question.allocated, question.features.consumable_capacity);
  dra::Allocator allocator({question.features, question.slices, question.classes, held, selectors});
  std::vector<const objects::ResourceClaim*> claims;
  for (const objects::ResourceClaim& claim : question.claims) claims.push_back(&claim);
  return allocator.allocate(question.node, claims, options);
}

std::string summary(const dra::AllocationAnswer& answer) {
  if (answer.outcome != dra::AllocationOutcome::kAllocated) {
    return std::string(dra::name_of(answer.outcome)) + (answer.error.empty() ? "" : ": " + answer.error);
  }
  std::vector<std::string> claims;
  for (const objects::AllocationResult& allocation : answer.allocations) {
    std::string text, request;
    for (const objects::DeviceRequestAllocationResult& result : allocation.results) {
      if (result.request == request) {
        text += ",";
      } else {
        text += (text.empty() ? "" : " ") + result.request + "=";
      }
      text += result.device;
      request = result.request;
    }
    claims.push_back(text);
  }
  return join(claims, " | ");
}

objects::ResourceSlice slice(std::string name, std::vector<Device> devices) {
  objects::ResourceSlice slice;
  slice.spec.driver = kDriver;
  slice.spec.pool = {name, 1, 1};
  slice.spec.node_name = std::string(kNode);
  slice.spec.devices = std::move(devices);
  slice.name = std::move(name);
  return slice;
}

Device device(std::string name, objects::Named<objects::AttributeValue> attributes) {
  Device device;
  device.name = std::move(name);
  device.attributes = std::move(attributes);
  return device;
}

std::vector<Device> devices(std::string_view prefix, std::size_t count) {
  std::vector<Device> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(device(fmt::format("{}{}", prefix, i)));
  return list;
}

objects::DeviceRequirements exactly(std::int64_t count, std::vector<std::string> selectors) {
  objects::DeviceRequirements wanted;
  wanted.device_class_name = "any";
  wanted.allocation_mode = "ExactCount";
  wanted.count = count;
  for (std::string& selector : selectors) wanted.selectors.push_back({std::move(selector)});
  return wanted;
}

objects::DeviceRequirements all(std::vector<std::string> selectors) {
  objects::DeviceRequirements wanted = exactly(0, std::move(selectors));
  wanted.allocation_mode = "All";
  return wanted;
}

objects::DeviceRequest request(std::string name, objects::DeviceRequirements wanted) {
  return {std::move(name), std::move(wanted), {}};
}

objects::DeviceRequest first_available(std::string name,
                                       std::vector<std::pair<std::string, objects::DeviceRequirements>> subrequests) {
  objects::DeviceRequest request{std::move(name), std::nullopt, {}};
  for (auto& [sub, wanted] : subrequests) request.first_available.push_back({std::move(sub), std::move(wanted)});
  return request;
}

objects::ResourceClaim claim(std::string name, std::vector<objects::DeviceRequest> requests) {
  objects::ResourceClaim claim;
  claim.name = std::move(name);
  claim.namespace_name = "default";
  claim.devices.requests = std::move(requests);
  return claim;
}

objects::ResourceClaim claim_of(const std::vector<std::int64_t>& counts) {
  std::vector<objects::DeviceRequest> requests;
  for (std::size_t i = 0; i < counts.size(); ++i)
    requests.push_back(request(fmt::format("r{}", i), exactly(counts[i])));
  return claim("c", std::move(requests));
}

objects::DeviceConstraint match(std::string attribute, std::vector<std::string> requests) {
  return {std::move(requests), std::string(kDriver) + "/" + attribute, std::nullopt};
}

objects::DeviceConstraint distinct(std::string attribute, std::vector<std::string> requests) {
  return {std::move(requests), std::nullopt, std::string(kDriver) + "/" + attribute};
}

namespace {

struct MigKind {
  std::int64_t compute;
  std::string_view name;
  std::int64_t slices;
  std::span<const int> starts;
};

// NVIDIA MIG user guide, H100 80GB: profiles without media extensions, memory slices and placements.
constexpr std::array<int, 7> kOne = {0, 1, 2, 3, 4, 5, 6};
constexpr std::array<int, 4> kOneWide = {0, 2, 4, 6};
constexpr std::array<int, 3> kTwo = {0, 2, 4};
constexpr std::array<int, 2> kThree = {0, 4};
constexpr std::array<int, 1> kWhole = {0};
constexpr std::array<MigKind, 6> kMigKinds = {{{1, "1g10gb", 1, kOne},
                                               {11, "1g20gb", 2, kOneWide},
                                               {2, "2g20gb", 2, kTwo},
                                               {3, "3g40gb", 4, kThree},
                                               {4, "4g40gb", 4, kWhole},
                                               {7, "7g80gb", 8, kWhole}}};

}  // namespace

std::vector<objects::ResourceSlice> mig_slices(std::size_t gpus) {
  objects::ResourceSlice counters = slice("a-counters", {});
  objects::ResourceSlice partitions = slice("b-devices", {});
  for (objects::ResourceSlice* part : {&counters, &partitions}) part->spec.pool = {"mig", 1, 2};
  for (std::size_t g = 0; g < gpus; ++g) {
    objects::CounterSet set{fmt::format("gpu-{}", g), {{"multiprocessors", Quantity::from_int64(7)}}};
    for (int i = 0; i < 8; ++i) set.counters.emplace_back(fmt::format("memory-slice-{}", i), Quantity::from_int64(1));
    for (const MigKind& kind : kMigKinds) {
      for (const int start : kind.starts) {
        Device partition = device(fmt::format("gpu-{}-mig-{}-{}", g, kind.name, start),
                                  {{"g", kind.compute}, {"gpu", static_cast<std::int64_t>(g)}});
        objects::CounterConsumption use{set.name, {{"multiprocessors", Quantity::from_int64(kind.compute % 10)}}, {}};
        for (int i = start; i < start + kind.slices; ++i) {
          use.counters.emplace_back(fmt::format("memory-slice-{}", i), Quantity::from_int64(1));
        }
        partition.consumes_counters.push_back(std::move(use));
        partitions.spec.devices.push_back(std::move(partition));
      }
    }
    counters.spec.shared_counters.push_back(std::move(set));
  }
  return {std::move(counters), std::move(partitions)};
}

}  // namespace gpusched::test
