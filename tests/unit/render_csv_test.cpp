// The columns of an empty list are columns of every list of its kind that is not empty.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>

#include "render/csv.hpp"

namespace gpusched::render {
namespace {

using Json = nlohmann::ordered_json;

std::set<std::string> header_of(const std::string& csv) {
  std::istringstream line(csv.substr(0, csv.find('\n')));
  std::set<std::string> columns;
  for (std::string column; std::getline(line, column, ',');) columns.insert(column);
  return columns;
}

/// The report with every list in it emptied, two levels deep.
Json emptied(Json report) {
  for (auto& [key, value] : report.items()) {
    if (value.is_array()) value = Json::array();
    for (auto& [inner_key, inner] : value.items()) {
      if (inner.is_array()) inner = Json::array();
    }
  }
  return report;
}

void check_columns(const Json& report, std::string (*write)(const Json&, bool), std::set<std::string>& kinds) {
  const std::string full = write(report, true);
  const std::string none = write(emptied(report), true);
  if (full == none) return;  // it is empty itself
  INFO(full.substr(0, full.find('\n')));
  const std::set<std::string> columns = header_of(full);
  for (const std::string& column : header_of(none)) {
    CAPTURE(column);
    CHECK(columns.contains(column));
  }
  CHECK(write(emptied(report), false).empty());
  kinds.insert(report.at("kind"));
}

}  // namespace

TEST_CASE("an empty list has the columns of others of its kind") {
  std::set<std::string> kinds;
  std::set<std::string> kinds_with_events;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("tests/golden")) {
    if (entry.path().filename() != "stdout") continue;
    std::ifstream file(entry.path());
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const Json report = Json::parse(text, nullptr, false);
    if (!report.is_object() || !report.contains("kind")) continue;
    INFO(entry.path().string());
    if (has_csv(report)) check_columns(report, &csv, kinds);
    if (has_csv_events(report)) check_columns(report, &csv_events, kinds_with_events);
  }
  CHECK(kinds == std::set<std::string>{"AllocationReport", "ChainDiff", "CheckReport", "FragmentationReport",
                                       "GangReport", "List", "MigLayoutReport", "PendingReport", "PlacementReport",
                                       "SelectorReport", "VerificationReport", "WorkloadReport"});
  CHECK(kinds_with_events == std::set<std::string>{"GangReport"});
}

}  // namespace gpusched::render
