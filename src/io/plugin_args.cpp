#include "io/plugin_args.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "io/core_pod_fields.hpp"
#include "io/excerpt.hpp"
#include "io/go_duration.hpp"

namespace gpusched::io {

namespace {

using objects::ResourceSpec;
using objects::ScoringStrategyType;
using objects::UtilizationShapePoint;

constexpr std::int64_t kMaxWeight = 100;
constexpr std::int64_t kMaxUtilization = 100;
constexpr std::int64_t kMaxShapeScore = 10;

/// By ScoringStrategyType.
constexpr std::array<std::string_view, 3> kStrategyNames = {"LeastAllocated", "MostAllocated",
                                                            "RequestedToCapacityRatio"};

/// Args may carry their own type, as every API object.
void read_type(ObjectReader& reader, std::string_view kind) {
  (void)reader.find("apiVersion");
  if (const auto written = reader.optional_string("kind"); written && *written != kind) {
    reader.error("kind", "wrong-kind", fmt::format("expected {}, found {}", kind, quote(*written)));
  }
}

/// A list that is missing or empty keeps its default; a weight that is missing or 0 means 1.
void read_resources(Decoder& decoder, ObjectReader& reader, std::int64_t max_weight,
                    std::vector<ResourceSpec>& resources) {
  std::vector<ResourceSpec> read;
  reader.array("resources", [&](const Value& item, std::size_t) {
    ObjectReader entry(decoder, item, "resource");
    ResourceSpec spec;
    spec.name = entry.required_string("name");
    if (!spec.name.empty()) {
      entry.set_name(spec.name);
    }
    spec.weight = entry.optional_int64("weight", 0, max_weight).value_or(0);
    spec.weight = spec.weight == 0 ? 1 : spec.weight;
    read.push_back(std::move(spec));
  });
  if (!read.empty()) {
    resources = std::move(read);
  }
}

std::int32_t shape_number(ObjectReader& point, std::string_view key, std::int64_t max) {
  return static_cast<std::int32_t>(point.optional_int64(key, 0, max).value_or(0));
}

/// The points of "shape"; none when the key is absent.
std::optional<std::vector<UtilizationShapePoint>> read_points(Decoder& decoder, ObjectReader& reader) {
  std::vector<UtilizationShapePoint> shape;
  const bool present = reader.array("shape", [&](const Value& item, std::size_t index) {
    ObjectReader point(decoder, item, "shape point");
    const UtilizationShapePoint read{.utilization = shape_number(point, "utilization", kMaxUtilization),
                                     .score = shape_number(point, "score", kMaxShapeScore)};
    // 0 may also stand for a number that was refused and has its own error.
    if (index > 0 && read.utilization <= shape.back().utilization && (read.utilization > 0 || !decoder.failed())) {
      point.error("utilization", "not-increasing",
                  fmt::format("utilization {} comes after {}: the points of a shape must be in increasing order",
                              read.utilization, shape.back().utilization));
    }
    shape.push_back(read);
  });
  return present ? std::optional(std::move(shape)) : std::nullopt;
}

std::vector<UtilizationShapePoint> read_shape(Decoder& decoder, const Value& value) {
  ObjectReader parameters(decoder, value, "requestedToCapacityRatio");
  std::optional<std::vector<UtilizationShapePoint>> shape = read_points(decoder, parameters);
  if (shape ? shape->empty() : parameters.find("shape") == nullptr) {
    parameters.error("shape", "empty-shape", "the shape needs at least one point of utilization and score");
  }
  return std::move(shape).value_or(std::vector<UtilizationShapePoint>());
}

void read_strategy(Decoder& decoder, const Value& value, objects::NodeResourcesFitArgs& args) {
  ObjectReader reader(decoder, value, "scoringStrategy");
  const Value* const type = reader.find("type");
  const bool known = type != nullptr && std::ranges::find(kStrategyNames, type->text()) != kStrategyNames.end();
  args.strategy = static_cast<ScoringStrategyType>(reader.required_one_of("type", kStrategyNames));
  read_resources(decoder, reader, kMaxWeight, args.resources);
  const Value* const ratio = reader.find("requestedToCapacityRatio");
  if (args.strategy == ScoringStrategyType::kRequestedToCapacityRatio && ratio == nullptr) {
    decoder.error(value, "missing-key", "the type RequestedToCapacityRatio needs \"requestedToCapacityRatio\"",
                  "add requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}");
  } else if (known && args.strategy != ScoringStrategyType::kRequestedToCapacityRatio && ratio != nullptr) {
    reader.error("requestedToCapacityRatio", "unexpected-key",
                 fmt::format("only the type RequestedToCapacityRatio takes a shape; the type is {}", type->text()));
  } else if (ratio != nullptr) {
    decoder.at_key("requestedToCapacityRatio", [&] { args.shape = read_shape(decoder, *ratio); });
  }
}

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Letters, digits and `inner` characters, the latter not at the ends.
bool is_word(std::string_view text, std::size_t max_size, std::string_view inner) {
  return !text.empty() && text.size() <= max_size && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return is_alphanumeric(c) || inner.find(c) != inner.npos; });
}

