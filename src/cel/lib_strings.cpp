// Strings, version 2 (cel-go ext/strings.go). Indexes count code points.

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cel/evaluation.hpp"
#include "cel/format.hpp"
#include "cel/function.hpp"
#include "cel/source.hpp"

namespace gpusched::cel {
namespace {

using Args = std::span<const Value>;

/// The byte offset of each code point, and the end.
std::vector<std::size_t> offsets_of(std::string_view text) {
  std::vector<std::size_t> offsets;
  offsets.reserve(text.size() + 1);
  for (std::size_t i = 0; i < text.size();) {
    offsets.push_back(i);
    (void)next_code_point(text, i);
  }
  offsets.push_back(text.size());
  return offsets;
}

std::int64_t count(const std::vector<std::size_t>& offsets) {
  return static_cast<std::int64_t>(offsets.size()) - 1;
}

std::string_view part(std::string_view text, const std::vector<std::size_t>& offsets, std::int64_t begin,
                      std::int64_t end) {
  const std::size_t from = offsets[static_cast<std::size_t>(begin)];
  return text.substr(from, offsets[static_cast<std::size_t>(end)] - from);
}

Value out_of_range(Evaluation& e, std::int64_t index) {
  return e.error(fmt::format("index out of range: {}", index));
}

Value char_at(Evaluation& e, Args args) {
  const std::string_view text = args[0].view();
  const auto offsets = offsets_of(text);
  const std::int64_t index = args[1].integer;
  if (index < 0 || index > count(offsets)) return out_of_range(e, index);
  return Value::string(index == count(offsets) ? std::string_view() : part(text, offsets, index, index + 1));
}

/// The index of the code point at a byte offset.
std::int64_t index_of_byte(const std::vector<std::size_t>& offsets, std::size_t byte) {
  return std::ranges::lower_bound(offsets, byte) - offsets.begin();
}

Value index_of(Evaluation& e, Args args) {
  const std::string_view text = args[0].view();
  const std::string_view sought = args[1].view();
  const std::int64_t offset = args.size() == 3 ? args[2].integer : 0;
  if (offset < 0) return out_of_range(e, offset);
  const auto offsets = offsets_of(text);
  if (sought.empty()) return Value::of_int(std::min(offset, count(offsets)));
  if (offset >= count(offsets)) return Value::of_int(-1);
  const std::size_t found = text.find(sought, offsets[static_cast<std::size_t>(offset)]);
  return Value::of_int(found == std::string_view::npos ? -1 : index_of_byte(offsets, found));
}

Value last_index_of(Evaluation& e, Args args) {
  const std::string_view text = args[0].view();
  const std::string_view sought = args[1].view();
  const auto offsets = offsets_of(text);
  const std::int64_t length = count(offsets);
  if (args.size() == 2) {
    if (sought.empty()) return Value::of_int(length);
    if (text.size() < sought.size()) return Value::of_int(-1);
  }
  const std::int64_t offset = args.size() == 3 ? args[2].integer : length - 1;
  if (offset < 0) return out_of_range(e, offset);
  if (sought.empty()) return Value::of_int(std::min(offset, length));
  if (offset >= length) return Value::of_int(-1);
  const std::size_t found = text.rfind(sought, offsets[static_cast<std::size_t>(offset)]);
  return Value::of_int(found == std::string_view::npos ? -1 : index_of_byte(offsets, found));
}

template <char first, char last, int shift>
Value change_case(Evaluation& e, Args args) {
  const std::string_view text = args[0].view();
  if (!e.room_for(text.size())) return no_such_overload();
  char* result = e.heap().characters(text.size());
  std::ranges::transform(text, result,
                         [](char c) { return c >= first && c <= last ? static_cast<char>(c + shift) : c; });
  return Value::string({result, text.size()});
}

/// Go's strings.Replace; n < 0 replaces all.
std::string replaced(Evaluation& e, std::string_view text, std::string_view old, std::string_view with,
                     std::int64_t n) {
  std::string result;
  std::size_t position = 0;
  for (std::int64_t i = 0; i != n; ++i) {
    std::size_t found = position;
    if (old.empty()) {
      // In front of every code point and at the end.
      if (i > 0) {
        if (position >= text.size()) break;
        (void)next_code_point(text, found);
      }
    } else {
      found = text.find(old, position);
      if (found == std::string_view::npos) break;
    }
    result.append(text.substr(position, found - position)).append(with);
    if ((i & 0xFF) == 0 && !e.room_for(result.size() * 2)) return {};
    position = found + old.size();
  }
  result.append(text.substr(position));
  return result;
}

Value replace(Evaluation& e, Args args) {
  const std::int64_t n = args.size() == 4 ? args[3].integer : -1;
  if (args[1].view() == args[2].view() || n == 0) return args[0];
  const std::string text = replaced(e, args[0].view(), args[1].view(), args[2].view(), n);
  if (e.stopped() || !e.room_for(text.size())) return no_such_overload();
  return e.heap().string(text);
}

Value split(Evaluation& e, Args args) {
  std::string_view text = args[0].view();
  const std::string_view separator = args[1].view();
  const std::int64_t n = args.size() == 3 ? args[2].integer : -1;
  std::vector<Value> parts;
  if (n == 0) return Value::list({});
  const auto full = [&] { return n > 0 && static_cast<std::int64_t>(parts.size()) + 1 >= n; };
  if (separator.empty()) {
    while (!text.empty()) {
      std::size_t length = 0;
      if (full()) {
        length = text.size();
      } else {
        (void)next_code_point(text, length);
      }
      parts.push_back(Value::string(text.substr(0, length)));
      text.remove_prefix(length);
    }
    return e.heap().list(parts);
  }
  while (!full()) {
    const std::size_t found = text.find(separator);
    if (found == std::string_view::npos) break;
    parts.push_back(Value::string(text.substr(0, found)));
    text.remove_prefix(found + separator.size());
  }
  parts.push_back(Value::string(text));
  return e.heap().list(parts);
}

Value substring(Evaluation& e, Args args) {
  const std::string_view text = args[0].view();
  const auto offsets = offsets_of(text);
  const std::int64_t length = count(offsets);
  const std::int64_t begin = args[1].integer;
  const std::int64_t end = args.size() == 3 ? args[2].integer : length;
  if (args.size() == 3 && begin > end) {
    return e.error(fmt::format("invalid substring range. start: {}, end: {}", begin, end));
  }
  if (begin < 0 || begin > length) return out_of_range(e, begin);
  if (end < 0 || end > length) return out_of_range(e, end);
  return Value::string(part(text, offsets, begin, end));
}

bool is_white_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

Value trim(Evaluation&, Args args) {
  const std::string_view text = args[0].view();
  std::size_t begin = text.size();
  std::size_t end = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t before = i;
    if (is_white_space(next_code_point(text, i))) continue;
    begin = std::min(begin, before);
    end = i;
  }
  return Value::string(begin < end ? text.substr(begin, end - begin) : std::string_view());
}

Value join(Evaluation& e, Args args) {
  const std::string_view separator = args.size() == 2 ? args[1].view() : std::string_view();
  const auto items = items_of(args[0]);
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += separator;
    if (!items[i].is(Kind::kString)) return e.error("join: invalid input: " + std::string(go_text(items[i])));
    if (!e.room_for(text.size() + items[i].size)) return no_such_overload();
    text += items[i].view();
  }
  return e.heap().string(text);
}

