#include "gpusched/report/verification.hpp"

#include <nlohmann/json.hpp>

#include "report/header.hpp"

namespace gpusched::report {

Document verification_report(const explain::Verification& verification) {
  nlohmann::ordered_json report = document_header("VerificationReport");
  report["compared"] = verification.compared;
  report["equal"] = verification.equal;
  report["withoutCondition"] = verification.without;
  report["differences"] = nlohmann::ordered_json::array();
  for (const explain::Difference& difference : verification.differences) {
    report["differences"].push_back({{"pod", difference.pod},
                                     {"recorded", difference.recorded},
                                     {"verdict", difference.verdict},
                                     {"message", difference.message},
                                     {"cause", difference.cause}});
  }
  return {std::make_shared<const nlohmann::ordered_json>(std::move(report))};
}

}  // namespace gpusched::report
