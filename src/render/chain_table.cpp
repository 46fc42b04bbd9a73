#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/cells.hpp"
#include "render/tables.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

std::string models_text(const Json& node) {
  std::string out;
  for (const Json& model : node.at("models")) {
    out += fmt::format("{}{} x{}", out.empty() ? "" : ", ", text(model.at("key")), text(model.at("count")));
    if (model.value("partitioned", 0) > 0) out += fmt::format(" ({} partitioned)", text(model.at("partitioned")));
  }
  return out.empty() ? "-" : out;
}

/// "nvidia.com/gpu=5 nvidia.com/gpu.shared=50".
std::string pairs(const Json& map) {
  std::string out;
  for (const auto& [key, value] : map.items()) {
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", escape_control(key), text(value));
  }
  return out;
}

struct NodeLine {
  std::string name, platform, managed, cpu, models, keys;
  std::int64_t more = 0;
};

/// The lines of the nodes; when there are many, one for each kind of equal ones.
std::vector<NodeLine> node_lines(const Json& report) {
  std::vector<NodeLine> lines;
  std::map<std::string, std::size_t> kinds;
  const Json& nodes = report.at("nodes");
  for (const Json& node : nodes) {
    const auto& name = node.at("name").get_ref<const std::string&>();
    NodeLine line;
    line.name = text(node.at("name"));
    line.platform = text(node.at("os")) + "/" + text(node.at("arch"));
    line.managed = node.at("managed").get<bool>() ? "managed" : "unmanaged";
    line.cpu = fmt::format("{} x{}", text(node.at("generalKey")), text(node.at("cores")));
    line.models = models_text(node);
    line.keys = pairs(report.at("capacity").at(name));
    if (const std::string pools = pairs(node.at("pools")); !pools.empty()) {
      line.keys = pools + (line.keys.empty() ? "" : " ") + line.keys;
    }
    if (nodes.size() > kMaxRows) {
      const auto [kind, added] = kinds.try_emplace(
          join(std::array{line.platform, line.managed, line.cpu, line.models, line.keys}, "|"), lines.size());
      if (!added) {
        ++lines[kind->second].more;
        continue;
      }
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

void keys_lines(const std::string& keys, std::string& out) {
  std::size_t start = 0;
  while (start < keys.size()) {
    const std::size_t end = std::min(keys.find(' ', start), keys.size());
    const std::size_t equals = keys.find('=', start);
    out += fmt::format("    {}  {}\n", pad_right(keys.substr(start, equals - start), 42),
                       keys.substr(equals + 1, end - equals - 1));
    start = end + 1;
  }
}

void stage3_lines(const Json& report, const TableOptions& options, std::string& out) {
  if (options.headers) out += "stage 3: node -> keys\n";
  for (const NodeLine& line : node_lines(report)) {
    const std::string more = line.more == 0 ? "" : fmt::format(" and {} like it", line.more);
    out += fmt::format("  {}{}  {} {}  CPU {}  accelerators {}\n", line.name, more, line.managed, line.platform,
                       line.cpu, line.models);
    keys_lines(line.keys, out);
    if (!options.wide || line.more != 0) continue;
    for (const auto& [key, value] : report.at("labels").at(line.name).items()) {
      out += fmt::format("    label {}={}\n", escape_control(key), text(value));
    }
  }
}

void stage4_lines(const Json& report, const TableOptions& options, std::string& out) {
  if (options.headers) out += "stage 4: flavor -> queue\n";
  Columns flavors({"flavor", "nodes", "capacity", "queue"});
  for (const Json& flavor : report.at("flavors")) {
    flavors.add({text(flavor.at("name")), text(flavor.at("nodes")), text(flavor.at("capacity")),
                 joined(flavor.at("queues"), {.none = "no queue takes it"})});
  }
  flavors.write(out, {false, true, true, false}, options.headers, 2);
  for (const Json& queue : report.at("queues")) {
    const Json& unit = queue.at("unit");
    out += fmt::format("  queue {}  {}  stopPolicy {}  unit {}/{}/{}\n", text(queue.at("name")),
                       text(queue.at("phase")), text(queue.at("stopPolicy")), text(unit.at("cpu")),
                       text(unit.at("ram")), text(unit.at("localStorage")));
    for (const Json& quota : queue.at("quota")) {
      out += fmt::format("    {} of {} by {}\n", text(quota.at("nominal")), text(queue.at("resource")),
                         text(quota.at("flavor")));
    }
    if (queue.contains("topologyMessage")) {
      out += fmt::format("    ! {}: {}\n", text(queue.at("topologyReady")), text(queue.at("topologyMessage")));
    }
    out += fmt::format("    can give {}  checks {}\n", text(queue.at("views")),
                       joined(queue.at("checks"), {.none = "none"}));
    out += fmt::format("    LocalQueue {}\n", text(queue.at("localQueue")));
    for (const Json& write : queue.at("writes")) {
      if (options.wide || report.contains("changes"))
        out += fmt::format("    {}: {}\n", text(write.at("controller")), text(write.at("write")));
    }
  }
}

void explain_lines(const Json& workload, std::string& out) {
  out += fmt::format("workload {}  queue {}\n", text(workload.at("workload")), text(workload.at("queue")));
  if (workload.contains("brokenLink")) {
    const Json& link = workload.at("brokenLink");
    out += fmt::format("  broken link: {}: {}\n", text(link.at("link")), text(link.at("message")));
    if (link.contains("hint")) out += fmt::format("    {}\n", text(link.at("hint")));
  }
  for (const Json& set : workload.at("podSets")) {
    const std::string requests = pairs(set.at("requests"));
    out += fmt::format("  {} x{}  {}\n", text(set.at("name")), text(set.at("count")),
                       requests.empty() ? "no accelerator" : requests);
    for (const Json& pin : set.value("pins", Json::array())) {
      out += fmt::format("    pinned to nodes with {} > {}\n", text(pin.at("key")), text(pin.at("values").at(0)));
    }
  }
  for (const Json& gate : workload.at("gates")) {
    out += fmt::format("  gate {} {}  {}", text(gate.at("gate")), pad_right(text(gate.at("name")), 18),
                       text(gate.at("outcome")));
    out += gate.contains("message") ? fmt::format(": {}\n", text(gate.at("message"))) : "\n";
    if (gate.contains("fix")) out += fmt::format("    {}\n", text(gate.at("fix")));
  }
}

/// One line a workload: the first gate that does not let it through, or where it goes.
void gates_lines(const Json& gates, const TableOptions& options, std::string& out) {
  if (options.headers) out += "admission: workload -> gates\n";
  Columns table({"workload", "pool", "verdict"});
  for (const Json& workload : gates) {
    std::string verdict = "passes";
    if (workload.contains("brokenLink")) {
      const Json& link = workload.at("brokenLink");
      verdict = fmt::format("broken link {}: {}", text(link.at("link")), text(link.at("message")));
    } else if (workload.contains("firstRefusal")) {
      const Json& gate = workload.at("gates").at(workload.at("firstRefusal").get<std::size_t>() - 1);
      verdict = fmt::format("gate {} ({}) {}: {}", text(gate.at("gate")), text(gate.at("name")),
                            text(gate.at("outcome")), text(gate.value("message", Json(""))));
    } else if (workload.at("gates").at(1).contains("message")) {
      verdict = "passes: " + text(workload.at("gates").at(1).at("message"));
    }
    table.add({text(workload.at("workload")), workload.contains("pool") ? text(workload.at("pool")) : "-", verdict});
  }
  table.write(out, {false, false, false}, options.headers, 2);
}

/// Links that break in the same way are told once, with examples.
void link_lines(const Json& links, const TableOptions& options, std::string& out) {
  if (links.empty()) return;
  struct Group {
    const Json* first;
    std::vector<std::string> objects;
  };
  std::vector<Group> groups;
  std::map<std::string, std::size_t> known;
  for (const Json& link : links) {
    const auto [entry, added] = known.try_emplace(text(link.at("link")) + text(link.at("message")), groups.size());
    if (added) groups.push_back({&link, {}});
    groups[entry->second].objects.push_back(text(link.at("object")));
  }
  constexpr std::size_t kExamples = 3;
  if (options.headers) out += "broken links\n";
  for (const Group& group : groups) {
    std::vector<std::string> shown(
        group.objects.begin(),
        group.objects.begin() + static_cast<std::ptrdiff_t>(std::min(kExamples, group.objects.size())));
    std::string objects = join(shown, ", ");
    if (group.objects.size() > kExamples) objects += fmt::format(" and {} more", group.objects.size() - kExamples);
    out += fmt::format("  {}: {}: {}\n", text(group.first->at("link")), objects, text(group.first->at("message")));
    if (group.first->contains("hint")) out += fmt::format("    {}\n", text(group.first->at("hint")));
  }
}

}  // namespace

void chain_diff_table(const Json& report, const TableOptions&, std::string& out) {
  for (const Json& entry : report.at("drift")) {
    out += fmt::format("{} {}", text(entry.at("drift")), text(entry.at("object")));
    if (entry.contains("path")) out += " " + text(entry.at("path"));
    if (entry.contains("want")) out += fmt::format("  want {}", text(entry.at("want")));
    if (entry.contains("found")) out += fmt::format("  found {}", text(entry.at("found")));
    out += '\n';
  }
  out += report.at("drift").empty() ? "no drift\n" : fmt::format("{} differences\n", report.at("drift").size());
}

void chain_table(const Json& report, const TableOptions& options, std::string& out) {
  if (report.contains("changes")) {
    out += "what if\n";
    for (const Json& change : report.at("changes")) out += fmt::format("  {}\n", text(change));
  }
  if (report.contains("nodes")) stage3_lines(report, options, out);
  if (report.contains("flavors")) stage4_lines(report, options, out);
  if (report.contains("gates")) {
    const Json& gates = report.at("gates");
    if (report.contains("admission")) {
      gates_lines(gates, options, out);
    } else {
      for (const Json& workload : gates) explain_lines(workload, out);
      return;
    }
  }
  link_lines(report.at("links"), options, out);
}

}  // namespace gpusched::render
