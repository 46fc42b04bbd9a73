#include "gpusched/report/mig_layout.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/header.hpp"

namespace gpusched::report {

using Json = nlohmann::ordered_json;

namespace {

Json instance_list(const mig::Board& board, std::span<const mig::Instance> instances) {
  Json list = Json::array();
  for (const mig::Instance& instance : instances) {
    list.push_back(mig::to_string(board, instance));
  }
  return list;
}

Json profile_names(const mig::Board& board, mig::ProfileSet profiles) {
  Json names = Json::array();
  for (const mig::ProfileIndex profile : profiles) {
    names.push_back(board.profiles[profile].name);
  }
  return names;
}

Json creation(const frag::MigLayoutAnswer& answer, const frag::CreationAnswer& created) {
  const mig::Board& board = *answer.board;
  Json object{{"starts", created.rule == mig::StartRule::kLowest ? "lowest" : "keep-largest"},
              {"created", instance_list(board, created.listed.created)}};
  if (created.listed.stopped) {
    object["stopsAt"] = board.profiles[answer.wanted.entries[*created.listed.stopped].profile].name;
  }
  object["orders"] = created.orders.orders;
  object["workingOrders"] = created.orders.working;
  object["workingOrder"] = instance_list(board, created.orders.created);
  object["tries"] = created.orders.tries;
  return object;
}

Json resources(const mig::PluginResources& resources) {
  Json object = Json::object();
  for (const auto& [name, count] : resources) {
    object[name] = count;
  }
  return object;
}

Json pod_names(const ClusterUsage& usage, std::span<const PodId> pods) {
  Json names = Json::array();
  for (const PodId pod : pods) {
    names.push_back(usage.shape().text(usage.pod_name(pod)));
  }
  return names;
}

Json gpu_object(const ClusterUsage& usage, const mig::Board& board, const frag::GpuRepartition& gpu) {
  const NodeClass& node_class = usage.node_class(gpu.node);
  const auto current = [&](std::span<const std::size_t> indices) {
    Json list = Json::array();
    for (const std::size_t i : indices) {
      const MigInstance& instance = node_class.instances[gpu.current[i]];
      list.push_back(std::string(usage.shape().text(instance.profile)) + "@" + std::to_string(instance.start));
    }
    return list;
  };
  std::vector<std::size_t> removed = gpu.plan.removed;
  removed.insert(removed.end(), gpu.plan.drained.begin(), gpu.plan.drained.end());
  std::ranges::sort(removed, {}, [&](std::size_t i) { return node_class.instances[gpu.current[i]].start; });
  return {{"node", usage.shape().name(gpu.node)},
          {"gpu", gpu.gpu},
          {"kept", current(gpu.plan.kept)},
          {"removed", current(removed)},
          {"created", instance_list(board, gpu.plan.created)},
          {"modeChanges", gpu.mode_changes},
          {"drain", pod_names(usage, gpu.drain)},
          {"migManagerDrain", pod_names(usage, gpu.manager_drain)}};
}

Json layout_object(const MigLayoutPart& part) {
  const frag::MigLayoutAnswer& answer = part.answer;
  const mig::Board& board = *answer.board;
  Json wanted = Json::array();
  for (const mig::LayoutEntry& entry : answer.wanted.entries) {
    wanted.push_back(mig::entries_text(board, {&entry, 1}));
  }
  Json object{{"target", part.target},
              {"board", board.id},
              {"product", board.products.front()},
              {"migEnabled", answer.wanted.mig_enabled},
              {"wanted", std::move(wanted)},
              {"fits", answer.refused.empty()}};
  if (!answer.refused.empty()) {
    object["message"] = answer.refused.front().message;
    object["hint"] = answer.refused.front().hint;
    return object;
  }
  object["layout"] = instance_list(board, answer.layout);
  object["computeSlices"] = {{"used", answer.compute_slices}, {"total", board.compute_slices}};
  object["memorySlices"] = {{"used", answer.memory_slices}, {"total", board.memory_slices}};
  object["couldAdd"] = profile_names(board, answer.could_add.base);
  object["couldAddOther"] = profile_names(board, answer.could_add.other);
  Json created = Json::array();
  for (const frag::CreationAnswer& one : answer.created) {
    created.push_back(creation(answer, one));
  }
  object["creation"] = std::move(created);
  object["resources"] = {{"mixed", resources(answer.mixed)}};
  if (answer.single) {
    object["resources"]["single"] = resources(*answer.single);
  } else {
    object["resources"]["singleRefused"] = answer.single.error().front().message;
  }
  if (part.usage != nullptr) {
    Json gpus = Json::array();
    for (const frag::GpuRepartition& gpu : answer.gpus) {
      gpus.push_back(gpu_object(*part.usage, board, gpu));
    }
    object["gpus"] = std::move(gpus);
  }
  return object;
}

}  // namespace

Document mig_layout_report(std::span<const MigLayoutPart> parts) {
  Json report = document_header("MigLayoutReport");
  Json layouts = Json::array();
  for (const MigLayoutPart& part : parts) {
    layouts.push_back(layout_object(part));
  }
  report["layouts"] = std::move(layouts);
  return {std::make_shared<const Json>(std::move(report))};
}

}  // namespace gpusched::report
