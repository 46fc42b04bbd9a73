#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/cells.hpp"
#include "render/search_tables.hpp"
#include "render/words.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

std::string devices(const Json& pod) {
  if (pod.at("resource").get_ref<const std::string&>().empty()) {
    return "no GPU";
  }
  std::string line = fmt::format("{} GPUs {} islands {}", text(pod.at("resource")), index_list(pod.at("gpus")),
                                 index_list(pod.at("islands")));
  if (pod.contains("migInstance")) {
    line += fmt::format(" instance {}", text(pod.at("migInstance")));
  } else if (pod.contains("migInstances")) {
    line += fmt::format(" instances {}", joined(pod.at("migInstances"), {.unnamed = "(unnamed)"}));
  }
  return line;
}

void pod_lines(const Json& pod, std::size_t name_width, std::size_t node_width, const TableOptions& options,
               std::string& out) {
  const std::string name = text(pod.at("name"));
  const std::string node = text(pod.at("node"));
  const std::string_view again = pod.value("requeued", false) ? " (again, after its eviction)" : "";
  if (node.empty()) {
    out += fmt::format("{} Pending {}{}\n", pad_right(name, name_width), text(pod.at("message")), again);
    if (options.wide) {
      for (const Json& group : pod.at("nodes")) {
        out += fmt::format("    {} x {}: {}{}\n", group.at("count").dump(), text(group.at("reason")),
                           joined(group.at("examples"), {.unnamed = "(unnamed)"}),
                           group.at("count") > group.at("examples").size() ? ", ..." : "");
      }
    }
    return;
  }
  out += fmt::format("{} -> {} {}{}{}\n", pad_right(name, name_width), pad_right(node, node_width), devices(pod), again,
                     pod.value("claimsUndecided", false) ? ", its ResourceClaims undecided" : "");
  if (pod.contains("victims")) {
    out += fmt::format("    evicts {}\n", joined(pod.at("victims"), {.unnamed = "(unnamed)"}));
  }
  for (const Json& consequence : pod.at("consequences")) {
    out += fmt::format("    ! {}\n", text(consequence.at("text")));
  }
  if (pod.contains("allReduce")) {
    out += fmt::format("    {}\n", all_reduce_text(pod.at("allReduce")));
  }
  if (pod.contains("evictedBy")) {
    out += fmt::format("    evicted later by {}\n", text(pod.at("evictedBy")));
  }
}

void fill_lines(const Json& fill, std::string& out) {
  const bool open_end = fill.value("atLeast", false);
  out += fmt::format("fill: {}{} more of {} fit\n", open_end ? "at least " : "", fill.at("count").dump(),
                     text(fill.at("pod")));
  const Json& nodes = fill.at("perNode");
  Columns columns({"node", "pods"});
  for (const Json& entry : nodes) {
    columns.add({text(entry.at("node")), entry.at("count").dump()});
  }
  columns.write(out, {false, true}, false, 2);
  if (!open_end) {
    out += fmt::format("  the next one: {}\n", text(fill.at("message")));
  }
}

}  // namespace

void placement_table(const Json& report, const TableOptions& options, std::string& out) {
  // The rows of a comparison say what became of the pods.
  if (report.contains("compare")) {
    compare_lines(report.at("compare"), options, out);
    return;
  }
  std::size_t name_width = 0;
  std::size_t node_width = 0;
  for (const Json& pod : report.at("pods")) {
    name_width = std::max(name_width, column_width(text(pod.at("name"))));
    node_width = std::max(node_width, column_width(text(pod.at("node"))));
  }
  for (const Json& pod : report.at("pods")) {
    pod_lines(pod, name_width, node_width, options, out);
  }
  if (report.contains("fill")) {
    fill_lines(report.at("fill"), out);
  }
  if (report.contains("drainable")) {
    drainable_lines(report.at("drainable"), options, out);
  } else if (report.contains("minNodes")) {
    min_nodes_lines(report.at("minNodes"), options, out);
  } else if (report.contains("defrag")) {
    defrag_lines(report.at("defrag"), options, out);
  } else {
    fragmentation_lines(report, options, out);
  }
  if (options.wide) {
    cluster_map_lines(report, out);
  }
}

}  // namespace gpusched::render
