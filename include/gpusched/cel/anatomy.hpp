#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The text of an expression taken apart, for messages about it. Nothing is checked or evaluated here.
namespace gpusched::cel {

/// What `&&` joins at the top of an expression, in order; the expression itself when it is no such chain. All of them
/// true means that the expression is true.
[[nodiscard]] std::vector<std::string> conjuncts(std::string_view expression);

/// A part of an expression that another one could stand in for.
struct Word {
  enum class Kind : std::uint8_t {
    kText,    ///< a string literal
    kNumber,  ///< an int literal, with its minus
    kField,   ///< a name behind a dot that is not called
    kIndex,   ///< a string literal in brackets of its own: a key
  };
  Kind kind = Kind::kText;
  std::string value;               ///< without quotes
  std::size_t begin = 0, end = 0;  ///< bytes in the expression
};

/// Nothing for an expression that is not UTF-8.
[[nodiscard]] std::vector<Word> words(std::string_view expression);

/// The expression with another value for a word, quoted as its kind wants it.
[[nodiscard]] std::string with_word(std::string_view expression, const Word& word, std::string_view value);

}  // namespace gpusched::cel