/// A DNS subdomain: words of small letters, digits and dashes between dots.
bool is_domain(std::string_view text) {
  constexpr std::size_t kMaxDomain = 253;
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (text.size() > kMaxDomain || std::ranges::any_of(text, is_upper)) {
    return false;
  }
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_word(text.substr(0, dot), kMaxDomain, "-")) {
      return false;
    }
    if (dot == text.npos) {
      return true;
    }
    text.remove_prefix(dot + 1);
  }
}

/// Kubernetes' qualified name: an optional domain, then up to 63 letters, digits, dashes, dots and underscores.
bool is_qualified_name(std::string_view name) {
  constexpr std::size_t kMaxName = 63;
  const std::size_t slash = name.find('/');
  const bool domain_fits = slash == name.npos || is_domain(name.substr(0, slash));
  return domain_fits && is_word(slash == name.npos ? name : name.substr(slash + 1), kMaxName, "-_.");
}

constexpr std::array<std::string_view, 2> kDefaultingTypes = {"System", "List"};
constexpr std::size_t kListDefaulting = 1;
constexpr std::array<std::string_view, 2> kSpreadActions = {"DoNotSchedule", "ScheduleAnyway"};

/// A default constraint: as a pod's, but without a selector, and checked more strictly than the API server does.
objects::TopologySpreadConstraint read_default_constraint(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "default constraint");
  for (const std::string_view key : {"minDomains", "nodeAffinityPolicy", "nodeTaintsPolicy", "matchLabelKeys"}) {
    (void)reader.find(key);
  }
  (void)reader.required_int64("maxSkew", 1, std::numeric_limits<std::int32_t>::max());
  if (const std::string_view key = reader.required_string("topologyKey"); !key.empty() && !is_qualified_name(key)) {
    reader.error("topologyKey", "invalid-name", fmt::format("{} is not a label name", quote(key)));
  }
  (void)reader.required_one_of("whenUnsatisfiable", kSpreadActions);
  if (reader.find("labelSelector") != nullptr) {
    reader.error("labelSelector", "unexpected-key", "a default constraint has no selector: each pod's is deduced",
                 "remove labelSelector");
  }
  return decoder.failed() ? objects::TopologySpreadConstraint() : core::read_spread_constraint(decoder, value);
}

std::vector<std::string> read_names(Decoder& decoder, ObjectReader& reader, std::string_view key, bool allow_slash) {
  std::vector<std::string> names;
  const auto read_name = [&](const Value& item, std::size_t) {
    if (!item.is_string()) {
      decoder.error(item, "wrong-type", fmt::format("expected a string, found {}", describe(item)));
    } else if (!is_qualified_name(item.text())) {
      decoder.error(item, "invalid-name", fmt::format("{} is not a resource name", quote(item.text())));
    } else if (!allow_slash && item.text().find('/') != std::string_view::npos) {
      decoder.error(item, "invalid-name", fmt::format("{} is not the name of a group", quote(item.text())),
                    "name what stands before the slash, for example nvidia.com");
    } else {
      names.emplace_back(item.text());
    }
  };
  reader.array(key, read_name);
  return names;
}

}  // namespace

objects::NodeResourcesFitArgs read_node_resources_fit_args(Decoder& decoder, const Value& value) {
  objects::NodeResourcesFitArgs args;
  ObjectReader reader(decoder, value, "args");
  read_type(reader, "NodeResourcesFitArgs");
  args.ignored_resources = read_names(decoder, reader, "ignoredResources", true);
  args.ignored_resource_groups = read_names(decoder, reader, "ignoredResourceGroups", false);
  reader.object("scoringStrategy", [&](const Value& strategy) { read_strategy(decoder, strategy, args); });
  return args;
}

objects::NodeResourcesBalancedAllocationArgs read_balanced_allocation_args(Decoder& decoder, const Value& value) {
  objects::NodeResourcesBalancedAllocationArgs args;
  ObjectReader reader(decoder, value, "args");
  read_type(reader, "NodeResourcesBalancedAllocationArgs");
  read_resources(decoder, reader, 1, args.resources);
  for (auto spec = args.resources.begin(); spec != args.resources.end(); ++spec) {
    if (std::find_if(args.resources.begin(), spec, [&](const auto& s) { return s.name == spec->name; }) != spec) {
      reader.error("resources", "duplicate-resource", fmt::format("the resource {} is named twice", spec->name));
    }
  }
  return args;
}

