#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/tables.hpp"

namespace gpusched::render {

void Columns::write(std::string& out, const std::vector<bool>& right, bool with_header, std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t r = with_header ? 0 : 1; r < rows_.size(); ++r) {
    widths.resize(std::max(widths.size(), rows_[r].size()));
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      widths[c] = std::max(widths[c], column_width(rows_[r][c]));
    }
  }
  for (std::size_t r = with_header ? 0 : 1; r < rows_.size(); ++r) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      const std::string& cell = rows_[r][c];
      const std::size_t width = display_width(cell);
      const std::string padding(widths[c] - std::min(widths[c], width), ' ');
      line += (c == 0 ? "" : "  ") + (right[c] ? padding + cell : cell + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
}

std::size_t column_width(std::string_view cell) {
  return std::min(display_width(cell), kMaxColumnWidth);
}

std::string index_list(const nlohmann::ordered_json& indices) {
  std::vector<std::int64_t> numbers;
  for (const auto& index : indices) {
    numbers.push_back(index.get<std::int64_t>());
  }
  return fmt::format("[{}]", fmt::join(numbers, ", "));
}

}  // namespace gpusched::render
