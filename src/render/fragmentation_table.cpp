#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/cells.hpp"
#include "render/search_tables.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

std::string percent(const Json& value) {
  return fmt::format("{:g}%", value.get<double>());
}

void size_table(const Json& fragmentation, const TableOptions& options, std::string& out) {
  std::vector<std::string> header{"size", "pods(count)", "pods(island)", "stranded"};
  if (options.wide) {
    header.emplace_back("usable");
  }
  Columns columns(header);
  for (const Json& row : fragmentation.at("rows")) {
    std::vector<std::string> cells{
        number(row.at("size")), number(row.at("byCount")), number(row.at("withinIsland")),
        fmt::format("{} ({})", number(row.at("stranded")), percent(row.at("strandedPercent")))};
    if (options.wide) {
      cells.push_back(percent(row.at("usablePercent")));
    }
    columns.add(std::move(cells));
  }
  columns.write(out, {true, true, true, false, true}, options.headers, 2);
}

void gang_table(const Json& gangs, const TableOptions& options, std::string& out) {
  const bool domains = gangs.front().contains("withinDomain");
  std::vector<std::string> header{"gang", "gangs(count)", "gangs(island)"};
  if (domains) {
    header.emplace_back("gangs(domain)");
  }
  Columns columns(header);
  for (const Json& row : gangs) {
    std::vector<std::string> cells{fmt::format("{}x{}", number(row.at("pods")), number(row.at("gpusPerPod"))),
                                   number(row.at("byCount")), number(row.at("withinIsland"))};
    if (domains) {
      cells.push_back(number(row.at("withinDomain")));
    }
    columns.add(std::move(cells));
  }
  columns.write(out, {true, true, true, true}, options.headers, 2);
}

std::string holder_name(const Json& pod) {
  const std::string name = text(pod);
  return name.empty() ? "(unnamed)" : name;
}

void mig_line(const Json& gpu, const TableOptions& options, std::string& out) {
  std::string used;
  for (const Json& instance : gpu.at("used")) {
    used += fmt::format("{}{}@{}={}", used.empty() ? "" : ", ", text(instance.at("profile")),
                        number(instance.at("start")), holder_name(instance.at("pod")));
  }
  std::map<std::string, int> counts;
  for (const Json& instance : gpu.at("free")) {
    ++counts[text(instance.at("profile"))];
  }
  std::string free;
  for (const auto& [profile, count] : counts) {
    free += fmt::format("{}{} x{}", free.empty() ? "" : ", ", profile, count);
  }
  out += fmt::format("MIG {} GPU {}: used {}; free instances {}; ", text(gpu.at("node")), number(gpu.at("gpu")),
                     used.empty() ? "none" : used, free.empty() ? "none" : free);
  if (gpu.contains("geometry")) {
    out += fmt::format("geometry of {} unknown\n", text(gpu.at("model")));
    return;
  }
  out += fmt::format("a repartition could add {}\n", joined(gpu.at("couldAdd"), {.none = "nothing"}));
  if (options.wide && !gpu.at("couldAddOther").empty()) {
    out += fmt::format("    other profiles: {}\n", joined(gpu.at("couldAddOther")));
  }
}

void blockers(const Json& blockers, std::string& out) {
  const std::string where = blockers.contains("island") ? fmt::format(" island {}", number(blockers.at("island"))) : "";
  out += fmt::format("no block of {} free GPUs; closest is {}{} with {} of {} free, held by\n",
                     number(blockers.at("size")), text(blockers.at("node")), where, number(blockers.at("free")),
                     number(blockers.at("total")));
  for (const Json& holder : blockers.at("holders")) {
    out += fmt::format("    {} GPUs {}\n", holder_name(holder.at("pod")), index_list(holder.at("gpus")));
  }
}

/// Who holds what: --by namespace and owner.
void holders(const Json& report, const TableOptions& options, std::string& out) {
  const std::string by = text(report.at("by"));
  Columns columns({by, "pods", "GPUs", "replicas", "MIG instances", "since"});
  for (const Json& holder : report.at("groups")) {
    std::string mig;
    for (const auto& [profile, count] : holder.at("migInstances").items()) {
      mig += fmt::format("{}{} x{}", mig.empty() ? "" : ", ", escape_control(profile), number(count));
    }
    const std::string since = text(holder.at("since"));
    columns.add({text(holder.at("name")), number(holder.at("pods")), number(holder.at("gpus")),
                 number(holder.at("replicas")), mig.empty() ? "-" : mig, since.empty() ? "-" : since});
  }
  out += '\n';
  columns.write(out, {false, true, true, true, false, false}, options.headers, 0);
}

std::string moved(const Json& pods, std::string_view sign) {
  std::string words;
  for (const Json& pod : pods) {
    const std::string name = text(pod.at("pod"));
    words += fmt::format("{}{}{} ({})", words.empty() ? "" : ", ", sign, name.empty() ? "(unnamed)" : name,
                         number(pod.at("gpus")));
  }
  return words;
}

