#include "check/value_spelling.hpp"

#include <algorithm>
#include <optional>

namespace gpusched::check {

namespace {

using io::Value;

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

/// Behind the quote that closes the one at `at`; the text's end when none does.
std::size_t end_of_quotes(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t end = at + 1; end < text.size(); ++end) {
    if (quote == '"' && text[end] == '\\') {
      ++end;
    } else if (text[end] == quote) {
      if (quote == '"' || !text.substr(end + 1).starts_with(quote)) {
        return end + 1;
      }
      ++end;  // '' stands for one
    }
  }
  return text.size();
}

/// Behind the bracket that closes the one at `at`; the text's end when none does.
std::size_t end_of_brackets(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (std::size_t end = at; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && --depth == 0) {
      return end + 1;
    } else if (c == '"' || (c == '\'' && std::string_view(" ,:[{\n").contains(text[end - 1]))) {  // not that of "it's"
      end = end_of_quotes(text, end) - 1;
    }
  }
  return text.size();
}

std::size_t likely_end(std::string_view text, const Value& place) {
  const std::size_t at = place.offset();
  const char first = text[at];
  return first == '"' || first == '\''  ? end_of_quotes(text, at)
         : first == '[' || first == '{' ? end_of_brackets(text, at)
                                        : std::min(at + std::max<std::size_t>(place.text().size(), 1), text.size());
}

}  // namespace

std::vector<std::size_t> possible_ends(std::string_view text, const Value& place) {
  constexpr std::size_t kMaxEnds = 64;
  const std::size_t at = place.offset();
  const char first = text[at];
  if (first == '|' || first == '>') {
    return {end_of_block(text, at)};
  }
  std::vector<std::size_t> ends = {likely_end(text, place)};
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

}  // namespace gpusched::check
