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

/// Name of a pod of a list, and where it is or why it is nowhere.
std::pair<std::string, std::string> standing(const Json& pod) {
  if (const Json& name = get(pod, "pod"); name.is_object()) {  // a PendingReport
    const std::string& node = get_text(pod, "node");
    return {fmt::format("{}/{}", get_text(name, "namespace"), get_text(name, "name")),
            get_text(pod, "verdict") + (node.empty() ? "" : " on " + node)};
  }
  const std::string& node = get_text(pod, "node");
  return {get_text(pod, "name"), node.empty() ? "Pending" : pod.contains("evictedBy") ? "evicted" : node};
}

/// By name where each pod of a list ends: one that was evicted and placed again has two entries. Which pod without a
/// name is which cannot be told.
std::map<std::string, std::string> last_standings(const Json& pods) {
  std::map<std::string, std::string> last;
  for (const Json& pod : pods) {
    if (auto [name, where] = standing(pod); !name.empty()) {
      last.insert_or_assign(std::move(name), std::move(where));
    }
  }
  return last;
}

/// Pods that go elsewhere, or nowhere: of a placement, of a list of PendingReports.
std::string moved_pods(const Json& before, const Json& after) {
  Table table("Pods whose answer changes", {{"pod"}, {"before"}, {"after"}});
  for (const char* list : {"pods", "items"}) {
    const std::map<std::string, std::string> old = last_standings(get(before, list));
    for (const auto& [name, now] : last_standings(get(after, list))) {
      const auto was = old.find(name);
      if (was == old.end() || was->second != now) {
        table.add({escape(name), was == old.end() ? "–" : escape(was->second), escape(now)});
      }
    }
  }
  return table.size() == 0 ? "" : table.html();
}

/// What became of the pods that an edit touched.
std::string fates(const Json& pods) {
  std::string items;
  for (const Json& pod : pods) {
    const std::string_view where = get_text(pod, "change") == "moved" ? "to" : "on";
    const std::string node = get_text(pod, "node").empty() ? "" : fmt::format(", {} {}", where, text(pod.at("node")));
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
  if (std::string map = cluster_map(get(before, "cluster"), placed_pods(before), page.colors); !map.empty()) {
    first.push_back({"map-before", "Cluster map before", std::move(map)});
  }
  page.sections.insert(page.sections.begin(), std::make_move_iterator(first.begin()),
                       std::make_move_iterator(first.end()));
}

}  // namespace gpusched::render::html
