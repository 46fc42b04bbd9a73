#include <fmt/format.h>

#include <iterator>
#include <map>

#include "render/cases.hpp"
#include "render/html_map.hpp"
#include "render/html_pages.hpp"
#include "render/tables.hpp"

namespace gpusched::render::html {

namespace {

std::string figure_table(const Json& document) {
  Table table("Before and after", {{"figure"}, {"before"}, {"after"}});
  for (const WhatIfRow& row : what_if_rows(document, kind_of(document))) {
    table.add({escape(row.figure), escape(row.before), escape(row.after)});
  }
  return table.size() == 0 ? "" : table.html();
}

/// The verdict and the message of one pod.
std::string verdicts(const Json& before, const Json& after) {
  Table table("Before and after", {{""}, {"before"}, {"after"}});
  for (const char* key : {"verdict", "node", "message"}) {
    table.add({key, text(get(before, key)), text(get(after, key))});
  }
  return table.html();
}

/// Pods of a placement that got another node, or none.
std::string moved_pods(const Json& before, const Json& after) {
  std::map<std::string, std::string> nodes;
  for (const Json& pod : get(before, "pods")) {
    nodes[get_text(pod, "name")] = get_text(pod, "node");
  }
  const auto shown = [](const std::string& node) { return node.empty() ? std::string("Pending") : escape(node); };
  Table table("Pods that go elsewhere", {{"pod"}, {"before"}, {"after"}});
  for (const Json& pod : get(after, "pods")) {
    const auto was = nodes.find(get_text(pod, "name"));
    if (was == nodes.end() || was->second != get_text(pod, "node")) {
      table.add(
          {pod_text(get(pod, "name")), was == nodes.end() ? "–" : shown(was->second), shown(get_text(pod, "node"))});
    }
  }
  return table.size() == 0 ? "" : table.html();
}

/// What became of the pods that an edit touched.
std::string fates(const Json& pods) {
  std::string items;
  for (const Json& pod : pods) {
    const std::string node = get_text(pod, "node").empty() ? "" : " to " + text(pod.at("node"));
    const std::string reason = get_text(pod, "reason").empty() ? "" : ": " + text(pod.at("reason"));
    items += fmt::format("<li>{} {}{}{}{}</li>", pod_text(get(pod, "name")), text(get(pod, "change")), node, reason,
                         get(pod, "unmanaged") == true ? " (nothing makes it anew)" : "");
  }
  return items.empty() ? "" : fmt::format("<ul class=\"plain\">{}</ul>", items);
}

}  // namespace

void add_what_if(const Json& what_if, const Json& document, Page& page) {
  if (!what_if.is_object()) {
    return;
  }
  const Json& before = get(what_if, "before");
  Table edits("Edits of the cluster, in their order", {{"edit"}, {"effect"}, {"pods"}});
  for (const Json& edit : get(what_if, "edits")) {
    edits.add({text(get(edit, "edit")), text(get(edit, "effect")), fates(get(edit, "pods"))});
  }
  std::string out = edits.html();
  std::vector<Section> first;
  if (before.is_object()) {
    out += document.contains("verdict") ? verdicts(before, document) : figure_table(document);
    out += moved_pods(before, document);
    if (before.contains("fragmentation") && document.contains("fragmentation")) {
      out += compare_sizes(before.at("fragmentation"), document.at("fragmentation"));
    }
  }
  first.push_back({"what-if", "What if", std::move(out)});
  if (std::string map = cluster_map(get(before, "cluster"), {}); !map.empty()) {
    first.push_back({"map-before", "Cluster map before", std::move(map)});
  }
  page.sections.insert(page.sections.begin(), std::make_move_iterator(first.begin()),
                       std::make_move_iterator(first.end()));
}

}  // namespace gpusched::render::html