Value quote(Evaluation& e, Args args) {
  constexpr std::string_view kSpecial = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kNames = "abfnrtv\\\"";
  const std::string_view text = args[0].view();
  std::string result = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const char32_t c = next_code_point(text, i);
    const std::size_t special = c < 0x80 ? kSpecial.find(static_cast<char>(c)) : std::string_view::npos;
    if (special != std::string_view::npos) {
      result += '\\';
      result += kNames[special];
    } else {
      append_utf8(result, c);
    }
  }
  return e.room_for(result.size()) ? e.heap().string(result + "\"") : no_such_overload();
}

Value format(Evaluation& e, Args args) {
  const auto text = format_string(args[0].view(), items_of(args[1]));
  if (!text) return e.error(text.error());
  return e.room_for(text->size()) ? e.heap().string(*text) : no_such_overload();
}

constexpr OverloadRow kRows[] = {
    {"charAt", "string_char_at_int", "string.(int) string", char_at},
    {"indexOf", "string_index_of_string", "string.(string) int", index_of},
    {"indexOf", "string_index_of_string_int", "string.(string, int) int", index_of},
    {"lastIndexOf", "string_last_index_of_string", "string.(string) int", last_index_of},
    {"lastIndexOf", "string_last_index_of_string_int", "string.(string, int) int", last_index_of},
    {"lowerAscii", "string_lower_ascii", "string.() string", change_case<'A', 'Z', 32>},
    {"upperAscii", "string_upper_ascii", "string.() string", change_case<'a', 'z', -32>},
    {"replace", "string_replace_string_string", "string.(string, string) string", replace},
    {"replace", "string_replace_string_string_int", "string.(string, string, int) string", replace},
    {"split", "string_split_string", "string.(string) list(string)", split},
    {"split", "string_split_string_int", "string.(string, int) list(string)", split},
    {"substring", "string_substring_int", "string.(int) string", substring},
    {"substring", "string_substring_int_int", "string.(int, int) string", substring},
    {"trim", "string_trim", "string.() string", trim},
    {"join", "list_join", "list(string).() string", join},
    {"join", "list_join_string", "list(string).(string) string", join},
    {"strings.quote", "strings_quote", "(string) string", quote},
    {"format", "string_format", "string.(list(dyn)) string", format},
};

}  // namespace

Library string_library() {
  return {kRows};
}

}  // namespace gpusched::cel
