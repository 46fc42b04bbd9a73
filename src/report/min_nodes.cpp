#include <fmt/format.h>

#include <algorithm>

#include "report/placement_parts.hpp"

namespace gpusched::report {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kExamples = 3;

/// Millionths as a number; a double holds every price that is allowed exactly enough to print it.
Json price_of(const std::optional<std::int64_t>& millionths) {
  return millionths ? Json(static_cast<double>(*millionths) / 1e6) : Json();
}

Json never_entry(const ClusterUsage& usage, const MinNodesPart& part, const whatif::NeverFits& never) {
  const ClusterShape& shape = usage.shape();
  Json examples = Json::array();
  for (std::size_t i = 0; i < std::min(never.pods.size(), kExamples); ++i) {
    examples.push_back(shape.text(usage.pod_name(never.pods[i])));
  }
  Json reasons = Json::array();
  for (std::size_t offer = 0; offer < never.reasons.size(); ++offer) {
    reasons.push_back(
        {{"shape", part.names[offer]},
         {"reason", placement::reason_text(shape, usage.pod_class(never.pods.front()), never.reasons[offer])}});
  }
  return {{"count", never.pods.size()}, {"examples", std::move(examples)}, {"reasons", std::move(reasons)}};
}

}  // namespace

Json min_nodes_object(const ClusterUsage& usage, const MinNodesPart& part) {
  const whatif::MinNodesAnswer& answer = part.answer;
  Json shapes = Json::array();
  for (std::size_t offer = 0; offer < part.names.size(); ++offer) {
    const whatif::ShapeNeed& need = answer.shapes[offer];
    shapes.push_back({{"shape", part.names[offer]},
                      {"price", price_of(part.prices[offer])},
                      {"nodes", need.nodes ? Json(*need.nodes) : Json()},
                      {"atLeast", need.at_least}});
  }
  Json added = Json::array();
  for (std::size_t offer = 0; offer < part.names.size(); ++offer) {
    if (answer.added[offer] > 0) {
      added.push_back({{"shape", part.names[offer]}, {"count", answer.added[offer]}});
    }
  }
  Json never = Json::array();
  for (const whatif::NeverFits& pods : answer.never) {
    never.push_back(never_entry(usage, part, pods));
  }
  Json places = Json::array();
  for (const whatif::AddedPlace& place : answer.places) {
    places.push_back({{"pod", usage.shape().text(usage.pod_name(place.pod))},
                      {"node", fmt::format("{}-new-{}", part.names[place.offer], place.number)}});
  }
  return {{"pending", part.pending},
          {"shapes", std::move(shapes)},
          {"added", std::move(added)},
          {"nodes", answer.nodes},
          {"price", price_of(answer.price)},
          {"atLeast", answer.at_least},
          {"atLeastPrice", price_of(answer.least_price)},
          {"optimal", answer.optimal},
          {"never", std::move(never)},
          {"places", std::move(places)}};
}

}  // namespace gpusched::report
