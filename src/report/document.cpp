#include "gpusched/report/document.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace gpusched::report {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::array<std::string_view, 2> kDrawn = {"cluster", "stays"};

Json without(const Json& document) {
  Json rest = Json::object();
  for (const auto& [key, value] : document.items()) {
    if (std::ranges::find(kDrawn, key) == kDrawn.end()) {
      rest[key] = value;
    }
  }
  return rest;
}

}  // namespace

Document without_drawings(const Document& document) {
  Json rest = without(*document.json);
  if (const auto what_if = rest.find("whatIf"); what_if != rest.end()) {
    Json& before = what_if->at("before");
    before = without(before);
  }
  Document result = document;
  result.json = std::make_shared<const Json>(std::move(rest));
  return result;
}

}  // namespace gpusched::report
