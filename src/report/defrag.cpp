#include <array>
#include <string_view>

#include "report/fragmentation_parts.hpp"
#include "report/moves_json.hpp"
#include "report/placement_parts.hpp"

namespace gpusched::report {

using Json = nlohmann::ordered_json;

namespace {

/// By DefragOutcome.
constexpr std::array<std::string_view, 3> kOutcomes = {"plan", "no-plan", "undecided"};

}  // namespace

Json defrag_object(const ClusterUsage& usage, const whatif::Disruption& disruption, const DefragPart& part) {
  const whatif::DefragAnswer& answer = part.answer;
  const ClusterShape& shape = usage.shape();
  Json places = Json::array();
  for (const whatif::OpenedPlace& place : answer.places) {
    Json entry{{"pod", shape.text(usage.pod_name(place.pod))}, {"node", shape.name(place.node)}};
    add_shares(entry, usage, place.node, place.shares);
    places.push_back(std::move(entry));
  }
  Json object{{"wanted", part.wanted},
              {"pods", part.pods},
              {"outcome", kOutcomes[static_cast<std::size_t>(answer.outcome)]},
              {"optimal", answer.optimal},
              {"maxMoves", part.max_moves},
              {"atLeast", answer.at_least > part.max_moves ? Json() : Json(answer.at_least)},
              {"steps", answer.steps},
              {"moves", move_list(usage, answer.moves)},
              {"devices", answer.devices},
              {"places", std::move(places)},
              {"before", fragmentation_object(answer.before, {})},
              {"after", fragmentation_object(answer.after, {})}};
  add_remarks(object, usage, disruption, answer.remarks);
  return object;
}

}  // namespace gpusched::report
