#include "report/repartition.hpp"

#include "report/moves_json.hpp"

namespace gpusched::report {

using Json = nlohmann::ordered_json;

namespace {

Json instance_list(const mig::Board& board, std::span<const mig::Instance> instances) {
  Json list = Json::array();
  for (const mig::Instance& instance : instances) {
    list.push_back({{"profile", board.profiles[instance.profile].name}, {"start", instance.start}});
  }
  return list;
}

}  // namespace

Json repartition_object(const ClusterUsage& usage, const whatif::Disruption& disruption,
                        const whatif::RepartitionAnswer& answer) {
  const ClusterShape& shape = usage.shape();
  Json mix = Json::array();
  for (const whatif::MixRow& row : answer.rows) {
    mix.push_back(
        {{"profile", row.profile}, {"wanted", row.wanted}, {"freeNow", row.free_now}, {"served", row.served}});
  }
  Json gpus = Json::array();
  for (const whatif::RepartitionedGpu& gpu : answer.gpus) {
    const mig::Board& board = mig::boards()[gpu.mig_board];
    gpus.push_back({{"node", shape.name(gpu.node)},
                    {"gpu", gpu.gpu},
                    {"model", shape.text(shape.board(usage.node_class(gpu.node).gpus[gpu.gpu]).model)},
                    {"enableMig", gpu.enable_mig},
                    {"busy", instance_list(board, gpu.busy)},
                    {"before", instance_list(board, gpu.before)},
                    {"after", instance_list(board, gpu.after)},
                    {"destroy", instance_list(board, gpu.destroyed)},
                    {"create", instance_list(board, gpu.created)}});
  }
  Json object{{"allServed", answer.all_served()},
              {"optimal", answer.optimal},
              {"mix", std::move(mix)},
              {"gpus", std::move(gpus)}};
  if (answer.moves) {
    object["moves"] = move_list(usage, answer.moves->moves);
    add_remarks(object, usage, disruption, answer.moves->remarks);
  }
  return object;
}

}  // namespace gpusched::report
