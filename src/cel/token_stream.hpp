#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cel/token.hpp"

namespace gpusched::cel {

/// A set of tokens.
class TokenSet {
 public:
  constexpr TokenSet() = default;
  template <class... Tokens>
  constexpr explicit TokenSet(Token first, Tokens... rest) : bits_(bit(first)) {
    ((bits_ |= bit(rest)), ...);
  }
  [[nodiscard]] constexpr bool has(Token token) const { return (bits_ & bit(token)) != 0; }
  friend constexpr TokenSet operator|(TokenSet a, TokenSet b) {
    a.bits_ |= b.bits_;
    return a;
  }
  /// "']'", "{']', ','}"
  [[nodiscard]] std::string text() const;

 private:
  static constexpr std::uint64_t bit(Token token) { return std::uint64_t{1} << static_cast<unsigned>(token); }
  std::uint64_t bits_ = 0;
};

/// What can come behind a part of a rule: tokens, and whether the rule can end there.
struct Follow {
  TokenSet tokens;
  bool may_end = true;
};

/// The tokens of an expression with the error strategy of ANTLR 4's DefaultErrorStrategy: delete one token, insert one,
/// else report, leave the rule and skip what cannot follow any open rule. While it recovers, errors are silent.
/// Limits: cel-go's parser options (30 recoveries, 256 skipped tokens each).
class TokenStream {
 public:
  TokenStream(const Source& source, Errors& errors);

  [[nodiscard]] Token look(std::size_t ahead = 1) const { return lexeme(ahead).token; }
  [[nodiscard]] const Lexeme& lexeme(std::size_t ahead = 1) const;
  [[nodiscard]] std::string text(const Lexeme& lexeme) const { return source_.slice(lexeme.begin, lexeme.end); }
  /// Takes the next token, which fits: a recovery ends here.
  void consume() {
    recovering_ = false;
    skip();
  }

  /// Opens a part of the current rule behind which `follow` can come.
  void enter(Follow follow) { follows_.push_back(follow); }
  void leave() { follows_.pop_back(); }

  /// Takes the token, with repairs. False: the rule has to be left (by recover()).
  [[nodiscard]] bool match(Token token, Follow behind);
  /// Makes sure that one of these comes next, with repairs. False: as for match().
  [[nodiscard]] bool expect(TokenSet set);
  /// The same inside a loop that must go on: what does not fit is skipped.
  void expect_in_loop(TokenSet set);
  /// No alternative fits from the next token to the one `ahead`.
  void no_alternative(std::size_t ahead);
  /// Reports what made the rule end and skips to what may follow.
  void recover(int state);

  /// Stops everything: the message has no place, and later errors are not reported.
  void give_up(std::string message);
  [[nodiscard]] bool gave_up() const { return gave_up_; }

 private:
  void skip();
  [[nodiscard]] TokenSet following(Follow behind) const;
  [[nodiscard]] TokenSet recovery_set() const;
  [[nodiscard]] static std::string quoted(std::string_view raw);
  [[nodiscard]] std::string quoted(const Lexeme& lexeme) const;
  [[nodiscard]] bool delete_one(TokenSet expected);
  bool count_attempt();
  void report(const Lexeme& lexeme, std::string message);
  void skip_until(TokenSet set, bool limited);

  struct Pending {
    std::string message;
    Lexeme place;
  };

  const Source& source_;
  Errors& errors_;
  std::vector<Lexeme> lexemes_;
  std::size_t next_ = 0;
  std::vector<Follow> follows_;
  std::optional<Pending> pending_;
  bool recovering_ = false;
  bool gave_up_ = false;
  int attempts_ = 0;
  std::size_t last_error_ = SIZE_MAX;
  std::vector<int> last_states_;
};

}  // namespace gpusched::cel