objects::NodeAffinity read_node_affinity_args(Decoder& decoder, const Value& value) {
  objects::NodeAffinity affinity;
  ObjectReader reader(decoder, value, "args");
  read_type(reader, "NodeAffinityArgs");
  reader.object("addedAffinity", [&](const Value& added) { affinity = core::read_node_affinity(decoder, added); });
  return affinity;
}

objects::PodTopologySpreadArgs read_pod_topology_spread_args(Decoder& decoder, const Value& value) {
  objects::PodTopologySpreadArgs args;
  ObjectReader reader(decoder, value, "args");
  read_type(reader, "PodTopologySpreadArgs");
  std::vector<objects::TopologySpreadConstraint> constraints;
  reader.array("defaultConstraints", [&](const Value& item, std::size_t) {
    objects::TopologySpreadConstraint read = read_default_constraint(decoder, item);
    const bool repeated = std::ranges::any_of(constraints, [&](const objects::TopologySpreadConstraint& other) {
      return !read.topology_key.empty() && other.topology_key == read.topology_key &&
             other.when_unsatisfiable == read.when_unsatisfiable;
    });
    if (repeated) {
      decoder.error(item, "duplicate-constraint",
                    fmt::format("{{{}, {}}} is given twice", read.topology_key, read.when_unsatisfiable));
    }
    constraints.push_back(std::move(read));
  });
  const std::size_t type = reader.optional_one_of("defaultingType", kDefaultingTypes).value_or(0);
  if (type == kListDefaulting) {
    args.default_constraints = std::move(constraints);
  } else if (!constraints.empty()) {
    reader.error("defaultConstraints", "unexpected-key", "defaultConstraints need the defaultingType List",
                 "add defaultingType: List");
  }
  return args;
}

objects::InterPodAffinityArgs read_inter_pod_affinity_args(Decoder& decoder, const Value& value) {
  objects::InterPodAffinityArgs args;
  ObjectReader reader(decoder, value, "args");
  read_type(reader, "InterPodAffinityArgs");
  if (const auto weight = reader.optional_int64("hardPodAffinityWeight", 0, kMaxWeight)) {
    args.hard_pod_affinity_weight = static_cast<std::int32_t>(*weight);
  }
  args.ignore_preferred_terms_of_existing_pods =
      reader.optional_bool("ignorePreferredTermsOfExistingPods").value_or(false);
  return args;
}

objects::VolumeBindingArgs read_volume_binding_args(Decoder& decoder, const Value& args) {
  objects::VolumeBindingArgs result;
  ObjectReader reader(decoder, args, "args");
  read_type(reader, "VolumeBindingArgs");
  (void)reader.optional_int64("bindTimeoutSeconds", 0);
  // An empty list gets the default, too.
  if (auto shape = read_points(decoder, reader); shape && !shape->empty()) {
    result.shape = std::move(*shape);
  }
  return result;
}

objects::DynamicResourcesArgs read_dynamic_resources_args(Decoder& decoder, const Value& args) {
  constexpr std::int64_t kShortestBinding = 1000;
  objects::DynamicResourcesArgs result;
  ObjectReader reader(decoder, args, "args");
  read_type(reader, "DynamicResourcesArgs");
  result.filter_timeout_ms = read_go_duration(reader, "filterTimeout").value_or(result.filter_timeout_ms);
  if (const auto binding = read_go_duration(reader, "bindingTimeout"); binding && *binding < kShortestBinding) {
    reader.error("bindingTimeout", "out-of-range", "bindingTimeout must be at least 1 second");
  }
  return result;
}

void check_default_preemption_args(Decoder& decoder, const Value& value) {
  constexpr std::int64_t kMaxPercentage = 100;
  constexpr std::int64_t kDefaultPercentage = 10;
  constexpr std::int64_t kDefaultAbsolute = 100;
  ObjectReader reader(decoder, value, "args");
  read_type(reader, "DefaultPreemptionArgs");
  const std::int64_t percentage =
      reader.optional_int64("minCandidateNodesPercentage", 0, kMaxPercentage).value_or(kDefaultPercentage);
  const std::int64_t absolute =
      reader.optional_int64("minCandidateNodesAbsolute", 0, std::numeric_limits<std::int32_t>::max())
          .value_or(kDefaultAbsolute);
  if (percentage == 0 && absolute == 0) {
    reader.error("minCandidateNodesPercentage", "out-of-range",
                 "minCandidateNodesPercentage and minCandidateNodesAbsolute cannot both be 0");
  }
}

}  // namespace gpusched::io
