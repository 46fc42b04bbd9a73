#include <fmt/format.h>

#include <algorithm>

#include "render/html_map.hpp"
#include "render/html_pages.hpp"

namespace gpusched::render::html {

namespace {

double least(const Json& value) {
  return value.is_object() ? get_number(value, "min") : value.is_number() ? value.get<double>() : 0;
}

/// Free GPUs that pods of one size can use inside islands, only across islands, and not at all.
std::string size_bar(const Json& row, double free) {
  const double size = get_number(row, "size");
  const double inside = std::min(least(get(row, "withinIsland")), get_number(row, "byCount")) * size;
  const double usable = get_number(row, "byCount") * size;
  const double stranded = get_number(row, "stranded");
  return bar({{inside, "inside"}, {usable - inside, "across"}, {stranded, "stranded"}}, free,
             fmt::format("of {} free GPUs, pods of {} can use {} inside one island, {} across islands, {} are stranded",
                         plain(free), plain(size), plain(inside), plain(usable - inside), plain(stranded)));
}

std::string percent(const Json& value) {
  return plain(value) + " %";
}

std::string size_table(const Json& fragmentation) {
  const double free = get_number(fragmentation, "free");
  Table table("Pods that fit, by GPUs per pod", {{"GPUs per pod", true},
                                                 {"pods by count", true},
                                                 {"pods inside one island", true},
                                                 {"stranded GPUs", true},
                                                 {"stranded of free", true},
                                                 {"usable of all", true},
                                                 {"the free GPUs"}});
  for (const Json& row : get(fragmentation, "rows")) {
    table.add({text(get(row, "size")), text(get(row, "byCount")), text(get(row, "withinIsland")),
               text(get(row, "stranded")), percent(get(row, "strandedPercent")), percent(get(row, "usablePercent")),
               size_bar(row, free)});
  }
  return R"(<ul class="legend"><li><i class="key inside"></i> usable inside one NVLink island</li><li><i class="key across"></i> usable across islands only</li><li><i class="key stranded"></i> stranded</li></ul>)" +
         table.html();
}

std::string gang_table(const Json& gangs) {
  Table table("Gangs that fit", {{"gang"}, {"gangs by count", true}, {"gangs inside islands", true}});
  for (const Json& row : gangs) {
    table.add({fmt::format("{} pods of {} GPUs", text(get(row, "pods")), text(get(row, "gpusPerPod"))),
               text(get(row, "byCount")), text(get(row, "withinIsland"))});
  }
  return table.html();
}

std::string instance_words(const Json& instances) {
  std::string words;
  for (const Json& instance : instances) {
    words +=
        fmt::format("{}{}@{}", words.empty() ? "" : ", ", text(get(instance, "profile")), text(get(instance, "start")));
    words += instance.contains("pod") ? fmt::format(" {}", pod_text(instance.at("pod"))) : std::string();
  }
  return words.empty() ? "–" : words;
}

std::string mig_table(const Json& gpus) {
  Table table(
      "GPUs in MIG mode",
      {{"node"}, {"GPU", true}, {"model", false, true}, {"held"}, {"free instances"}, {"a repartition could add"}});
  for (const Json& gpu : gpus) {
    const bool unknown = gpu.contains("geometry");
    table.add({text(get(gpu, "node")), text(get(gpu, "gpu")), text(get(gpu, "model")), instance_words(get(gpu, "used")),
               instance_words(get(gpu, "free")), unknown ? "geometry unknown" : text(get(gpu, "couldAdd"))});
  }
  return table.html();
}

std::string blockers(const Json& blockers) {
  const Json& island = get(blockers, "island");
  std::string out = fmt::format(
      "<p>No block of {} free GPUs. The closest is <b>{}</b>{} with {} of {} free; in the way are:</p>\n",
      text(get(blockers, "size")), text(get(blockers, "node")), island.is_null() ? "" : ", island " + text(island),
      text(get(blockers, "free")), text(get(blockers, "total")));
  Table table("Pods in the way of the largest block", {{"pod"}, {"GPUs"}});
  for (const Json& holder : get(blockers, "holders")) {
    table.add({pod_text(get(holder, "pod")), text(get(holder, "gpus"))});
  }
  return out + table.html();
}

std::string group_table(const Json& report) {
  const std::string& by = get_text(report, "by");
  if (by == "namespace" || by == "owner") {
    Table table("GPUs held, by " + by,
                {{by}, {"pods", true}, {"GPUs", true}, {"replicas", true}, {"MIG instances"}, {"since"}});
    for (const Json& holder : get(report, "groups")) {
      std::string mig;
      for (const auto& [profile, count] : get(holder, "migInstances").items()) {
        mig += fmt::format("{}{} ×{}", mig.empty() ? "" : ", ", escape(profile), text(count));
      }
      table.add({text(get(holder, "name")), text(get(holder, "pods")), text(get(holder, "gpus")),
                 text(get(holder, "replicas")), mig, text(get(holder, "since"))});
    }
    return table.html();
  }
  std::vector<Column> columns{{by}, {"free", true}, {"total", true}, {"largest block", true}, {"largest island", true}};
  for (const Json& row : get(get(report, "fragmentation"), "rows")) {
    columns.push_back({"pods of " + plain(get(row, "size")), true});
  }
  Table table("Fragmentation by " + by, std::move(columns));
  for (const Json& group : get(report, "groups")) {
    std::vector<std::string> cells{text(get(group, "name")), text(get(group, "free")), text(get(group, "total")),
                                   text(get(group, "largestBlock")), text(get(group, "largestIsland"))};
    for (const Json& row : get(group, "rows")) {
      cells.push_back(text(get(row, "byCount")));
    }
    table.add(cells);
  }
  return table.html();
}

std::string moved(const Json& pods) {
  std::string words;
  for (const Json& pod : pods) {
    words += fmt::format("{}{} ({})", words.empty() ? "" : ", ", pod_text(get(pod, "pod")), text(get(pod, "gpus")));
  }
  return words.empty() ? "–" : words;
}

std::string baseline_tables(const Json& report) {
  const Json& baseline = get(report, "baseline");
  std::string out = compare_sizes(get(baseline, "fragmentation"), get(report, "fragmentation"));
  Table table("Nodes that changed",
              {{"node"}, {"free before", true}, {"free now", true}, {"pods came"}, {"pods left"}});
  for (const Json& node : get(baseline, "nodes")) {
    table.add({text(get(node, "name")), text(get(node, "freeBefore")), text(get(node, "freeAfter")),
               moved(get(node, "arrived")), moved(get(node, "left"))});
  }
  return out + table.html();
}

}  // namespace

std::string compare_sizes(const Json& before, const Json& after) {
  std::string out = fmt::format("<p>{} → {} GPUs free; largest block {} → {}, largest island {} → {}.</p>\n",
                                text(get(before, "free")), text(get(after, "free")), text(get(before, "largestBlock")),
                                text(get(after, "largestBlock")), text(get(before, "largestIsland")),
                                text(get(after, "largestIsland")));
  Table table("Pods that fit, before and after", {{"GPUs per pod", true},
                                                  {"pods before", true},
                                                  {"pods after", true},
                                                  {"change", true},
                                                  {"free GPUs before"},
                                                  {"free GPUs after"}});
  const double most = std::max(get_number(before, "free"), get_number(after, "free"));
  for (const Json& row : get(after, "rows")) {
    for (const Json& old : get(before, "rows")) {
      if (get(old, "size") == get(row, "size")) {
        table.add({text(get(row, "size")), text(get(old, "byCount")), text(get(row, "byCount")),
                   fmt::format("{:+g}", get_number(row, "byCount") - get_number(old, "byCount")), size_bar(old, most),
                   size_bar(row, most)});
      }
    }
  }
  return out + table.html();
}

Section fragmentation_section(const Json& report) {
  const Json& fragmentation = get(report, "fragmentation");
  std::string out = fmt::format(
      "<p>{} of {} exclusive GPUs are free; the largest block on one node has {}, inside one NVLink island {}.</p>\n",
      text(get(fragmentation, "free")), text(get(fragmentation, "total")), text(get(fragmentation, "largestBlock")),
      text(get(fragmentation, "largestIsland")));
  out += size_table(fragmentation);
  if (fragmentation.contains("gangs")) {
    out += gang_table(fragmentation.at("gangs"));
  }
  if (fragmentation.contains("cordoned")) {
    out += fmt::format("<p>Cordoned: {} more GPUs that nobody holds, not counted above.</p>\n",
                       text(fragmentation.at("cordoned")));
  }
  if (const Json& sliced = get(fragmentation, "timeSliced"); sliced.is_object()) {
    out += fmt::format("<p>Time-sliced: {} of {} replicas are free on {} GPUs, not counted above.</p>\n",
                       text(get(sliced, "freeReplicas")), text(get(sliced, "replicas")), text(get(sliced, "gpus")));
  }
  if (!get(report, "mig").empty()) {
    out += mig_table(report.at("mig"));
  }
  return {"fragmentation", "Fragmentation", out};
}

Page fragmentation_page(const Json& report) {
  const Json& fragmentation = get(report, "fragmentation");
  const Json& violations = get(report, "violations");
  Page page;
  page.title = "GPU fragmentation";
  page.lead = violations.empty() ? fmt::format("{} of {} exclusive GPUs are free.", text(get(fragmentation, "free")),
                                               text(get(fragmentation, "total")))
                                 : badge(Mood::kBad, "threshold crossed");
  page.tiles = {{text(get(fragmentation, "free")), "GPUs free"},
                {text(get(fragmentation, "total")), "exclusive GPUs"},
                {text(get(fragmentation, "largestBlock")), "largest block on a node"},
                {text(get(fragmentation, "largestIsland")), "largest in one island"}};
  if (!violations.empty()) {
    std::string out = "<ul>";
    for (const Json& violation : violations) {
      out += fmt::format("<li>{}</li>", text(violation));
    }
    page.sections.push_back({"violations", "Thresholds crossed", out + "</ul>\n"});
  }
  page.sections.push_back(fragmentation_section(report));
  if (std::string map = cluster_map(get(report, "cluster"), {}, page.colors); !map.empty()) {
    page.sections.push_back({"map", "Cluster map", std::move(map)});
  }
  if (report.contains("blockers")) {
    page.sections.push_back({"blockers", "Who is in the way", blockers(report.at("blockers"))});
  }
  if (report.contains("groups")) {
    page.sections.push_back({"groups", "By " + get_text(report, "by"), group_table(report)});
  }
  if (report.contains("baseline")) {
    page.sections.push_back({"baseline", "Since the baseline", baseline_tables(report)});
  }
  for (Section& section : search_sections(report)) {
    page.sections.push_back(std::move(section));
  }
  return page;
}

}  // namespace gpusched::render::html
