#include "report/explanation_json.hpp"

#include <nlohmann/json.hpp>

namespace gpusched::report {

using Json = nlohmann::ordered_json;

Json findings_json(std::span<const explain::Finding> findings) {
  Json list = Json::array();
  for (const explain::Finding& finding : findings) {
    Json& object = list.emplace_back(Json{{"verdict", finding.verdict}});
    if (!finding.by.empty()) {
      object["by"] = finding.by;
    }
    object["text"] = finding.text;
  }
  return list;
}

Json fixes_json(std::span<const explain::Fix> fixes) {
  Json list = Json::array();
  for (const explain::Fix& fix : fixes) {
    list.push_back({{"change", fix.change}, {"effect", fix.effect}, {"verified", true}});
  }
  return list;
}

}  // namespace gpusched::report
