#include <fmt/format.h>

#include "render/html_map.hpp"
#include "render/html_pages.hpp"
#include "render/words.hpp"

namespace gpusched::render::html {

namespace {

std::string devices(const Json& pod) {
  if (get_text(pod, "resource").empty()) {
    return "no GPU";
  }
  std::string words = fmt::format("GPU {}", text(get(pod, "gpus")));
  if (pod.contains("migInstance")) {
    words = fmt::format("{} of GPU {}", text(pod.at("migInstance")), text(get(pod, "gpus")));
  } else if (pod.contains("migInstances")) {
    words = fmt::format("{} of GPU {}", text(pod.at("migInstances")), text(get(pod, "gpus")));
  }
  return words;
}

/// What the count hides, and what else is worth a word.
std::string remarks(const Json& pod) {
  std::string items;
  const auto item = [&](std::string_view kind, const std::string& words) {
    items += fmt::format("<li class=\"{}\">{}</li>", kind, words);
  };
  if (!get_text(pod, "message").empty()) {
    item("warn", text(pod.at("message")));
  }
  for (const Json& consequence : get(pod, "consequences")) {
    item("warn", text(get(consequence, "text")));
  }
  if (const Json& bound = get(pod, "allReduce"); bound.is_object()) {
    item("note", escape(all_reduce_text(bound)));
  }
  if (pod.contains("victims")) {
    item("note", fmt::format("evicts {}", text(pod.at("victims"))));
  }
  if (pod.contains("evictedBy")) {
    item("warn", fmt::format("evicted later by {}", text(pod.at("evictedBy"))));
  }
  if (get(pod, "requeued") == true) {
    item("note", "again, after its eviction");
  }
  return items.empty() ? "" : fmt::format("<ul class=\"plain\">{}</ul>", items);
}

std::string pod_table(const Json& pods) {
  Table table("Pods in the order of the tries", {{"pod"},
                                                 {"verdict", false, true},
                                                 {"node", false, true},
                                                 {"resource", false, true},
                                                 {"devices"},
                                                 {"islands"},
                                                 {"remarks"}});
  for (const Json& pod : pods) {
    const bool placed = !get_text(pod, "node").empty();
    const bool kept = placed && !pod.contains("evictedBy");
    table.add({pod_text(get(pod, "name")),
               badge(kept ? Mood::kGood : Mood::kBad, placed ? kept ? "placed" : "evicted" : "Pending"),
               placed ? text(pod.at("node")) : "–", text(get(pod, "resource")), placed ? devices(pod) : "–",
               placed ? text(get(pod, "islands")) : "–", remarks(pod)});
  }
  return table.html();
}

std::string reason_table(const Json& groups, std::string caption) {
  Table table(std::move(caption), {{"reason"}, {"nodes", true}, {"for example"}});
  for (const Json& group : groups) {
    table.add({text(get(group, "reason")), text(get(group, "count")), text(get(group, "examples"))});
  }
  return table.html();
}

std::string pending(const Json& pods) {
  std::string out;
  for (const Json& pod : pods) {
    if (get_text(pod, "node").empty()) {
      out += fmt::format("<h3>{}</h3>\n<p class=\"message\">{}</p>\n", pod_text(get(pod, "name")),
                         text(get(pod, "message")));
      out += reason_table(get(pod, "nodes"), fmt::format("Why no node takes {}", plain(get(pod, "name"))));
    }
  }
  return out;
}

std::string fill_section(const Json& fill) {
  const bool open_end = get(fill, "atLeast") == true;
  std::string out = fmt::format("<p>{}{} more pods like <b>{}</b> fit.</p>\n", open_end ? "At least " : "",
                                text(get(fill, "count")), text(get(fill, "pod")));
  Table table("More pods by node", {{"node"}, {"pods", true}});
  for (const Json& node : get(fill, "perNode")) {
    table.add({text(get(node, "node")), text(get(node, "count"))});
  }
  out += table.html();
  if (!open_end) {
    out += fmt::format("<p>The next one:</p><p class=\"message\">{}</p>\n", text(get(fill, "message")));
  }
  return out + reason_table(get(fill, "nodes"), "Why the next one does not fit");
}

}  // namespace

std::set<std::string> placed_pods(const Json& report) {
  std::set<std::string> placed;
  for (const Json& pod : get(report, "pods")) {
    if (!get_text(pod, "node").empty()) {
      placed.insert(get_text(pod, "name"));
    }
  }
  return placed;
}

Page placement_page(const Json& report) {
  const Json& pods = get(report, "pods");
  const double unplaced = get_number(report, "unplaced");
  const Json& fragmentation = get(report, "fragmentation");
  Page page;
  page.title = "Placement of pods on GPUs";
  page.lead = unplaced > 0 ? badge(Mood::kBad, count_of(unplaced, "pod") + " without a node")
                           : badge(Mood::kGood, "every pod has a node");
  page.tiles = {{text(get(report, "placed")), "pods placed"},
                {plain(unplaced), "without a node"},
                {text(get(report, "policy")), "policy"},
                {text(get(report, "view")), "view"},
                {text(get(fragmentation, "free")), "GPUs free afterwards"},
                {text(get(fragmentation, "largestIsland")), "largest free in one island"}};
  if (std::string why = pending(pods); !why.empty()) {
    page.sections.push_back({"pending", "Why pods are Pending", std::move(why)});
  }
  if (std::string map = cluster_map(get(report, "cluster"), placed_pods(report), page.colors); !map.empty()) {
    page.sections.push_back({"map", "Cluster map afterwards", std::move(map)});
  }
  page.sections.push_back({"pods", "Pods", pod_table(pods)});
  if (report.contains("fill")) {
    page.sections.push_back({"fill", "How many more fit", fill_section(report.at("fill"))});
  }
  for (Section& section : search_sections(report)) {
    page.sections.push_back(std::move(section));
  }
  page.sections.push_back(fragmentation_section(report));
  return page;
}

}  // namespace gpusched::render::html
