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

/// `columns` are those that every entry has: a reader of an empty table still finds them.
struct MainList {
  std::string_view kind, pointer, columns;
};
constexpr std::array kMainLists = {
    MainList{"PlacementReport", "/pods", "name,node,resource,gpus,islands,consequences,message"},
    MainList{"FragmentationReport", "/fragmentation/rows", "size,byCount,withinIsland,stranded"},
    MainList{"MigLayoutReport", "/layouts", "target,board,product,migEnabled,wanted,fits"},
    MainList{"AllocationReport", "/claims", "namespace,name"},
    MainList{"SelectorReport", "/devices", "device"},
    MainList{"PendingReport", "/nodes", "name"},
    MainList{"WorkloadReport", "/items", "apiVersion,kind,pod,verdict"},
    MainList{"VerificationReport", "/differences", "pod,recorded,verdict,message,cause"},
    MainList{"GangReport", "/jobs", "name,state,pods,gpus"},
    MainList{"ChainDiff", "/drift", "object,drift"},
    MainList{"List", "/items", "apiVersion,kind"},
    MainList{"CheckReport", "/questions", "suite,line,name,command,exit,passed,state,mismatches,thresholds"},
};
constexpr std::string_view kWorkloadColumns = "workload,state";
constexpr std::string_view kEventColumns = "time,event";
constexpr std::string_view kEvictionColumns = "workload,cycle,reason";

void add_value(std::string& out, const Json& value) {
  if (value.is_string()) {
    out += csv_cell(value.get_ref<const std::string&>());
  } else if (!value.is_null()) {
    out += csv_cell(value.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
}

std::string rows(const Json& list, std::string_view columns_of_none, bool headers) {
  if (list.empty()) {
    return headers ? std::string(columns_of_none) + '\n' : std::string();
  }
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
  if (headers) {
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

bool is_of_kueue(const Json& document) {
  return document.value("kind", std::string()) == "GangReport" && document.contains("admission");
}

/// Null when there is no array.
const Json* list_at(const Json& document, std::string_view pointer) {
  const Json::json_pointer place{std::string(pointer)};
  return document.contains(place) && document.at(place).is_array() ? &document.at(place) : nullptr;
}

const MainList* main_list(const Json& document) {
  const auto found = std::ranges::find(kMainLists, document.value("kind", std::string()), &MainList::kind);
  return found == kMainLists.end() || list_at(document, found->pointer) == nullptr ? nullptr : &*found;
}

const Json* event_list(const Json& document) {
  return list_at(document, is_of_kueue(document) ? "/admission/evicted" : "/events");
}

}  // namespace

bool has_csv(const Json& document) {
  return is_of_kueue(document) || main_list(document) != nullptr;
}

std::string csv(const Json& document, bool headers) {
  if (is_of_kueue(document)) {
    return rows(workloads_of(document.at("admission")), kWorkloadColumns, headers);
  }
  const MainList* const list = main_list(document);
  return list == nullptr ? std::string() : rows(*list_at(document, list->pointer), list->columns, headers);
}

bool has_csv_events(const Json& document) {
  return event_list(document) != nullptr;
}

std::string csv_events(const Json& document, bool headers) {
  const Json* const list = event_list(document);
  return list == nullptr ? std::string()
                         : rows(*list, is_of_kueue(document) ? kEvictionColumns : kEventColumns, headers);
}

}  // namespace gpusched::render
