#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gpusched/base/text.hpp"
#include "render/cells.hpp"
#include "render/tables.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

/// "nvidia.com/gpu=a100:8 cpu=a100:64"
std::string flavors_text(const Json& pods) {
  std::string list;
  for (const auto& [resource, flavor] : pods.at("flavors").items()) {
    list += fmt::format("{}{}={}:{}", list.empty() ? "" : " ", escape_control(resource), text(flavor),
                        text(pods.at("usage").at(resource)));
  }
  return list;
}

/// "rack-1/host-2:4 rack-1/host-3:4"
std::string topology_text(const Json& pods) {
  const auto topology = pods.find("topology");
  if (topology == pods.end()) {
    return {};
  }
  std::string list;
  for (const Json& domain : topology->at("domains")) {
    std::string path;
    for (const Json& value : domain.at("values")) {
      path += (path.empty() ? "" : "/") + text(value);
    }
    list += fmt::format("{}{}:{}", list.empty() ? "" : " ", path, domain.at("count").dump());
  }
  return list;
}

void admitted_rows(const Json& list, const TableOptions& options, std::string& out) {
  std::vector<std::string> header = {"workload", "queue", "state", "pod set", "pods", "flavors"};
  if (options.wide) {
    header.insert(header.end(), {"cycle", "topology"});
  }
  Columns columns(std::move(header));
  for (const Json& workload : list) {
    std::string name = text(workload.at("workload"));
    std::string queue = text(workload.at("clusterQueue"));
    std::string state = workload.contains("state") ? text(workload.at("state")) : "Admitted";
    for (const Json& pods : workload.at("podSets")) {
      std::vector<std::string> row = {
          name, queue, state, text(pods.at("name")), pods.at("count").dump(), flavors_text(pods)};
      if (options.wide) {
        row.push_back(workload.at("cycle").dump());
        row.push_back(topology_text(pods));
      }
      columns.add(std::move(row));
      name = queue = state = "";  // said once
    }
  }
  columns.write(out, {false, false, false, false, true, false, true, false}, options.headers, 0);
}

void pending_lines(const Json& list, std::string& out) {
  for (const Json& workload : list) {
    const std::string reason = text(workload.at("reason"));
    const std::string message = text(workload.at("message"));
    out += fmt::format("{} {}", text(workload.at("workload")),
                       reason.empty() ? "waits behind others, not tried yet" : reason + ": " + message);
    out += workload.contains("requeued") ? fmt::format(" (requeued {})\n", text(workload.at("requeued"))) : "\n";
  }
}

}  // namespace

void admission_lines(const Json& admission, const TableOptions& options, std::string& out) {
  if (!admission.at("admitted").empty()) {
    admitted_rows(admission.at("admitted"), options, out);
  }
  pending_lines(admission.at("pending"), out);
  for (const Json& eviction : admission.at("evicted")) {
    const Json& reason = eviction.contains("preempted") ? eviction.at("preempted") : eviction.at("reason");
    out += fmt::format("evicted in cycle {}: {} ({}): {}\n", eviction.at("cycle").dump(), text(eviction.at("workload")),
                       text(reason), text(eviction.at("message")));
  }
  for (const Json& queue : admission.at("clusterQueues")) {
    out += fmt::format("ClusterQueue {} is inactive ({}): {}\n", text(queue.at("name")), text(queue.at("reason")),
                       text(queue.at("message")));
  }
  out +=
      fmt::format("{} admitted, {} pending, {} finished after {} scheduling cycles\n", admission.at("admitted").size(),
                  admission.at("pending").size(), admission.at("finished").size(), admission.at("cycles").dump());
  if (admission.contains("loop")) {
    out += fmt::format("! the queues repeat {} states without end: Workloads evict each other\n",
                       admission.at("loop").dump());
  }
}

}  // namespace gpusched::render
