#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "cel/value.hpp"

namespace re2 {
class RE2;
}

namespace gpusched::cel {

class Evaluation;

/// Compiles a pattern of Go's regexp; null and Go's message ("error parsing regexp: ...") when it is wrong.
[[nodiscard]] std::unique_ptr<re2::RE2> compile_regex(std::string_view pattern, std::string& error);

/// What is wrong with a pattern in Go's eyes, "" for a good one. `rewritten` is the same pattern for RE2.
[[nodiscard]] std::string check_regex(std::string_view pattern, std::string& rewritten);

/// matches, find and findAll with a pattern that was compiled with the program.
[[nodiscard]] Value call_regex(Evaluation& evaluation, std::string_view function, const re2::RE2& regex,
                               std::span<const Value> args);

}  // namespace gpusched::cel
