#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "render/html_pages.hpp"

namespace gpusched::render::html {

namespace {

/// "key = value" pairs, a line each.
std::string pairs(const Json& map) {
  std::string out;
  for (const auto& [key, value] : map.items()) {
    out += fmt::format("<li>{} = {}</li>", escape(key), text(value));
  }
  return out.empty() ? "–" : fmt::format("<ul class=\"plain\">{}</ul>", out);
}

std::string models(const Json& node) {
  std::string words;
  for (const Json& model : get(node, "models")) {
    words += fmt::format("{}{} ×{}", words.empty() ? "" : ", ", text(get(model, "key")), text(get(model, "count")));
    if (get_number(model, "partitioned") > 0) {
      words += fmt::format(" ({} partitioned)", text(model.at("partitioned")));
    }
  }
  return words.empty() ? "–" : words;
}

std::string node_table(const Json& report) {
  Table table("Nodes and the counting keys of their capacity", {{"node"},
                                                                {"managed", false, true},
                                                                {"platform", false, true},
                                                                {"CPU"},
                                                                {"accelerators", false, true},
                                                                {"device plugin's pools"},
                                                                {"keys"}});
  for (const Json& node : get(report, "nodes")) {
    table.add({text(get(node, "name")), text(get(node, "managed")),
               fmt::format("{}/{}", text(get(node, "os")), text(get(node, "arch"))),
               fmt::format("{} ×{}", text(get(node, "generalKey")), text(get(node, "cores"))), models(node),
               pairs(get(node, "pools")), pairs(get(get(report, "capacity"), get_text(node, "name")))});
  }
  return table.html();
}

std::string label_table(const Json& labels) {
  Table table("Labels of the chain", {{"node", false, true}, {"label", false, true}, {"value"}});
  for (const auto& [node, own] : labels.items()) {
    for (const auto& [key, value] : own.items()) {
      table.add({escape(node), escape(key), text(value)});
    }
  }
  return table.html();
}

std::string flavor_table(const Json& flavors) {
  Table table("ResourceFlavors", {{"flavor"},
                                  {"nodes", true},
                                  {"count per node", true},
                                  {"capacity", true},
                                  {"profile", false, true},
                                  {"queues"}});
  for (const Json& flavor : flavors) {
    table.add({text(get(flavor, "name")), text(get(flavor, "nodes")), text(get(flavor, "count")),
               text(get(flavor, "capacity")), text(get(flavor, "profile")),
               get(flavor, "queues").empty() ? "no queue takes it" : text(get(flavor, "queues"))});
  }
  return table.html();
}

std::string quota_cell(const Json& queue) {
  std::string items;
  for (const Json& quota : get(queue, "quota")) {
    items += fmt::format("<li>{} by {}</li>", text(get(quota, "nominal")), text(get(quota, "flavor")));
  }
  return items.empty() ? "–" : fmt::format("<ul class=\"plain\">{}</ul>", items);
}

std::string topology_cell(const Json& queue) {
  const std::string state = text(get(queue, "topologyReady"));
  return queue.contains("topologyMessage")
             ? fmt::format("<span class=\"warn\">{}: {}</span>", state, text(queue.at("topologyMessage")))
             : state;
}

std::string queue_table(const Json& queues) {
  Table table("ClusterQueues", {{"queue"},
                                {"phase", false, true},
                                {"stopPolicy", false, true},
                                {"resource"},
                                {"quota"},
                                {"unit: cpu, ram, storage"},
                                {"can give"},
                                {"checks"},
                                {"topology"},
                                {"LocalQueue"}});
  for (const Json& queue : queues) {
    const Json& unit = get(queue, "unit");
    table.add(
        {text(get(queue, "name")), text(get(queue, "phase")), text(get(queue, "stopPolicy")),
         text(get(queue, "resource")), quota_cell(queue),
         fmt::format("{}, {}, {}", text(get(unit, "cpu")), text(get(unit, "ram")), text(get(unit, "localStorage"))),
         text(get(queue, "views")), text(get(queue, "checks")), topology_cell(queue), text(get(queue, "localQueue"))});
  }
  return table.html();
}

std::string write_table(const Json& queues) {
  Table table("Writes of the controllers until nothing changes",
              {{"queue", false, true}, {"controller", false, true}, {"write"}});
  for (const Json& queue : queues) {
    for (const Json& write : get(queue, "writes")) {
      table.add({text(get(queue, "name")), text(get(write, "controller")), text(get(write, "write"))});
    }
  }
  return table.size() == 0 ? "" : table.html();
}

std::string gate_cell(const Json& gate) {
  const std::string& outcome = get_text(gate, "outcome");
  const Mood mood = outcome == "passes" ? Mood::kGood : outcome == "refuses" ? Mood::kBad : Mood::kOpen;
  std::string out = badge(mood, outcome);
  for (const char* key : {"message", "fix"}) {
    if (gate.contains(key)) {
      out += fmt::format("<br>{}", text(gate.at(key)));
    }
  }
  return out;
}

std::string pod_sets(const Json& workload) {
  std::string items;
  for (const Json& set : get(workload, "podSets")) {
    std::string where;
    for (const Json& place : get(set, "places")) {
      where +=
          fmt::format("{}{} ×{}", where.empty() ? " on " : ", ", text(get(place, "node")), text(get(place, "pods")));
    }
    items += fmt::format("<li>{} ×{}{}{}</li>", text(get(set, "name")), text(get(set, "count")),
                         set.contains("flavor") ? " of " + text(set.at("flavor")) : std::string(), where);
  }
  return items.empty() ? "–" : fmt::format("<ul class=\"plain\">{}</ul>", items);
}

std::string gate_table(const Json& workloads) {
  std::vector<Column> columns{{"workload"}, {"pool", false, true}, {"verdict", false, true}};
  if (!workloads.empty()) {
    for (const Json& gate : get(workloads.front(), "gates")) {
      columns.push_back({fmt::format("{} {}", plain(get(gate, "gate")), plain(get(gate, "name")))});
    }
  }
  const std::size_t gates = columns.size() - 3;
  columns.push_back({"pod sets"});
  Table table("Workloads and the gates that they pass", std::move(columns));
  for (const Json& workload : workloads) {
    const bool passes = get(workload, "passes") == true;
    std::string verdict = badge(passes ? Mood::kGood : Mood::kBad, passes                            ? "passes"
                                                                   : workload.contains("brokenLink") ? "broken link"
                                                                                                     : "held");
    if (const Json& link = get(workload, "brokenLink"); link.is_object()) {
      verdict += fmt::format("<br>{}: {}", text(get(link, "link")), text(get(link, "message")));
    }
    std::vector<std::string> cells{text(get(workload, "workload")), text(get(workload, "pool")), std::move(verdict)};
    for (std::size_t i = 0; i < gates; ++i) {
      const Json& list = get(workload, "gates");
      cells.push_back(i < list.size() ? gate_cell(list[i]) : "–");
    }
    cells.push_back(pod_sets(workload));
    table.add(cells);
  }
  return table.html();
}

std::string link_table(const Json& links) {
  Table table("The first broken link of each node and pool",
              {{"link", false, true}, {"object"}, {"what is wrong"}, {"hint"}});
  for (const Json& link : links) {
    table.add({text(get(link, "link")), text(get(link, "object")), text(get(link, "message")),
               link.contains("hint") ? text(link.at("hint")) : ""});
  }
  return table.html();
}

/// Objects as a list that opens, kind by kind.
std::string object_list(const Json& objects) {
  std::string out;
  for (const Json& object : objects) {
    out += fmt::format("<details class=\"group\"><summary>{} <b>{}</b></summary><pre>{}</pre></details>\n",
                       text(get(object, "kind")), text(get(get(object, "metadata"), "name")), json_text(object));
  }
  return out;
}

}  // namespace

Page chain_page(const Json& report) {
  const Json& links = get(report, "links");
  const Json& gates = get(report, "gates");
  const auto held = std::ranges::count_if(gates, [](const Json& workload) { return get(workload, "passes") != true; });
  Page page;
  page.title = "From devices to admitted workloads";
  page.lead = !links.empty() ? badge(Mood::kBad, count_of(static_cast<double>(links.size()), "broken link"))
              : held > 0     ? badge(Mood::kBad, count_of(static_cast<double>(held), "workload") + " held")
                             : badge(Mood::kGood, "the chain holds");
  page.tiles = {{fmt::format("{}", get(report, "nodes").size()), "nodes"},
                {fmt::format("{}", get(report, "flavors").size()), "flavors"},
                {fmt::format("{}", get(report, "queues").size()), "queues"},
                {fmt::format("{}", gates.size()), "workloads"}};
  const auto section = [&](const char* id, const char* title, std::string html) {
    if (!html.empty()) {
      page.sections.push_back({id, title, std::move(html)});
    }
  };
  section("changes", "What if", get(report, "changes").empty() ? "" : any_value(report.at("changes")));
  section("links", "Broken links", links.empty() ? "" : link_table(links));
  section("gates", "Admission gates", gates.empty() ? "" : gate_table(gates));
  section("nodes", "Nodes and capacity", get(report, "nodes").empty() ? "" : node_table(report));
  section("labels", "Labels", get(report, "labels").empty() ? "" : label_table(report.at("labels")));
  section("flavors", "Flavors", get(report, "flavors").empty() ? "" : flavor_table(report.at("flavors")));
  if (const Json& queues = get(report, "queues"); !queues.empty()) {
    section("queues", "Queues", queue_table(queues) + write_table(queues));
  }
  for (Section& part : admission_sections(get(report, "admission"))) {
    page.sections.push_back(std::move(part));
  }
  section("objects", "Objects", object_list(get(report, "objects")));
  return page;
}

}  // namespace gpusched::render::html
