#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "gpusched/base/text.hpp"
#include "render/cells.hpp"
#include "render/tables.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxDevices = 8;

std::string list(const Json& words, std::size_t most) {
  std::string all;
  for (std::size_t i = 0; i < std::min(words.size(), most); ++i) all += (i == 0 ? "" : ", ") + text(words[i]);
  return words.size() > most ? all + ", ..." : all;
}

std::string causes(const Json& loss) {
  const auto causes = loss.find("causes");
  if (causes == loss.end()) return "";
  std::string all;
  std::uint64_t told = 0;
  for (const Json& cause : *causes) {
    const auto devices = cause.at("devices").get<std::uint64_t>();
    told += devices;
    all += fmt::format("{}{} ({}{})", all.empty() ? ": " : "; ", text(cause.at("text")),
                       devices > 1 ? fmt::format("{}, such as ", devices) : "", text(cause.at("example")));
  }
  const auto devices = loss.at("devices").get<std::uint64_t>();
  return devices > told ? fmt::format("{}; {} more", all, devices - told) : all;
}

/// "claim ml/a, request gpu": the claim only where there are several.
std::string request_name(const Json& part, bool several) {
  const std::string request = text(part.at("request"));
  const std::string claim = several ? fmt::format("claim {}", text(part.at("claim"))) : "";
  if (request.empty()) return claim;
  return fmt::format("{}{}request {}", claim, claim.empty() ? "" : ", ", request);
}

void request_lines(const Json& request, bool several, std::string& out) {
  const bool all = request.at("allocationMode") == "All";
  out += fmt::format("    {}, class {}\n", request_name(request, several), text(request.at("deviceClass")));
  const auto line = [&](const std::string& number, const std::string& what) {
    out += fmt::format("    {:>6}  {}\n", number, what);
  };
  line(request.at("published").dump(), "devices in complete pools");
  for (const Json& loss : request.at("losses")) {
    std::string what = text(loss.at("check"));
    if (const auto matching = loss.find("matching"); matching != loss.end() && *matching != 0) {
      what += fmt::format(", {} would match", matching->get<std::uint64_t>());
    }
    line(fmt::format("-{}", loss.at("devices").get<std::uint64_t>()), what + causes(loss));
  }
  line(request.at("left").dump(),
       all ? fmt::format("left, all {} that match are wanted", request.at("wanted").get<std::int64_t>())
           : fmt::format("left, {} wanted", request.at("wanted").get<std::int64_t>()));
}

void constraint_line(const Json& constraint, std::string& out) {
  std::string groups;
  for (const Json& group : constraint.at("groups")) {
    groups += fmt::format("{}{}: {}", groups.empty() ? "" : " | ",
                          group.contains("value") ? text(group.at("value")) : "without it",
                          list(group.at("devices"), kMaxDevices));
  }
  out += fmt::format("    {}{}: {}\n", constraint.at("breaks").get<bool>() ? "! " : "",
                     text(constraint.at("constraint")), groups.empty() ? "no device is left for it" : groups);
}

void node_lines(const Json& group, bool several, std::string& out) {
  const auto count = group.at("count").get<std::size_t>();
  const std::size_t shown = group.at("examples").size();
  out += fmt::format("  {}{}: {}\n", list(group.at("examples"), shown),
                     count > shown ? fmt::format(" and {} more", count - shown) : "", text(group.at("conclusion")));
  if (const auto pools = group.find("pools"); pools != group.end()) {
    for (const Json& pool : *pools) out += fmt::format("    ! pool {}\n", text(pool));
  }
  const Json& requests = group.at("requests");
  for (const Json& request : requests) request_lines(request, several, out);
  if (const auto constraints = group.find("constraints"); constraints != group.end()) {
    for (const Json& constraint : *constraints) constraint_line(constraint, out);
  }
}

}  // namespace

void why_not_lines(const Json& why, const std::string& what, bool several, std::string& out) {
  const auto nodes = why.find("nodes");
  if (nodes == why.end() && why.at("hints").empty() && why.at("fixes").empty()) return;
  out += fmt::format("why not {}\n", what);
  if (nodes != why.end()) {
    for (const Json& group : *nodes) node_lines(group, several, out);
  }
  for (const Json& hint : why.at("hints")) {
    const std::string request = request_name(hint, several);
    out += fmt::format("  ! {}{}{}\n", request, request.empty() ? "" : ": ", text(hint.at("text")));
  }
  for (const Json& fix : why.at("fixes")) {
    out += fmt::format("  fix: {} -> {}\n", text(fix.at("change")), text(fix.at("effect")));
  }
  if (why.at("fixes").empty()) out += "  no single change that was tried makes it fit\n";
}

}  // namespace gpusched::render
