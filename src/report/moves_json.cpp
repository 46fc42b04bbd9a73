#include "report/moves_json.hpp"

#include <fmt/format.h>

namespace gpusched::report {

using Json = nlohmann::ordered_json;

void add_shares(Json& object, const ClusterUsage& usage, NodeId node, std::span<const GpuShare> shares) {
  Json gpus = Json::array();
  Json instances = Json::array();
  for (const GpuShare& share : shares) {
    if (share.instance == GpuShare::kNoInstance) {
      gpus.push_back(share.gpu);
    } else {
      const MigInstance& instance = usage.node_class(node).instances[share.instance];
      instances.push_back(fmt::format("{}@{}", usage.shape().text(instance.profile), instance.start));
    }
  }
  object["gpus"] = std::move(gpus);
  if (!instances.empty()) {
    object["migInstances"] = std::move(instances);
  }
}

Json move_list(const ClusterUsage& usage, std::span<const whatif::Move> moves) {
  const ClusterShape& shape = usage.shape();
  Json list = Json::array();
  for (const whatif::Move& move : moves) {
    Json entry{
        {"pod", shape.text(usage.pod_name(move.pod))}, {"from", shape.name(move.from)}, {"to", shape.name(move.to)}};
    add_shares(entry, usage, move.to, move.shares);
    list.push_back(std::move(entry));
  }
  return list;
}

void add_remarks(Json& object, const ClusterUsage& usage, const whatif::Disruption& disruption,
                 const whatif::EvictionRemarks& remarks) {
  Json budgets = Json::array();
  for (const std::uint32_t budget : remarks.budgets) {
    budgets.push_back(disruption.budgets[budget].name);
  }
  Json orphans = Json::array();
  for (const PodId pod : remarks.orphans) {
    orphans.push_back(usage.shape().text(usage.pod_name(pod)));
  }
  object["budgets"] = std::move(budgets);
  object["orphans"] = std::move(orphans);
}

}  // namespace gpusched::report
