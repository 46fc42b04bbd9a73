#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "gpusched/base/text.hpp"
#include "render/tables.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

/// A text between quotes of a Mermaid diagram.
std::string quoted(const Json& value) {
  std::string out;
  for (const char c : escape_control(value.is_string() ? value.get_ref<const std::string&>() : value.dump())) {
    if (c == '"') {
      out += "#quot;";
    } else if (c == '<' || c == '>' || c == '#') {
      out += fmt::format("#{};", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string chain_mermaid(const Json& report) {
  std::string out = "flowchart LR\n";
  std::map<std::string, std::string> flavors;
  std::map<std::string, std::string> queues;
  const Json none = Json::array();
  const auto list = [&](const char* key) -> const Json& { return report.contains(key) ? report.at(key) : none; };
  for (const Json& flavor : list("flavors")) {
    const std::string id = fmt::format("f{}", flavors.size());
    flavors[flavor.at("name")] = id;
    out += fmt::format("  n{0}[\"{1} {4}\"] -- \"{2}\" --> {0}[\"{3}\"]\n", id, flavor.at("nodes").dump(),
                       flavor.at("capacity").dump(), quoted(flavor.at("name")),
                       flavor.at("nodes") == 1 ? "node" : "nodes");
  }
  for (const Json& queue : list("queues")) {
    const std::string id = fmt::format("q{}", queues.size());
    queues[queue.at("name")] = id;
    out += fmt::format("  {}([\"{}<br/>{} · can give {}\"])\n", id, quoted(queue.at("name")), quoted(queue.at("phase")),
                       quoted(queue.at("views")));
    for (const Json& quota : queue.at("quota")) {
      const auto flavor = flavors.find(quota.at("flavor").get<std::string>());
      if (flavor == flavors.end()) continue;
      out += fmt::format("  {} -- \"{}\" --> {}\n", flavor->second, quoted(quota.at("nominal")), id);
    }
  }
  // Workloads by where they stop.
  std::map<std::pair<std::string, int>, int> stops;
  for (const Json& workload : list("gates")) {
    const auto queue = queues.find(workload.value("pool", std::string()));
    if (queue == queues.end()) continue;
    const int gate = workload.contains("brokenLink") ? -1 : workload.value("firstRefusal", 0);
    ++stops[{queue->second, gate}];
  }
  for (const auto& [where, count] : stops) {
    const auto& [queue, gate] = where;
    const std::string text = gate == 0  ? "pass all gates"
                             : gate < 0 ? "broken link"
                                        : fmt::format("held by gate {}", gate);
    out += fmt::format("  {0} -- \"{1}\" --> {0}g{2}{{{{\"{3}\"}}}}\n", queue, count,
                       gate < 0 ? "x" : std::to_string(gate), text);
  }
  return out;
}

}  // namespace gpusched::render
