// Regular expressions (k8s.io/apiserver/pkg/cel/library/regex.go), by RE2.

#include "cel/regex.hpp"

#include <string>
#include <vector>

#include <re2/re2.h>

#include "cel/evaluation.hpp"
#include "cel/function.hpp"

namespace gpusched::cel {
namespace {

using Args = std::span<const Value>;

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}
std::string_view view(const re2::StringPiece& text) {
  return {text.data(), text.size()};
}

/// Go's Value().(string): strings, and types by their names (an optional is what is in it).
bool is_text(const Value& value) {
  return value.is(Kind::kString) || value.is(Kind::kType);
}

Value find_first(const re2::RE2& regex, std::string_view text) {
  re2::StringPiece match;
  if (!regex.Match(piece(text), 0, text.size(), re2::RE2::UNANCHORED, &match, 1)) return Value::string({});
  return Value::string(view(match));
}

/// Go's FindAllString: matches that do not overlap; an empty one behind a match does not count.
Value find_each(Evaluation& e, const re2::RE2& regex, std::string_view text, std::int64_t limit) {
  std::vector<Value> matches;
  std::size_t position = 0;
  std::size_t previous_end = std::string_view::npos;
  while (position <= text.size() && (limit < 0 || static_cast<std::int64_t>(matches.size()) < limit)) {
    re2::StringPiece match;
    if (!regex.Match(piece(text), position, text.size(), re2::RE2::UNANCHORED, &match, 1)) break;
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    const std::size_t end = begin + match.size();
    const bool accept = end != position || begin != previous_end;
    if (end > position) {
      position = end;
    } else {
      std::size_t next = position;
      if (next < text.size()) {
        (void)next_code_point(text, next);
      } else {
        ++next;
      }
      position = next;
    }
    previous_end = end;
    if (accept) matches.push_back(Value::string(view(match)));
  }
  return e.heap().list(matches);
}

const re2::RE2* compiled(Evaluation& e, const Value& pattern, std::string& error) {
  const re2::RE2* regex = e.regexes().get(pattern.view(), error);
  if (regex == nullptr) error = "Illegal regex: " + error;
  return regex;
}

Value find(Evaluation& e, Args args) {
  std::string error;
  const re2::RE2* regex = compiled(e, args[1], error);
  return regex == nullptr ? e.error(error) : call_regex(e, "find", *regex, args);
}

Value find_all(Evaluation& e, Args args) {
  std::string error;
  const re2::RE2* regex = compiled(e, args[1], error);
  return regex == nullptr ? e.error(error) : call_regex(e, "findAll", *regex, args);
}

constexpr OverloadRow kRows[] = {
    {"find", "string_find_string", "string.(string) string", find},
    {"findAll", "string_find_all_string", "string.(string) list(string)", find_all},
    {"findAll", "string_find_all_string_int", "string.(string, int) list(string)", find_all},
};

}  // namespace

Library regex_library() {
  return {kRows};
}

Value call_regex(Evaluation& e, std::string_view function, const re2::RE2& regex, Args args) {
  const Value* subject = &args[0];
  while (subject->is(Kind::kOptional) && subject->items != nullptr) subject = subject->items;
  if (!is_text(*subject)) return no_such_overload();
  const std::string_view text = subject->view();
  if (function == "matches") {
    return Value::boolean(regex.Match(piece(text), 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0));
  }
  if (function == "find") return find_first(regex, text);
  if (args.size() == 3 && !args[2].is(Kind::kInt)) return no_such_overload();
  return find_each(e, regex, text, args.size() == 3 ? args[2].integer : -1);
}

std::unique_ptr<re2::RE2> compile_regex(std::string_view pattern, std::string& error) {
  constexpr std::int64_t kMemory = std::int64_t{64} << 20;
  std::string rewritten;
  error = check_regex(pattern, rewritten);
  if (!error.empty()) return nullptr;
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMemory);
  auto regex = std::make_unique<re2::RE2>(rewritten, options);
  if (regex->ok()) return regex;
  error = "error parsing regexp: expression too large: `" + std::string(pattern) + "`";
  return nullptr;
}

RegexCache::RegexCache() = default;
RegexCache::~RegexCache() = default;

const re2::RE2* RegexCache::get(std::string_view pattern, std::string& error) {
  constexpr std::size_t kMax = 64;
  const auto found = compiled_.find(std::string(pattern));
  if (found != compiled_.end()) return found->second.get();
  auto regex = compile_regex(pattern, error);
  if (regex == nullptr) return nullptr;
  if (compiled_.size() >= kMax) compiled_.clear();
  return compiled_.emplace(std::string(pattern), std::move(regex)).first->second.get();
}

}  // namespace gpusched::cel
