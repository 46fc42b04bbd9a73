#include "render/csv.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "render/escape.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

struct MainList {
  std::string_view kind, key;
};
constexpr std::array kMainLists = {
    MainList{"PlacementReport", "pods"}, MainList{"AllocationReport", "claims"}, MainList{"SelectorReport", "devices"},
    MainList{"PendingReport", "nodes"},  MainList{"GangReport", "jobs"},         MainList{"List", "items"},
};

void add_value(std::string& out, const Json& value) {
  if (value.is_string()) {
    out += csv_cell(value.get_ref<const std::string&>());
  } else if (!value.is_null()) {
    out += csv_cell(value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
}

std::string rows(const Json& list, bool headers) {
  std::vector<std::string> columns;
  std::unordered_map<std::string, std::size_t> place;
  for (const Json& entry : list) {
    for (const auto& [key, value] : entry.items()) {
      if (place.try_emplace(key, columns.size()).second) {
        columns.push_back(key);
      }
    }
  }
  std::string out;
  if (headers && !columns.empty()) {
    for (const std::string& column : columns) {
      out += &column == columns.data() ? "" : ",";
      out += csv_cell(column);
    }
    out += '\n';
  }
  std::vector<const Json*> cells;
  for (const Json& entry : list) {
    cells.assign(columns.size(), nullptr);
    for (const auto& [key, value] : entry.items()) {
      cells[place.at(key)] = &value;
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      out += i == 0 ? "" : ",";
      if (cells[i] != nullptr) {
        add_value(out, *cells[i]);
      }
    }
    out += '\n';
  }
  return out;
}

/// Workloads with and without quota, told apart by `state`.
Json workloads_of(const Json& admission) {
  Json list = Json::array();
  for (const auto& [key, state] : {std::pair("admitted", "Admitted"), std::pair("pending", "Pending")}) {
    for (const Json& workload : admission.at(key)) {
      Json& row = list.emplace_back(Json{{"workload", workload.at("workload")}, {"state", state}});
      row.update(workload);
    }
  }
  return list;
}

}  // namespace

std::string csv(const Json& document, bool headers) {
  const auto kind = document.value("kind", std::string());
  if (document.contains("admission") && kind == "GangReport") {
    return rows(workloads_of(document.at("admission")), headers);
  }
  const auto found = std::ranges::find(kMainLists, kind, &MainList::kind);
  if (kind == "FragmentationReport") {
    return rows(document.at("fragmentation").at("rows"), headers);
  }
  return found == kMainLists.end() ? std::string() : rows(document.at(found->key), headers);
}

std::string csv_events(const Json& document, bool headers) {
  if (document.contains("admission") && !document.contains("events")) {
    return rows(document.at("admission").at("evicted"), headers);
  }
  return document.contains("events") ? rows(document.at("events"), headers) : std::string();
}

}  // namespace gpusched::render
