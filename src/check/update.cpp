#include "gpusched/check/update.hpp"

#include <algorithm>
#include <vector>

#include "check/values.hpp"
#include "gpusched/io/value_json.hpp"

namespace gpusched::check {

namespace {

using io::Value;

/// The same document, but that the value at `offset` of the old one is `wanted`; `seen` tells whether it was there.
bool same_but_one(const Value& before, const Value& after, std::uint32_t offset, const Value& wanted, bool& seen) {
  if (before.offset() == offset && before.kind() != io::Kind::kObject && before.kind() != io::Kind::kArray) {
    seen = true;
    return same_value(after, wanted);
  }
  if (before.offset() == offset && same_value(after, wanted)) {
    seen = true;
    return true;
  }
  if (before.kind() != after.kind() || before.items().size() != after.items().size() ||
      before.members().size() != after.members().size() || before.text() != after.text()) {
    return false;
  }
  for (std::size_t i = 0; i < before.items().size(); ++i) {
    if (!same_but_one(before.items()[i], after.items()[i], offset, wanted, seen)) {
      return false;
    }
  }
  for (std::size_t i = 0; i < before.members().size(); ++i) {
    const io::Member& a = before.members()[i];
    const io::Member& b = after.members()[i];
    if (a.key() != b.key() || !same_but_one(a.value, b.value, offset, wanted, seen)) {
      return false;
    }
  }
  return true;
}

std::size_t indent_of_line(std::string_view text, std::size_t at) {
  const std::size_t start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  const std::size_t first =
      text.find_first_not_of(" -", start);  // "- output: |" is indented by what stands behind "- "
  return first - start;
}

/// Where a block text ends: before the first line that is not empty and not indented more than its key.
std::size_t end_of_block(std::string_view text, std::size_t at) {
  const std::size_t indent = indent_of_line(text, at);
  std::size_t end = text.find('\n', at);
  std::size_t kept = std::min(end, text.size());
  while (end != std::string_view::npos) {
    const std::size_t start = end + 1;
    end = text.find('\n', start);
    const std::string_view line = text.substr(start, end == std::string_view::npos ? end : end - start);
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string_view::npos) {
      continue;
    }
    if (first <= indent) {
      break;
    }
    kept = end == std::string_view::npos ? text.size() : end;
  }
  return kept;
}

/// A text of several lines as "|", indented two blanks more than its key; none when it needs quotes.
std::optional<std::string> block(std::string_view content, std::size_t indent) {
  const bool plain = std::ranges::all_of(
      content, [](char c) { return c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20; });
  if (!plain || !content.ends_with('\n') || content.starts_with(' ') || content.starts_with('\n') ||
      content.ends_with("\n\n")) {
    return std::nullopt;
  }
  std::string out = "|";
  content.remove_suffix(1);
  for (std::size_t start = 0;;) {
    const std::size_t end = std::min(content.find('\n', start), content.size());
    out += '\n';
    if (end > start) {
      out.append(indent + 2, ' ');
      out += content.substr(start, end - start);
    }
    if (end == content.size()) {
      return out;
    }
    start = end + 1;
  }
}

/// Places at which the value's text may end, the likeliest first; reading the result tells which one was right.
std::vector<std::size_t> possible_ends(std::string_view text, std::size_t at) {
  constexpr std::size_t kMaxEnds = 64;
  std::vector<std::size_t> ends;
  const char first = text[at];
  if (first == '|' || first == '>') {
    return {end_of_block(text, at)};
  }
  if (first == '"' || first == '\'') {
    for (std::size_t end = at + 1; end < text.size() && ends.size() < kMaxEnds; ++end) {
      if (text[end] == first) {
        ends.push_back(end + 1);
      }
    }
    return ends;
  }
  const std::size_t line_end = std::min(text.find('\n', at), text.size());
  if (first == '[' || first == '{') {
    for (std::size_t end = at + 1; end < text.size() && ends.size() < kMaxEnds; ++end) {
      if (text[end] == ']' || text[end] == '}') {
        ends.push_back(end + 1);
      }
    }
    return ends;
  }
  for (std::size_t end = at + 1; end <= line_end && ends.size() < kMaxEnds; ++end) {
    const bool comment = text.substr(end, 2) == " #" || text.substr(end, 2) == "\t#";
    if (end == line_end || comment || text[end] == ',' || text[end] == '}' || text[end] == ']') {
      const std::size_t last = text.find_last_not_of(" \t\r", end - 1);
      ends.push_back(last + 1);
    }
  }
  return ends;
}

/// The new value as it may be written at `at`, the one in the style of the old one first.
std::vector<std::string> spellings(std::string_view text, std::size_t at, const Value& value, std::string_view json) {
  std::vector<std::string> result;
  const char first = text[at];
  if (first == '|' || first == '>') {
    if (std::optional<std::string> as_block = block(value.text(), indent_of_line(text, at))) {
      result.push_back(std::move(*as_block));
    }
  } else if (value.is_string() && first != '"' && !value.text().empty()) {
    result.emplace_back(value.text());  // reading it again tells whether it needs quotes
  }
  result.emplace_back(json);
  return result;
}

}  // namespace

std::optional<std::string> replace_value(const io::Document& document, const Value& place, std::string_view json) {
  const auto wanted = io::parse_documents({"replacement", "[" + std::string(json) + "]"});
  const std::string_view text = document.text();
  const std::size_t at = place.offset();
  const bool in_block =
      at < text.size() && (place.is_array() || place.is_object()) && text[at] != '[' && text[at] != '{';
  if (!wanted || at >= text.size() || in_block) {
    return std::nullopt;
  }
  const Value& value = wanted->front().root.items().front();
  for (const std::string& replacement : spellings(text, at, value, json)) {
    for (const std::size_t end : possible_ends(text, at)) {
      std::string edited(text.substr(0, at));
      edited.append(replacement).append(text.substr(end));
      const auto again = io::parse_documents({"edited", edited});
      bool seen = false;
      if (again && again->size() == 1 &&
          same_but_one(document.root, again->front().root, place.offset(), value, seen) && seen) {
        return edited;
      }
    }
  }
  return std::nullopt;
}

}  // namespace gpusched::check