std::string signed_difference(const Json& before, const Json& after) {
  return fmt::format("{:+}", after.get<std::int64_t>() - before.get<std::int64_t>());
}

void baseline(const Json& report, const TableOptions& options, std::string& out) {
  const Json& before = report.at("baseline").at("fragmentation");
  const Json& after = report.at("fragmentation");
  out += fmt::format("\nsince the baseline: {} -> {} of {} -> {} GPUs free\n", number(before.at("free")),
                     number(after.at("free")), number(before.at("total")), number(after.at("total")));
  Columns sizes({"size", "before", "now", "change"});
  for (std::size_t i = 0; i < after.at("rows").size(); ++i) {
    const Json& was = before.at("rows")[i].at("byCount");
    const Json& is = after.at("rows")[i].at("byCount");
    sizes.add({number(after.at("rows")[i].at("size")), number(was), number(is), signed_difference(was, is)});
  }
  sizes.write(out, {true, true, true, true}, options.headers, 2);
  Columns nodes({"node", "before", "now", "pods that came (+) and left (-), with their GPUs"});
  const auto free = [](const Json& value) { return value.is_null() ? std::string("-") : number(value); };
  for (const Json& node : report.at("baseline").at("nodes")) {
    const std::string came = moved(node.at("arrived"), "+");
    const std::string left = moved(node.at("left"), "-");
    nodes.add({text(node.at("name")), free(node.at("freeBefore")), free(node.at("freeAfter")),
               came + (came.empty() || left.empty() ? "" : ", ") + left});
  }
  nodes.write(out, {false, true, true, false}, options.headers, 2);
}

void groups(const Json& report, const TableOptions& options, std::string& out) {
  std::vector<std::string> header{text(report.at("by")), "free", "total", "block", "island"};
  std::vector<bool> right{false, true, true, true, true};
  for (const Json& row : report.at("fragmentation").at("rows")) {
    header.push_back(fmt::format("fit {}", number(row.at("size"))));
    right.push_back(true);
    if (options.wide) {
      header.push_back(fmt::format("usable {}", number(row.at("size"))));
      right.push_back(true);
    }
  }
  header.emplace_back("time-sliced");
  right.push_back(true);
  Columns columns(header);
  for (const Json& group : report.at("groups")) {
    std::vector<std::string> cells{text(group.at("name")), number(group.at("free")), number(group.at("total")),
                                   number(group.at("largestBlock")), number(group.at("largestIsland"))};
    for (const Json& row : group.at("rows")) {
      cells.push_back(number(row.at("byCount")));
      if (options.wide) {
        cells.push_back(percent(row.at("usablePercent")));
      }
    }
    const auto sliced = group.find("timeSliced");
    cells.push_back(sliced == group.end()
                        ? "-"
                        : fmt::format("{}/{}", number(sliced->at("freeReplicas")), number(sliced->at("replicas"))));
    columns.add(std::move(cells));
  }
  out += '\n';
  columns.write(out, right, options.headers, 0);
}

}  // namespace

void fragmentation_lines(const Json& report, const TableOptions& options, std::string& out) {
  const Json& fragmentation = report.at("fragmentation");
  out += fmt::format(
      "fragmentation of exclusive GPUs: {} free; largest block on one node {}, inside one NVLink island {}\n",
      number(fragmentation.at("free")), number(fragmentation.at("largestBlock")),
      number(fragmentation.at("largestIsland")));
  size_table(fragmentation, options, out);
  if (fragmentation.contains("gangs")) {
    gang_table(fragmentation.at("gangs"), options, out);
  }
  if (const auto cordoned = fragmentation.find("cordoned"); cordoned != fragmentation.end()) {
    out += fmt::format("cordoned: {} more GPUs that nobody holds, not counted above\n", number(*cordoned));
  }
  if (const auto sliced = fragmentation.find("timeSliced"); sliced != fragmentation.end()) {
    out += fmt::format("time-sliced: {} of {} replicas free on {} GPUs, not counted above\n",
                       number(sliced->at("freeReplicas")), number(sliced->at("replicas")), number(sliced->at("gpus")));
  }
  for (const Json& gpu : report.at("mig")) {
    mig_line(gpu, options, out);
  }
}

void fragmentation_table(const Json& report, const TableOptions& options, std::string& out) {
  fragmentation_lines(report, options, out);
  if (options.wide) {
    cluster_map_lines(report, out);
    if (report.contains("blockers")) {
      blockers(report.at("blockers"), out);
    }
  }
  if (report.contains("groups")) {
    const Json& by = report.at("by");
    by == "namespace" || by == "owner" ? holders(report, options, out) : groups(report, options, out);
  }
  if (report.contains("baseline")) {
    baseline(report, options, out);
  }
  if (report.contains("repartition")) {
    repartition_lines(report.at("repartition"), options, out);
  }
  for (const Json& violation : report.at("violations")) {
    out += fmt::format("threshold crossed: {}\n", text(violation));
  }
}

}  // namespace gpusched::render
