#include "report/fragmentation_parts.hpp"
#include "report/placement_parts.hpp"

namespace gpusched::report {

using Json = nlohmann::ordered_json;

Json compare_object(std::span<const whatif::ComparisonRow> rows) {
  Json list = Json::array();
  for (const whatif::ComparisonRow& row : rows) {
    Json entry{{"name", row.name},
               {"placed", row.placed},
               {"pending", row.pending},
               {"evicted", row.evicted},
               {"consequences", row.consequences},
               {"nodes", row.nodes}};
    if (row.most_used_percent >= 0) {
      entry["usedPercent"] = {{"min", row.least_used_percent}, {"max", row.most_used_percent}};
    }
    entry["fragmentation"] = fragmentation_object(row.exclusive, {});
    list.push_back(std::move(entry));
  }
  return {{"rows", std::move(list)}};
}

}  // namespace gpusched::report
