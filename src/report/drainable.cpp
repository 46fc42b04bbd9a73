#include <array>
#include <string_view>

#include "report/moves_json.hpp"
#include "report/placement_parts.hpp"

namespace gpusched::report {

using Json = nlohmann::ordered_json;

namespace {

/// By Hindrance; the names of documents.
constexpr std::array<std::string_view, 5> kHindrances = {"", "control-plane", "unnamed-holder", "resource-claim",
                                                         "no-place"};

std::string hindrance_text(const ClusterUsage& usage, const whatif::NodeDrain& drain) {
  switch (drain.hindrance) {
    case whatif::Hindrance::kNone:
      return {};
    case whatif::Hindrance::kControlPlane:
      return "it runs the control plane";
    case whatif::Hindrance::kUnnamed:
      return "a holder without a name: what it needs elsewhere is unknown";
    case whatif::Hindrance::kClaim:
      return "it has devices of a ResourceClaim, which are not looked for elsewhere";
    case whatif::Hindrance::kNoPlace:
      return placement::fit_error(usage.shape(), usage.pod_class(drain.pod), *drain.reasons);
  }
  return {};
}

Json node_entry(const ClusterUsage& usage, const whatif::Disruption& disruption, const whatif::NodeDrain& drain) {
  const ClusterShape& shape = usage.shape();
  Json entry{{"node", shape.name(drain.node)},
             {"drainable", drain.hindrance == whatif::Hindrance::kNone},
             {"devices", drain.devices},
             {"staying", drain.staying},
             {"reason", kHindrances[static_cast<std::size_t>(drain.hindrance)]},
             {"pod", drain.pod.valid() ? shape.text(usage.pod_name(drain.pod)) : std::string_view()},
             {"message", hindrance_text(usage, drain)}};
  if (drain.reasons != nullptr) {
    entry["nodes"] = reason_list(shape, usage.pod_class(drain.pod), *drain.reasons);
  }
  entry["moves"] = move_list(usage, drain.moves);
  add_remarks(entry, usage, disruption, drain.remarks);
  return entry;
}

}  // namespace

Json drainable_object(const ClusterUsage& usage, const whatif::Disruption& disruption,
                      const whatif::DrainAnswer& answer) {
  Json nodes = Json::array();
  for (const whatif::NodeDrain& drain : answer.nodes) {
    nodes.push_back(node_entry(usage, disruption, drain));
  }
  Json chosen = Json::array();
  for (const NodeId node : answer.together) {
    chosen.push_back(usage.shape().name(node));
  }
  Json together{{"nodes", std::move(chosen)}, {"moves", move_list(usage, answer.moves)}};
  add_remarks(together, usage, disruption, answer.remarks);
  return {{"drainable", answer.drainable()}, {"nodes", std::move(nodes)}, {"together", std::move(together)}};
}

}  // namespace gpusched::report
