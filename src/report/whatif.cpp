#include "gpusched/report/whatif.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace gpusched::report {

using Json = nlohmann::ordered_json;

namespace {

/// By whatif::PodChange.
constexpr std::array<std::string_view, 5> kChanges = {"moved", "pending", "forbidden", "stays", "gone"};

Json pod_entry(const whatif::PodFate& fate) {
  Json entry{{"name", fate.pod},
             {"change", kChanges[static_cast<std::size_t>(fate.change)]},
             {"node", fate.node},
             {"reason", fate.reason}};
  if (fate.unmanaged) {
    entry["unmanaged"] = true;
  }
  return entry;
}

}  // namespace

Document with_what_if(const Document& after, std::span<const whatif::EditEffect> edits, const Document& before) {
  Json list = Json::array();
  for (const whatif::EditEffect& edit : edits) {
    Json pods = Json::array();
    for (const whatif::PodFate& fate : edit.pods) {
      pods.push_back(pod_entry(fate));
    }
    list.push_back({{"edit", edit.edit}, {"effect", edit.effect}, {"nodes", edit.nodes}, {"pods", std::move(pods)}});
  }
  const auto joined = [&](const Json& now, const Json& then) {
    Json report = now;
    report["whatIf"] = {{"edits", list}, {"before", then}};
    return std::make_shared<const Json>(std::move(report));
  };
  Document result{joined(*after.json, *before.json)};
  if (after.brief != nullptr && before.brief != nullptr) {
    result.brief = joined(*after.brief, *before.brief);
  }
  return result;
}

}  // namespace gpusched::report
