#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "render/html_pages.hpp"

namespace gpusched::render::html {

namespace {

constexpr int kMaxDepth = 12;  // deeper values are shown as JSON text

bool is_table(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::ranges::all_of(value, [](const Json& row) { return row.is_object(); });
}

std::string value_at(const Json& value, int depth);

std::string table(const Json& rows, int depth) {
  std::vector<std::string> keys;
  std::set<std::string> known;
  for (const Json& row : rows) {
    for (const auto& member : row.items()) {
      if (known.insert(member.key()).second) {
        keys.push_back(member.key());
      }
    }
  }
  std::vector<Column> columns;
  for (const std::string& key : keys) {
    const bool number = std::ranges::all_of(
        rows, [&](const Json& row) { return get(row, key).is_number() || get(row, key).is_null(); });
    columns.push_back({key, number});
  }
  Table table(fmt::format("{} rows", rows.size()), std::move(columns));
  for (const Json& row : rows) {
    std::vector<std::string> cells;
    for (const std::string& key : keys) {
      cells.push_back(value_at(get(row, key), depth + 1));
    }
    table.add(cells);
  }
  return table.html();
}

std::string value_at(const Json& value, int depth) {
  if (value.is_primitive() || depth > kMaxDepth) {
    return text(value);
  }
  if (is_table(value)) {
    return table(value, depth);
  }
  std::string out;
  if (value.is_array()) {
    for (const Json& item : value) {
      out += fmt::format("<li>{}</li>", value_at(item, depth + 1));
    }
    return out.empty() ? "–" : fmt::format("<ul>{}</ul>", out);
  }
  for (const auto& [key, member] : value.items()) {
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escape(key), value_at(member, depth + 1));
  }
  return out.empty() ? "–" : fmt::format("<dl class=\"members\">{}</dl>", out);
}

}  // namespace

std::string any_value(const Json& value) {
  return value_at(value, 0);
}

void add_members(const Json& document, std::span<const std::string_view> shown, Page& page) {
  Json small = Json::object();
  const std::size_t before = page.sections.size();
  for (const auto& [key, value] : document.items()) {
    if (key == "apiVersion" || key == "kind" || key == "whatIf" || std::ranges::find(shown, key) != shown.end()) {
      continue;
    }
    if (value.is_primitive()) {
      small[key] = value;
    } else if (!value.empty()) {
      page.sections.push_back({fmt::format("part-{}", page.sections.size()), key, any_value(value)});
    }
  }
  if (!small.empty()) {
    page.sections.insert(page.sections.begin() + static_cast<std::ptrdiff_t>(before),
                         {"members", before == 0 ? "Answer" : "Further members", any_value(small)});
  }
}

Page any_page(const Json& document) {
  Page page;
  page.title = get_text(document, "kind");
  add_members(document, {}, page);
  return page;
}

}  // namespace gpusched::render::html
