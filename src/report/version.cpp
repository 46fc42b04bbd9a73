#include "gpusched/report/version.hpp"

#include <nlohmann/json.hpp>

#include "report/header.hpp"

namespace gpusched::report {

Document version_report(const VersionFacts& facts) {
  using Json = nlohmann::ordered_json;
  Json report = document_header("VersionReport");
  report["version"] = facts.version;
  report["kubernetes"] = {{"default", "1.37"}, {"exact", {"1.34", "1.35", "1.36", "1.37"}}};
  report["kueue"] = {{"exact", {"0.17"}}};
  report["documents"] = {"gpusched/v1alpha1"};
  report["build"] = {{"compiler", facts.compiler}, {"type", facts.build_type}};
  return {std::make_shared<const Json>(std::move(report))};
}

}  // namespace gpusched::report
