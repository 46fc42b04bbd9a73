#include "gpusched/report/message.hpp"

#include <nlohmann/json.hpp>

#include "report/explanation_json.hpp"
#include "report/header.hpp"

namespace gpusched::report {

namespace {

using Json = nlohmann::ordered_json;

Json reason_list(std::span<const explain::CountedReason> reasons) {
  Json list = Json::array();
  for (const explain::CountedReason& reason : reasons) {
    list.push_back({{"count", reason.count}, {"reason", reason.reason}});
  }
  return list;
}

}  // namespace

Document message_report(std::string_view text, const explain::SchedulingMessage& message,
                        std::span<const explain::Finding> findings) {
  Json report = document_header("MessageReport");
  report["message"] = text;
  report["source"] = message.source;
  report["nodes"] = message.nodes ? Json(*message.nodes) : Json(nullptr);
  report["reasons"] = reason_list(message.reasons);
  report["preFilter"] = message.pre_filter;
  report["claims"] = message.claims;
  report["preemption"] = {{"reasons", reason_list(message.preemption)}, {"text", message.preemption_text}};
  report["cut"] = message.cut;
  report["explanation"] = findings_json(findings);
  return {std::make_shared<const Json>(std::move(report))};
}

}  // namespace gpusched::report
