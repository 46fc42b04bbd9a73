#include "kueue/topology_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gpusched::kueue {

namespace {

using objects::PodSetSliceConstraint;
using objects::PodSetTopologyRequest;
using Levels = std::span<const std::string>;

std::optional<std::size_t> find_level(Levels levels, const std::string& label) {
  const auto found = std::ranges::find(levels, label);
  if (found == levels.end()) return std::nullopt;
  return static_cast<std::size_t>(found - levels.begin());
}

bool asks_slices_only(const PodSetTopologyRequest& request) {
  return !request.required && !request.preferred && (request.slice_topology || !request.slice_constraints.empty());
}

std::optional<std::string> main_level(const PodSetTopologyRequest& request, Levels levels) {
  if (request.required) return request.required;
  if (request.preferred) return request.preferred;
  if (asks_slices_only(request)) return levels.front();
  if (request.unconstrained.value_or(false)) return levels.back();
  return std::nullopt;
}

std::string slice_level(const PodSetTopologyRequest& request, Levels levels) {
  if (request.slice_topology) return *request.slice_topology;
  return request.slice_constraints.empty() ? levels.back() : request.slice_constraints.front().topology;
}

// The API allows sizes from 1; a smaller one is as good as none.
std::optional<std::int32_t> slice_size(const PodSetTopologyRequest& request) {
  std::optional<std::int32_t> size = 1;
  if (!request.slice_constraints.empty()) {
    size = request.slice_constraints.front().size;
  } else if (request.slice_topology) {
    size = request.slice_size;
  }
  return size.value_or(0) < 1 ? std::nullopt : size;
}

// Fills the sizes of the layers below the outermost one; "" or why they do not nest.
std::string add_inner_layers(std::span<const PodSetSliceConstraint> inner, Levels levels, SearchRules& rules) {
  std::int32_t outer_size = rules.slice_size;
  std::size_t outer_level = rules.slice_level;
  for (const PodSetSliceConstraint& layer : inner) {
    const auto level = find_level(levels, layer.topology);
    if (!level) return fmt::format("no requested topology level for additional slice layer: {}", layer.topology);
    if (*level <= outer_level) {
      return fmt::format("additional slice layer topology {} must be at a lower level than {}", layer.topology,
                         levels[outer_level]);
    }
    if (layer.size < 1 || outer_size % layer.size != 0) {
      return fmt::format("additional slice layer size {} must evenly divide parent layer size {}", layer.size,
                         outer_size);
    }
    rules.inner_size.resize(levels.size());
    for (std::size_t at = outer_level + 1; at <= *level; ++at) rules.inner_size[at] = layer.size;
    outer_size = layer.size;
    outer_level = *level;
  }
  return "";
}

// Every layer of the request that the topology has.
std::vector<SliceLayer> known_layers(std::span<const PodSetSliceConstraint> constraints, Levels levels) {
  std::vector<SliceLayer> layers;
  for (const PodSetSliceConstraint& constraint : constraints) {
    if (const auto level = find_level(levels, constraint.topology)) layers.push_back({*level, constraint.size});
  }
  return layers;
}

}  // namespace

SearchRules search_rules(const PodSetNeeds& needs, Levels levels, const TopologyFeatures& features) {
  SearchRules rules;
  const PodSetTopologyRequest request = needs.request.value_or(PodSetTopologyRequest{});
  const auto refuse = [&](std::string why) {
    rules.refusal = std::move(why);
    return rules;
  };
  const auto size = slice_size(request);
  if (!size) return refuse("slice topology requested, but slice size not provided");
  rules.slice_size = *size;
  rules.required = request.required.has_value();
  rules.unconstrained = request.unconstrained.value_or(false) || needs.implied || asks_slices_only(request);
  rules.least_free = rules.unconstrained && features.mixed_profile;
  rules.look_further = features.preferred_affinity && rules.required && !rules.least_free;
  rules.balanced = features.balanced_placement && !rules.required && !rules.unconstrained;

  auto label = main_level(request, levels);
  if (!label && needs.implied) label = levels.back();
  if (!label) return refuse("topology level not specified");
  const auto level = find_level(levels, *label);
  if (!level) return refuse(fmt::format("no requested topology level: {}", *label));
  const std::string slice_label = slice_level(request, levels);
  const auto at_slices = find_level(levels, slice_label);
  if (!at_slices) return refuse(fmt::format("no requested topology level for slices: {}", slice_label));
  if (*level > *at_slices) {
    return refuse(fmt::format("podset slice topology {} is above the podset topology {}", slice_label, *label));
  }
  rules.level = *level;
  rules.slice_level = *at_slices;
  if (features.multi_layer && request.slice_constraints.size() > 1) {
    const std::span constraints = request.slice_constraints;
    if (auto why = add_inner_layers(constraints.subspan(1), levels, rules); !why.empty()) return refuse(std::move(why));
    rules.layers = known_layers(constraints, levels);
  }
  return rules;
}

bool has_levels(const PodSetTopologyRequest& request, Levels levels, const TopologyFeatures& features) {
  const auto label = main_level(request, levels);
  if (!label || !find_level(levels, *label) || !find_level(levels, slice_level(request, levels))) return false;
  return !features.multi_layer || std::ranges::all_of(request.slice_constraints, [&](const auto& constraint) {
    return find_level(levels, constraint.topology).has_value();
  });
}

}  // namespace gpusched::kueue
