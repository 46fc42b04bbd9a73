#include "cel/token_stream.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace gpusched::cel {
namespace {

constexpr int kMaxAttempts = 30;
constexpr int kMaxSkipped = 256;

}  // namespace

std::string TokenSet::text() const {
  std::string names;
  int count = 0;
  for (std::size_t i = 0; i < kTokenKinds; ++i) {
    if (!has(static_cast<Token>(i))) continue;
    names += (count++ == 0 ? "" : ", ") + std::string(display_name(static_cast<Token>(i)));
  }
  return count == 1 ? names : "{" + names + "}";
}

TokenStream::TokenStream(const Source& source, Errors& errors)
    : source_(source), errors_(errors), lexemes_(tokenize(source, errors)) {}

const Lexeme& TokenStream::lexeme(std::size_t ahead) const {
  return lexemes_[std::min(next_ + ahead - 1, lexemes_.size() - 1)];
}

void TokenStream::skip() {
  if (next_ + 1 < lexemes_.size()) ++next_;
}

TokenSet TokenStream::following(Follow behind) const {
  TokenSet set = behind.tokens;
  for (auto open = follows_.rbegin(); behind.may_end && open != follows_.rend(); ++open) {
    set = set | open->tokens;
    behind.may_end = open->may_end;
  }
  return set;
}

TokenSet TokenStream::recovery_set() const {
  TokenSet set;
  for (const Follow& open : follows_) set = set | open.tokens;
  return set;
}

/// The text in quotes, white space visible.
std::string TokenStream::quoted(std::string_view raw) {
  std::string escaped;
  for (const char c : raw) {
    if (c == '\n') {
      escaped += "\\n";
    } else if (c == '\r') {
      escaped += "\\r";
    } else if (c == '\t') {
      escaped += "\\t";
    } else {
      escaped += c;
    }
  }
  return "'" + escaped + "'";
}

std::string TokenStream::quoted(const Lexeme& lexeme) const {
  return quoted(lexeme.token == Token::kEnd ? "<EOF>" : text(lexeme));
}

void TokenStream::report(const Lexeme& lexeme, std::string message) {
  if (gave_up_) return;
  // The reserved words that are tokens: the same words as for the others.
  constexpr std::string_view kWords[] = {"true", "false", "null"};
  for (const std::string_view word : kWords) {
    for (const std::string_view first : {".", "-", "!"}) {
      if (message == fmt::format("no viable alternative at input '{}{}'", first, word)) {
        message = fmt::format("mismatched input '{}' expecting IDENTIFIER", word);
      }
    }
  }
  errors_.add(lexeme.begin, "Syntax error: " + message);
}

bool TokenStream::count_attempt() {
  if (attempts_++ != kMaxAttempts) return !gave_up_;
  report(lexeme(), fmt::format("error recovery attempt limit exceeded: {}", kMaxAttempts));
  gave_up_ = true;
  next_ = lexemes_.size() - 1;
  return false;
}

void TokenStream::give_up(std::string message) {
  if (!gave_up_) errors_.add(kNoOffset, std::move(message));
  gave_up_ = true;
  next_ = lexemes_.size() - 1;
}

/// Reports an unwanted token and drops it if the one behind it is expected.
bool TokenStream::delete_one(TokenSet expected) {
  if (!expected.has(look(2)) || (next_ + 1 >= lexemes_.size() && !expected.has(Token::kEnd))) return false;
  if (!recovering_)
    report(lexeme(), fmt::format("extraneous input {} expecting {}", quoted(lexeme()), expected.text()));
  recovering_ = false;
  skip();
  return true;
}

bool TokenStream::match(Token token, Follow behind) {
  if (look() == token) {
    consume();
    return true;
  }
  if (!count_attempt()) return false;
  const TokenSet expected(token);
  if (delete_one(expected)) {
    consume();
    return true;
  }
  if (following(behind).has(look())) {
    if (!recovering_) {
      report(lexeme(), fmt::format("missing {} at {}", display_name(token), quoted(lexeme())));
      recovering_ = true;
    }
    return true;
  }
  pending_ = {fmt::format("mismatched input {} expecting {}", quoted(lexeme()), expected.text()), lexeme()};
  return false;
}

bool TokenStream::expect(TokenSet set) {
  if (recovering_ || set.has(look())) return true;
  if (gave_up_) return false;
  if (delete_one(set)) return true;
  pending_ = {fmt::format("mismatched input {} expecting {}", quoted(lexeme()), set.text()), lexeme()};
  return false;
}

void TokenStream::expect_in_loop(TokenSet set) {
  if (recovering_ || gave_up_ || set.has(look())) return;
  report(lexeme(), fmt::format("extraneous input {} expecting {}", quoted(lexeme()), set.text()));
  recovering_ = true;
  skip_until(set | recovery_set(), false);
}

void TokenStream::no_alternative(std::size_t ahead) {
  const Lexeme& first = lexeme();
  const Lexeme& last = lexeme(ahead);
  std::string input = first.token == Token::kEnd ? "<EOF>" : source_.slice(first.begin, last.end);
  if (last.token == Token::kEnd && first.token != Token::kEnd) input = source_.slice(first.begin, last.begin);
  pending_ = {"no viable alternative at input " + quoted(input), last};
}

void TokenStream::skip_until(TokenSet set, bool limited) {
  for (int skipped = 0; look() != Token::kEnd && !set.has(look()); ++skipped) {
    if (limited && skipped >= kMaxSkipped) {
      give_up(fmt::format("error recovery token lookahead limit exceeded: {}", kMaxSkipped));
      return;
    }
    skip();
  }
}

void TokenStream::recover(int state) {
  if (pending_ && !recovering_) {
    report(pending_->place, pending_->message);
    recovering_ = true;
  }
  pending_.reset();
  if (gave_up_ || !count_attempt()) return;
  if (last_error_ == next_ && std::ranges::find(last_states_, state) != last_states_.end()) skip();
  last_error_ = next_;
  last_states_.push_back(state);
  skip_until(recovery_set(), true);
}

}  // namespace gpusched::cel
