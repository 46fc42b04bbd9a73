#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "render/html_map.hpp"
#include "render/html_pages.hpp"

namespace gpusched::render::html {

namespace {

/// Key figures of an answer, of whichever kind: what they are, and where they stand.
std::vector<std::pair<std::string, std::string>> figures(const Json& document) {
  std::vector<std::pair<std::string, std::string>> list;
  const auto add = [&](std::string name, const Json& value) {
    if (!value.is_null()) {
      list.emplace_back(std::move(name), text(value));
    }
  };
  add("pods without a node", get(document, "unplaced"));
  add("pods without a node", get(document, "podsWithoutNode"));
  add("verdict", get(document, "verdict"));
  add("message", get(document, "message"));
  add("node", get(document, "node"));
  add("free GPUs", get(get(document, "fragmentation"), "free"));
  add("makespan, s", get(document, "makespan"));
  add("utilisation", get(document, "utilisation"));
  add("idle GPU-hours", get(document, "idleGpuHours"));
  add("jobs that end", get(get(document, "counts"), "finished"));
  if (document.contains("deadlock")) {
    add("deadlock", get(document, "deadlock").is_object() ? Json("yes") : Json("no"));
  }
  return list;
}

std::string figure_table(const Json& before, const Json& after) {
  Table table("Before and after", {{"figure"}, {"before"}, {"after"}});
  const auto old = figures(before);
  for (const auto& [name, value] : figures(after)) {
    const auto was = std::ranges::find(old, name, &std::pair<std::string, std::string>::first);
    table.add({name, was == old.end() ? "–" : was->second, value});
  }
  return table.size() == 0 ? "" : table.html();
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
    out += figure_table(before, document) + moved_pods(before, document);
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
