#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/case_writers.hpp"
#include "render/escape.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

std::string_view level_name(Level level) {
  switch (level) {
    case Level::kNote:
      return "note";
    case Level::kWarning:
    case Level::kUndecided:
      return "warning";
    case Level::kError:
      return "error";
  }
  return {};
}

/// A plain text message, in which "[text](target)" would be a link (3.11.6).
std::string message_text(const Case& each, const Finding& found) {
  std::string text = fmt::format("{} {}: {}", each.kind, escape_control(each.name), escape_control(found.message));
  for (const std::string& detail : found.details) {
    text += "\n" + escape_control(detail);
  }
  if (text.find("](") == std::string::npos) {
    return text;
  }
  std::string escaped;
  for (const char c : text) {
    escaped += c == '[' || c == ']' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  }
  return escaped;
}

Json location_of(const Case& each) {
  Json location = Json::object();
  const report::Location& place = each.location;
  if (!place.file.empty() && place.file != "<stdin>") {
    location["physicalLocation"] = {{"artifactLocation", {{"uri", uri_of_file(place.file)}}},
                                    {"region", {{"startLine", std::max<std::uint32_t>(place.line, 1)}}}};
  }
  Json logical{{"name", each.name}, {"fullyQualifiedName", fmt::format("{} {}", each.kind, each.name)}};
  if (!place.pointer.empty()) {
    logical["decoratedName"] = place.pointer;
  }
  logical["kind"] = "object";
  location["logicalLocations"] = Json::array({std::move(logical)});
  return location;
}

Json rule_list() {
  Json list = Json::array();
  for (const Rule& each : rules()) {
    list.push_back({{"id", each.id},
                    {"name", each.name},
                    {"shortDescription", {{"text", each.summary}}},
                    {"defaultConfiguration", {{"level", level_name(each.level)}}}});
  }
  return list;
}

}  // namespace

std::string sarif(const Cases& cases) {
  Json results = Json::array();
  for (const Case& each : cases.cases) {
    for (const Finding& found : each.findings) {
      results.push_back(
          {{"ruleId", found.rule->id},
           {"ruleIndex", found.rule - rules().data()},
           {"level", level_name(found.level)},
           {"message", {{"text", message_text(each, found)}}},
           {"locations", Json::array({location_of(each)})},
           {"partialFingerprints",
            {{"gpusched/v1", fmt::format("{} {} {}", found.rule->id, each.kind, escape_control(each.name))}}}});
    }
  }
  const Json driver{{"name", "gpusched"}, {"rules", rule_list()}};
  const Json run{{"tool", {{"driver", driver}}},
                 {"automationDetails", {{"id", fmt::format("gpusched/{}/", cases.command)}}},
                 {"results", std::move(results)}};
  const Json log{
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpusched::render
