#include "render/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "gpusched/base/text.hpp"

namespace gpusched::render::html {

namespace {

constexpr std::size_t kFilteredRows = 10;  // from here on a table gets a filter

std::string decimal(double value) {
  std::string digits = fmt::format("{:.2f}", value);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') {
    digits.pop_back();
  }
  return digits;
}

std::string list(const Json& values) {
  std::string words;
  for (const Json& value : values) {
    words += (words.empty() ? "" : ", ") + plain(value);
  }
  return words.empty() ? "–" : words;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string safe;
  for (const char c : escape_control(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

const Json& get(const Json& object, std::string_view key) {
  static const Json kNull;
  if (!object.is_object()) {
    return kNull;
  }
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

const std::string& get_text(const Json& object, std::string_view key) {
  static const std::string kEmpty;
  const Json& value = get(object, key);
  return value.is_string() ? value.get_ref<const std::string&>() : kEmpty;
}

double get_number(const Json& object, std::string_view key) {
  const Json& value = get(object, key);
  return value.is_number() ? value.get<double>() : 0;
}

std::string plain(const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_number_float()) {
    return decimal(value.get<double>());
  }
  if (value.is_boolean()) {
    return value.get<bool>() ? "yes" : "no";
  }
  if (value.is_object() && value.size() == 2 && value.contains("min") && value.contains("max")) {
    return fmt::format("{} to {}", plain(value.at("min")), plain(value.at("max")));
  }
  if (value.is_array()) {
    return list(value);
  }
  return value.is_null() ? "–" : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text(const Json& value) {
  return escape(plain(value));
}

std::string json_text(const Json& value) {
  const std::string lines = value.dump(2, ' ', false, Json::error_handler_t::replace);
  std::string out;
  for (std::size_t start = 0; start < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', start), lines.size());
    out += escape(std::string_view(lines).substr(start, end - start)) + '\n';
    start = end + 1;
  }
  return out;
}

std::string pod_text(const Json& name) {
  const std::string words = plain(name);
  return words.empty() ? "(unnamed)" : escape(words);
}

std::string count_of(double count, std::string_view what) {
  return fmt::format("{} {}{}", decimal(count), what, count == 1 ? "" : "s");
}

std::string badge(Mood mood, std::string_view words) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kLooks = {
      {{"good", "✓"}, {"bad", "✗"}, {"open", "?"}}};
  const auto& [name, sign] = kLooks[static_cast<std::size_t>(mood)];
  return fmt::format(R"(<span class="badge {}"><span aria-hidden="true">{}</span> {}</span>)", name, sign,
                     escape(words));
}

Table::Table(std::string caption, std::vector<Column> columns)
    : caption_(std::move(caption)), columns_(std::move(columns)) {}

void Table::add(const std::vector<std::string>& cells, std::string_view attributes) {
  body_ += attributes.empty() ? "<tr>" : fmt::format("<tr {}>", attributes);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view kind = columns_[i].number ? R"( class="num")" : "";
    body_ += i == 0 ? fmt::format(R"(<th scope="row"{}>{}</th>)", kind, cells[i])
                    : fmt::format("<td{}>{}</td>", kind, cells[i]);
  }
  body_ += "</tr>\n";
  ++rows_;
}

std::string Table::html() const {
  std::string out = fmt::format(
      R"(<div class="scroll" role="region" aria-label="{0}" tabindex="0"><table class="data"{1}><caption>{0}</caption><thead><tr>)",
      escape(caption_), rows_ >= kFilteredRows ? " data-filter" : "");
  for (const Column& column : columns_) {
    out += fmt::format(R"(<th scope="col"{}{}>{}</th>)", column.number ? R"( class="num")" : "",
                       column.pick ? " data-pick" : "", escape(column.title));
  }
  return out + "</tr></thead><tbody>\n" + body_ + "</tbody></table></div>\n";
}

std::string bar(const std::vector<Stretch>& stretches, double whole, std::string_view label) {
  constexpr double kUnits = 100;
  std::string out = fmt::format(
      R"(<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="{0}"><title>{0}</title>)",
      escape(label));
  double start = 0;
  for (const Stretch& stretch : stretches) {
    const double width = whole > 0 ? std::clamp(stretch.length / whole * kUnits, 0.0, kUnits - start) : 0;
    if (width > 0) {
      out +=
          fmt::format(R"(<rect class="{}" x="{:.2f}" y="0" width="{:.2f}" height="10"/>)", stretch.kind, start, width);
      start += width;
    }
  }
  return out + "</svg>";
}

}  // namespace gpusched::render::html
