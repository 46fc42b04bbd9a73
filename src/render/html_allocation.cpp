#include <fmt/format.h>

#include <algorithm>

#include "render/html_pages.hpp"

namespace gpusched::render::html {

namespace {

std::string claim_name(const Json& claim) {
  return fmt::format("{}/{}", get_text(claim, "namespace"), get_text(claim, "name"));
}

const Json& results_of(const Json& claim) {
  return get(get(get(claim, "allocation"), "devices"), "results");
}

std::string device_list(const Json& claim) {
  std::string items;
  for (const Json& result : results_of(claim)) {
    items += fmt::format("<li>{}: {}/{} of {}</li>", text(get(result, "request")), text(get(result, "pool")),
                         text(get(result, "device")), text(get(result, "driver")));
  }
  return items.empty() ? "–" : fmt::format("<ul class=\"plain\">{}</ul>", items);
}

std::string claim_badge(const Json& claim) {
  if (get(claim, "undecided") == true) {
    return badge(Mood::kOpen, "undecided");
  }
  const bool has = get(claim, "allocation").is_object();
  return badge(has ? Mood::kGood : Mood::kBad, !has                                     ? "no devices"
                                               : get(claim, "alreadyAllocated") == true ? "held before"
                                                                                        : "allocated");
}

std::string claim_table(const Json& claims) {
  const bool nodes = std::ranges::any_of(claims, [](const Json& claim) { return claim.contains("node"); });
  std::vector<Column> columns{{"claim"}, {"verdict", false, true}};
  if (nodes) {
    columns.push_back({"node", false, true});
  }
  columns.push_back({"devices"});
  columns.push_back({"reason"});
  Table table("Claims in their order", std::move(columns));
  for (const Json& claim : claims) {
    std::vector<std::string> cells{escape(claim_name(claim)), claim_badge(claim)};
    if (nodes) {
      cells.push_back(get_text(claim, "node").empty() ? "–" : text(claim.at("node")));
    }
    cells.push_back(device_list(claim));
    cells.push_back(get_text(claim, "reason").empty() ? "" : text(claim.at("reason")));
    table.add(cells);
  }
  return table.html();
}

/// What takes a request's devices away on one kind of node.
std::string loss_list(const Json& request) {
  std::string items;
  for (const Json& loss : get(request, "losses")) {
    std::string causes;
    for (const Json& cause : get(loss, "causes")) {
      causes += fmt::format("; {} ({})", text(get(cause, "text")), text(get(cause, "devices")));
    }
    const std::string expression =
        get_text(loss, "expression").empty() ? "" : fmt::format(" <code>{}</code>", text(loss.at("expression")));
    items += fmt::format("<li>{}: {}{}{}</li>", text(get(loss, "check")),
                         count_of(get_number(loss, "devices"), "device"), expression, causes);
  }
  return items.empty() ? "" : fmt::format("<ul class=\"plain\">{}</ul>", items);
}

std::string request_cell(const Json& node) {
  std::string items;
  for (const Json& request : get(node, "requests")) {
    items += fmt::format("<li><b>{}</b> ({}): wants {} of {} published, {} left{}</li>", text(get(request, "request")),
                         text(get(request, "deviceClass")), text(get(request, "wanted")),
                         text(get(request, "published")), text(get(request, "left")), loss_list(request));
  }
  return items.empty() ? "" : fmt::format("<ul class=\"plain\">{}</ul>", items);
}

/// Kinds of nodes and what keeps their devices, what comes near, and changes that help.
std::string why_not(const Json& why) {
  Table nodes("Why no node gives the devices", {{"conclusion"}, {"nodes", true}, {"for example"}, {"requests"}});
  for (const Json& node : get(why, "nodes")) {
    nodes.add(
        {text(get(node, "conclusion")), text(get(node, "count")), text(get(node, "examples")), request_cell(node)});
  }
  std::string out = nodes.size() > 0 ? nodes.html() : "";
  std::string hints;
  for (const Json& hint : get(why, "hints")) {
    hints += fmt::format("<li>{}</li>", text(get(hint, "text")));
  }
  out += hints.empty() ? "" : fmt::format("<ul>{}</ul>\n", hints);
  return out + fix_table(get(why, "fixes"));
}

}  // namespace

Page allocation_page(const Json& report) {
  const Json& claims = get(report, "claims");
  const auto allocated =
      std::ranges::count_if(claims, [](const Json& claim) { return get(claim, "allocation").is_object(); });
  const auto left = static_cast<double>(static_cast<std::ptrdiff_t>(claims.size()) - allocated);
  Page page;
  page.title = "Devices for ResourceClaims";
  page.lead = left > 0 ? badge(Mood::kBad, count_of(left, "claim") + " without devices")
                       : badge(Mood::kGood, "every claim has its devices");
  page.tiles = {{fmt::format("{} of {}", allocated, claims.size()), "claims allocated"}};
  for (const auto& [key, label] : {std::pair("node", "node"), std::pair("outcome", "outcome"),
                                   std::pair("allocator", "allocator"), std::pair("steps", "steps of the search")}) {
    if (report.contains(key)) {
      page.tiles.push_back({text(report.at(key)), label});
    }
  }
  page.sections.push_back({"claims", "Claims", claim_table(claims)});
  std::string reasons;
  if (!get_text(report, "error").empty()) {
    reasons += fmt::format("<p class=\"message\">{}</p>\n", text(report.at("error")));
  }
  if (report.contains("whyNot")) {
    reasons += why_not(report.at("whyNot"));
  }
  for (const Json& claim : claims) {
    if (claim.contains("whyNot")) {
      reasons += fmt::format("<h3>{}</h3>\n", escape(claim_name(claim))) + why_not(claim.at("whyNot"));
    }
  }
  if (!reasons.empty()) {
    page.sections.push_back({"why-not", "Why claims have no devices", std::move(reasons)});
  }
  return page;
}

}  // namespace gpusched::render::html
