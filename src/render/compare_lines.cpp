#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/cells.hpp"
#include "render/search_tables.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

void compare_lines(const Json& compare, const TableOptions& options, std::string& out) {
  const Json& rows = compare.at("rows");
  std::vector<std::string> header{"",      "placed", "pending", "evicted", "consequences",
                                  "nodes", "in use", "free",    "block",   "island"};
  std::vector<bool> right(header.size(), true);
  right.front() = false;
  for (const Json& size : rows.front().at("fragmentation").at("rows")) {
    header.push_back(fmt::format("stranded {}", size.at("size").dump()));
    right.push_back(true);
  }
  Columns columns(header);
  for (const Json& row : rows) {
    const Json& fragmentation = row.at("fragmentation");
    const auto used = row.find("usedPercent");
    std::vector<std::string> cells{
        escape_control(row.at("name").get_ref<const std::string&>()),
        number(row.at("placed")),
        number(row.at("pending")),
        number(row.at("evicted")),
        number(row.at("consequences")),
        number(row.at("nodes")),
        used == row.end() ? "-" : fmt::format("{}-{}%", used->at("min").dump(), used->at("max").dump()),
        number(fragmentation.at("free")),
        number(fragmentation.at("largestBlock")),
        number(fragmentation.at("largestIsland"))};
    for (const Json& size : fragmentation.at("rows")) {
      cells.push_back(number(size.at("stranded")));
    }
    columns.add(std::move(cells));
  }
  columns.write(out, right, options.headers, 0);
}

}  // namespace gpusched::render
