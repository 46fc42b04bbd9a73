#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/base/text.hpp"
#include "render/cells.hpp"
#include "render/escape.hpp"
#include "render/tables.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

/// "pool/device, pool/device", and which subrequests were used.
std::string devices(const Json& allocation) {
  std::string list, subrequests, last;
  if (!allocation.at("devices").contains("results")) return "no devices";
  for (const Json& result : allocation.at("devices").at("results")) {
    list += fmt::format("{}{}/{}", list.empty() ? "" : ", ", text(result.at("pool")), text(result.at("device")));
    const std::string request = text(result.at("request"));
    if (request.find('/') == std::string::npos || request == last) continue;
    subrequests += (subrequests.empty() ? " (" : ", ") + request;
    last = request;
  }
  return list + subrequests + (subrequests.empty() ? "" : ")");
}

void wide_lines(const Json& allocation, std::string& out) {
  if (!allocation.at("devices").contains("results")) return;
  for (const Json& result : allocation.at("devices").at("results")) {
    std::string line = fmt::format("    {} {}/{}/{}", text(result.at("request")), text(result.at("driver")),
                                   text(result.at("pool")), text(result.at("device")));
    if (result.value("adminAccess", false)) line += " admin access";
    if (const auto consumed = result.find("consumedCapacity"); consumed != result.end()) {
      for (const auto& [name, amount] : consumed->items()) {
        line += fmt::format(" {} {}", escape_control(name), text(amount));
      }
    }
    out += line + "\n";
  }
}

void claim_line(const Json& claim, const std::string& node, const TableOptions& options, std::string& out) {
  const Json& allocation = claim.at("allocation");
  out += fmt::format("claim {}: ", qualified_name(claim));
  if (allocation.is_null()) {
    out += text(claim.at("reason")) + "\n";
    return;
  }
  const bool before = claim.value("alreadyAllocated", false);
  out += fmt::format("{}: {}\n", before ? "already allocated" : "allocated on " + node, devices(allocation));
  if (options.wide) wide_lines(allocation, out);
}

void together_lines(const Json& report, const TableOptions& options, std::string& out) {
  const std::string node = text(report.at("node"));
  const std::string outcome = text(report.at("outcome"));
  if (outcome == "allocated") {
    for (const Json& claim : report.at("claims")) claim_line(claim, node, options, out);
  } else if (report.at("error").get_ref<const std::string&>().empty()) {
    out += fmt::format(
        "node {}: {}\n", node,
        outcome == "undecided" ? "undecided: the search reached its step budget" : "cannot allocate all claims");
  } else {
    out += fmt::format("node {}: {}: {}\n", node, outcome, text(report.at("error")));
  }
  const bool at_least = report.value("stepsAtLeast", false);
  const std::string digits =
      report.contains("stepsDecimal") ? text(report.at("stepsDecimal")) : report.at("steps").dump();
  out += fmt::format("search: {}{} steps of the {} allocator\n",
                     at_least && !report.contains("stepsDecimal") ? "at least " : "", digits,
                     text(report.at("allocator")));
  if (report.value("filterTimeout", false)) {
    out += fmt::format("    ! kube-scheduler would stop it after 10 s: node {}: timed out trying to allocate devices\n",
                       node);
  }
  if (const auto why = report.find("whyNot"); why != report.end()) {
    why_not_lines(*why, "on " + node, report.at("claims").size() > 1, out);
  }
}

/// Claims that were refused for the same cause share their explanation.
void series_explanations(const Json& claims, std::string& out) {
  std::vector<std::pair<std::string, const Json*>> told;  // names, explanation
  for (const Json& claim : claims) {
    const auto why = claim.find("whyNot");
    if (why == claim.end()) continue;
    const auto same = std::ranges::find_if(told, [&](const auto& entry) { return *entry.second == *why; });
    if (same != told.end()) {
      same->first += ", " + qualified_name(claim);
    } else {
      told.emplace_back(qualified_name(claim), &*why);
    }
  }
  for (const auto& [names, why] : told) why_not_lines(*why, names, false, out);
}

}  // namespace

void allocation_table(const Json& report, const TableOptions& options, std::string& out) {
  if (report.contains("outcome")) {
    together_lines(report, options, out);
    return;
  }
  for (const Json& claim : report.at("claims")) claim_line(claim, text(claim.at("node")), options, out);
  series_explanations(report.at("claims"), out);
}

void selector_table(const Json& report, const TableOptions& options, std::string& out) {
  if (const auto error = report.find("compileError"); error != report.end()) {
    out += fmt::format("does not compile: {}\n", escape_lines(error->get_ref<const std::string&>()));
  }
  const Json& admission = report.at("admission");
  if (admission.at("verdict") != "ok") {
    out += fmt::format("the API server refuses it ({})", text(admission.at("verdict")));
    out += admission.contains("error") && !report.contains("compileError")
               ? fmt::format(": {}\n", escape_lines(admission.at("error").get_ref<const std::string&>()))
               : "\n";
  }
  Columns columns(options.wide ? std::vector<std::string>{"device", "match", "cost", "why"}
                               : std::vector<std::string>{"device", "match", "why"});
  for (const Json& device : report.at("devices")) {
    const bool failed = device.contains("error");
    std::vector<std::string> cells{text(device.at("device")), failed ? "error" : device.at("match").dump()};
    if (options.wide) cells.push_back(device.at("cost").dump());
    const auto why = device.find(failed ? "error" : "reason");
    cells.push_back(why != device.end() ? text(*why) : "");
    columns.add(std::move(cells));
  }
  if (!report.at("devices").empty()) columns.write(out, {false, false, options.wide, false}, options.headers, 0);
  if (const auto hint = report.find("hint"); hint != report.end()) out += fmt::format("! {}\n", text(*hint));
}

}  // namespace gpusched::render
