// The syntax of Go's regexp/syntax with Perl flags: what is wrong with a pattern, in Go's words, and the same pattern
// for RE2, which differs in named groups, some escapes and names of classes.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cel/regex.hpp"
#include "cel/regex_classes.hpp"
#include "cel/source.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::cel {
namespace {

constexpr std::int64_t kMaxRepeat = 1000;
constexpr std::size_t kMaxDepth = 1000;

bool is_digit(char32_t c) {
  return c >= U'0' && c <= U'9';
}
bool is_octal(char c) {
  return c >= '0' && c <= '7';
}
bool is_alphanumeric(char32_t c) {
  return is_digit(c) || (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z');
}

std::optional<std::uint32_t> hex(char32_t c) {
  if (is_digit(c)) return static_cast<std::uint32_t>(c - U'0');
  if (c >= U'a' && c <= U'f') return static_cast<std::uint32_t>(c - U'a' + 10);
  if (c >= U'A' && c <= U'F') return static_cast<std::uint32_t>(c - U'A' + 10);
  return std::nullopt;
}

/// What stands on the parser's stack in so far as errors depend on it.
struct Group {
  bool has_atom = false;     ///< something that can be repeated
  std::int64_t repeats = 1;  ///< of the last atom: the product of nested counts
  std::int64_t largest = 1;  ///< of all atoms so far
};

class Checker {
 public:
  explicit Checker(std::string_view pattern) : whole_(pattern), rest_(pattern), groups_(1) {}

  std::string run(std::string& rewritten) {
    if (!valid_utf8(whole_)) return "error parsing regexp: invalid UTF-8: `" + std::string(whole_) + "`";
    while (!rest_.empty() && error_.empty()) {
      next_repeat_ = {};
      step();
      last_repeat_ = next_repeat_;
    }
    if (error_.empty() && groups_.size() != 1) fail("missing closing )", whole_);
    rewritten = std::move(out_);
    return error_;
  }

 private:
  void fail(std::string_view code, std::string_view where) {
    if (error_.empty()) error_ = fmt::format("error parsing regexp: {}: `{}`", code, where);
  }
  /// The text from `from` up to what is left.
  [[nodiscard]] std::string_view since(std::string_view from) const {
    return from.substr(0, from.size() - rest_.size());
  }

  void atom(std::int64_t repeats = 1) {
    Group& group = groups_.back();
    group.has_atom = true;
    group.repeats = repeats;
    group.largest = std::max(group.largest, repeats);
  }

  char32_t take() {
    std::size_t length = 0;
    const char32_t c = next_code_point(rest_, length);
    rest_.remove_prefix(length);
    return c;
  }
  void copy(std::size_t length) {
    out_ += rest_.substr(0, length);
    rest_.remove_prefix(length);
  }
  void emit(char32_t c) { out_ += fmt::format("\\x{{{:x}}}", static_cast<std::uint32_t>(c)); }

  void step() {
    switch (rest_[0]) {
      case '(':
        return rest_.starts_with("(?") ? perl_group() : open_group(1);
      case ')':
        return close_group();
      case '|':
        groups_.back().has_atom = false;
        return copy(1);
      case '[':
        return char_class();
      case '*':
      case '+':
      case '?':
        return repeat(rest_, 1, 1);
      case '{':
        return counted_repeat();
      case '\\':
        return escape();
      default:
        break;
    }
    atom();
    std::size_t length = 0;
    (void)next_code_point(rest_, length);
    copy(length);
  }

  void open_group(std::size_t length) {
    copy(length);
    groups_.emplace_back();
    if (groups_.size() > kMaxDepth) fail("expression nests too deeply", whole_);
  }

  void close_group() {
    if (groups_.size() < 2) return fail("unexpected )", whole_);
    const std::int64_t inner = groups_.back().largest;
    groups_.pop_back();
    copy(1);
    atom(inner);
  }

  void perl_group() {
    const std::string_view start = rest_;
    const bool python = rest_.size() > 4 && rest_.starts_with("(?P<");
    if (python || (rest_.size() > 3 && rest_.starts_with("(?<"))) return named_group(python ? 4 : 3);
    rest_.remove_prefix(2);
    bool negative = false;
    bool saw_flag = false;
    while (!rest_.empty()) {
      const char32_t c = take();
      if (c == U'i' || c == U'm' || c == U's' || c == U'U') {
        saw_flag = true;
      } else if (c == U'-' && !negative) {
        negative = true;
        saw_flag = false;
      } else if ((c == U':' || c == U')') && (!negative || saw_flag)) {
        out_ += since(start);
        if (c == U':') groups_.emplace_back();
        return;
      } else {
        break;
      }
    }
    fail("invalid or unsupported Perl syntax", since(start));
  }

  void named_group(std::size_t name_begin) {
    const std::string_view start = rest_;
    const std::size_t end = rest_.find('>');
    if (end == std::string_view::npos) return fail("invalid named capture", start);
    const std::string_view name = rest_.substr(name_begin, end - name_begin);
    const bool good = !name.empty() && std::ranges::all_of(name, [](char c) {
      return c == '_' || is_alphanumeric(static_cast<unsigned char>(c));
    });
    if (!good) return fail("invalid named capture", rest_.substr(0, end + 1));
    rest_.remove_prefix(end + 1);
    out_ += '(';
    groups_.emplace_back();
  }

  /// A repetition of so many characters; `count` is its number, 1 for * + ?.
  void repeat(std::string_view before, std::size_t length, std::int64_t count) {
    rest_.remove_prefix(length);
    if (rest_.starts_with('?')) rest_.remove_prefix(1);
    if (!last_repeat_.empty()) return fail("invalid nested repetition operator", since(last_repeat_));
    Group& group = groups_.back();
    if (!group.has_atom) return fail("missing argument to repetition operator", since(before));
    const std::int64_t repeats = count == 0 ? 1 : group.repeats * count;
    if (count >= 2 && repeats > kMaxRepeat) return fail("invalid repeat count", since(before));
    atom(repeats);
    out_ += since(before);
    next_repeat_ = before;
  }

  /// A number without leading zeros; -1 for one that is too large, nothing for none.
  static std::optional<std::int64_t> number(std::string_view& text) {
    if (text.empty() || !is_digit(static_cast<unsigned char>(text[0]))) return std::nullopt;
    if (text.size() >= 2 && text[0] == '0' && is_digit(static_cast<unsigned char>(text[1]))) return std::nullopt;
    std::int64_t value = 0;
    for (; !text.empty() && is_digit(static_cast<unsigned char>(text[0])); text.remove_prefix(1)) {
      if (value >= 0) value = value >= 100'000'000 ? -1 : value * 10 + (text[0] - '0');
    }
    return value;
  }

  /// {n}, {n,} or {n,m}; anything else is the character itself.
  void counted_repeat() {
    const std::string_view before = rest_;
    std::string_view text = rest_.substr(1);
    const auto min = number(text);
    std::int64_t max = min.value_or(0);
    bool good = min.has_value() && !text.empty();
    if (good && text[0] == ',') {
      text.remove_prefix(1);
      if (text.empty()) {
        good = false;
      } else if (text[0] == '}') {
        max = -1;
      } else {
        const auto parsed = number(text);
        good = parsed.has_value();
        max = parsed.value_or(0);
        if (good && max < 0) max = kMaxRepeat + 1;  // too large
      }
    }
    if (!good || text.empty() || text[0] != '}') {
      atom();
      out_ += "\\{";
      rest_.remove_prefix(1);
      return;
    }
    const std::size_t length = before.size() - text.size() + 1;
    if (*min < 0 || *min > kMaxRepeat || max > kMaxRepeat || (max >= 0 && *min > max)) {
      return fail("invalid repeat count", before.substr(0, length));
    }
    repeat(before, length, max < 0 ? *min : max);
  }

  void escape() {
    if (rest_.size() >= 2) {
      switch (rest_[1]) {
        case 'A':
        case 'b':
        case 'B':
        case 'z':
          atom();
          return copy(2);
        case 'C':
          return fail("invalid escape sequence", rest_.substr(0, 2));
        case 'Q':
          return quoted();
        case 'p':
        case 'P':
          if (unicode_group()) atom();
          return;
        case 'd':
        case 'D':
        case 's':
        case 'S':
        case 'w':
        case 'W':
          atom();
          return copy(2);
        default:
          break;
      }
    }
    const auto c = single_escape();
    if (!c) return;
    atom();
    emit(*c);
  }

  /// \Q...\E
  void quoted() {
    rest_.remove_prefix(2);
    const std::size_t end = rest_.find("\\E");
    std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 2);
    for (std::size_t i = 0; i < text.size();) {
      emit(next_code_point(text, i));
      atom();
    }
  }

  /// \pN, \p{Name}, \p{^Name}
  bool unicode_group() {
    const std::string_view start = rest_;
    bool negated = rest_[1] == 'P';
    rest_.remove_prefix(2);
    if (rest_.empty()) return fail("invalid character class range", start), false;
    std::string_view name;
    if (rest_[0] == '{') {
      const std::size_t end = rest_.find('}');
      if (end == std::string_view::npos) return fail("invalid character class range", start), false;
      name = rest_.substr(1, end - 1);
      rest_.remove_prefix(end + 1);
    } else {
      const std::string_view from = rest_;
      (void)take();
      name = since(from);
    }
    if (name.starts_with('^')) {
      negated = !negated;
      name.remove_prefix(1);
    }
    const auto known = unicode_class(name, negated);
    if (!known) return fail("invalid character class range", since(start)), false;
    out_ += *known;
    return true;
  }

  /// An escape for one character; nothing when it is wrong.
  std::optional<char32_t> single_escape() {
    const std::string_view start = rest_;
    rest_.remove_prefix(1);
    if (rest_.empty()) return fail("trailing backslash at end of expression", ""), std::nullopt;
    const char32_t c = take();
    constexpr std::u32string_view kLetters = U"afnrtv";
    constexpr std::u32string_view kMeanings = U"\a\f\n\r\t\v";
    if (c < 0x80 && !is_alphanumeric(c)) return c;
    if (c >= U'0' && c <= U'7' && (c == U'0' || (!rest_.empty() && is_octal(rest_[0])))) return octal(c);
    if (c == U'x') {
      if (const auto value = hex_escape(start)) return value;
    } else if (const std::size_t at = kLetters.find(c); at != std::u32string_view::npos) {
      return kMeanings[at];
    }
    return fail("invalid escape sequence", since(start)), std::nullopt;
  }

  char32_t octal(char32_t first) {
    char32_t value = first - U'0';
    for (int i = 1; i < 3 && !rest_.empty() && is_octal(rest_[0]); ++i) value = value * 8 + (take() - U'0');
    return value;
  }

  /// \xHH or \x{H...}
  std::optional<char32_t> hex_escape(std::string_view) {
    if (rest_.empty()) return std::nullopt;
    const char32_t first = take();
    if (first != U'{') {
      const auto high = hex(first);
      if (rest_.empty()) return std::nullopt;
      const auto low = hex(take());
      if (!high || !low) return std::nullopt;
      return *high * 16 + *low;
    }
    char32_t value = 0;
    for (int count = 0;; ++count) {
      if (rest_.empty()) return std::nullopt;
      const char32_t c = take();
      if (c == U'}') return count == 0 ? std::nullopt : std::optional(value);
      const auto digit = hex(c);
      if (!digit) return std::nullopt;
      value = value * 16 + *digit;
      if (value > 0x10FFFF) return std::nullopt;
    }
  }

  void char_class() {
    const std::string_view start = rest_;
    rest_.remove_prefix(1);
    out_ += '[';
    if (rest_.starts_with('^')) copy(1);
    bool first = true;
    while (rest_.empty() || rest_[0] != ']' || first) {
      first = false;
      if (!class_item(start)) return;
    }
    copy(1);
    atom();
  }

  std::optional<char32_t> class_character(std::string_view start) {
    if (rest_.empty()) return fail("missing closing ]", start), std::nullopt;
    if (rest_[0] == '\\') return single_escape();
    return take();
  }

  bool class_item(std::string_view start) {
    if (rest_.size() > 2 && rest_.starts_with("[:")) {
      const std::size_t end = rest_.find(":]", 2);
      if (end != std::string_view::npos) return posix_class(rest_.substr(0, end + 2));
    }
    if (rest_.size() >= 2 && rest_[0] == '\\') {
      if (rest_[1] == 'p' || rest_[1] == 'P') return unicode_group_in_class();
      if (std::string_view("dDsSwW").find(rest_[1]) != std::string_view::npos) return copy(2), true;
    }
    const std::string_view range = rest_;
    const auto low = class_character(start);
    if (!low) return false;
    char32_t high = *low;
    if (rest_.size() >= 2 && rest_[0] == '-' && rest_[1] != ']') {
      rest_.remove_prefix(1);
      const auto end = class_character(start);
      if (!end) return false;
      high = *end;
      if (high < *low) return fail("invalid character class range", since(range)), false;
    }
    emit(*low);
    if (high != *low) {
      out_ += '-';
      emit(high);
    }
    return true;
  }

  bool unicode_group_in_class() {
    const std::size_t before = out_.size();
    if (!unicode_group()) return false;
    // The rewriting of ASCII is a class of its own: its inside is wanted.
    if (out_[before] == '[' && out_[before + 1] != '^') {
      out_.pop_back();
      out_.erase(before, 1);
    } else if (out_[before] == '[') {
      out_.replace(before, std::string::npos, "\\x{80}-\\x{10FFFF}");
    }
    return true;
  }

  bool posix_class(std::string_view text) {
    constexpr std::string_view kNames[] = {"alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph",
                                           "lower", "print", "punct", "space", "upper", "word",  "xdigit"};
    std::string_view name = text.substr(2, text.size() - 4);
    if (name.starts_with('^')) name.remove_prefix(1);
    if (std::ranges::find(kNames, name) == std::end(kNames)) {
      return fail("invalid character class range", text), false;
    }
    copy(text.size());
    return true;
  }

  std::string_view whole_, rest_;
  std::string out_, error_;
  std::vector<Group> groups_;
  std::string_view last_repeat_, next_repeat_;  ///< from the operator on; empty: none
};

}  // namespace

std::string check_regex(std::string_view pattern, std::string& rewritten) {
  return Checker(pattern).run(rewritten);
}

}  // namespace gpusched::cel
