#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/cells.hpp"
#include "render/search_tables.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

std::string instances(const Json& list, const Json& busy) {
  std::string result;
  for (const Json& instance : list) {
    bool held = false;
    for (const Json& other : busy) {
      held = held || other == instance;
    }
    result += fmt::format("{}{}@{}{}", result.empty() ? "" : ", ", text(instance.at("profile")),
                          instance.at("start").dump(), held ? " (busy)" : "");
  }
  return result.empty() ? "nothing" : result;
}

void gpu_lines(const Json& gpu, std::string& out) {
  const Json none = Json::array();
  out += fmt::format("{} GPU {} ({})\n", text(gpu.at("node")), gpu.at("gpu").dump(), text(gpu.at("model")));
  const bool enable = gpu.at("enableMig").get<bool>();
  out += fmt::format("    now     {}\n",
                     enable ? std::string("not in MIG mode") : instances(gpu.at("before"), gpu.at("busy")));
  out += fmt::format("    then    {}\n", instances(gpu.at("after"), gpu.at("busy")));
  if (!gpu.at("destroy").empty()) {
    out += fmt::format("    destroy {}\n", instances(gpu.at("destroy"), none));
  }
  out += fmt::format("    create  {}\n", instances(gpu.at("create"), none));
  // Sources: mig-parted issue 119, k8s-device-plugin issue 299.
  if (!gpu.at("busy").empty()) {
    out += "    ! by hand or with dynamic MIG: the MIG manager changes a GPU only when nothing runs on it\n";
  }
}

/// The moves of --drainable, in their order.
void move_lines(const Json& repartition, std::string& out) {
  Columns columns({"", "pod", "from", "to", "devices"});
  std::size_t step = 0;
  for (const Json& move : repartition.at("moves")) {
    columns.add({fmt::format("{}.", ++step), text(move.at("pod")), text(move.at("from")), "-> " + text(move.at("to")),
                 device_list(move)});
  }
  columns.write(out, {true, false, false, false, false}, false, 2);
  eviction_remarks(repartition, "  ", out);
}

}  // namespace

std::string repartition_headline(const Json& repartition) {
  const std::size_t gpus = repartition.at("gpus").size();
  const std::size_t moves = repartition.value("moves", Json::array()).size();
  const bool all = repartition.at("allServed").get<bool>();
  const bool optimal = repartition.at("optimal").get<bool>();
  std::string change = gpus == 0 ? std::string("no GPU has to change")
                                 : fmt::format("{} {} changed", gpus, gpus == 1 ? "GPU is" : "GPUs are");
  if (moves > 0) {
    change = fmt::format("{} first, then {}", moves == 1 ? "1 pod moves" : fmt::format("{} pods move", moves), change);
  }
  return fmt::format("{}: {}{}", all ? "the mix can be served" : "the mix cannot be served whole", change,
                     optimal ? ""
                     : all   ? "; fewer might do"
                             : "; the search was not exhaustive");
}

void repartition_lines(const Json& repartition, const TableOptions& options, std::string& out) {
  out += repartition_headline(repartition) + '\n';
  Columns mix({"profile", "wanted", "free now", "served"});
  for (const Json& row : repartition.at("mix")) {
    mix.add({text(row.at("profile")), row.at("wanted").dump(), row.at("freeNow").dump(), row.at("served").dump()});
  }
  mix.write(out, {false, true, true, true}, options.headers, 2);
  if (repartition.contains("moves")) {
    move_lines(repartition, out);
  }
  for (const Json& gpu : repartition.at("gpus")) {
    gpu_lines(gpu, out);
  }
}

}  // namespace gpusched::render
