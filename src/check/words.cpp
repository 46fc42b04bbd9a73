#include <fmt/format.h>

#include "gpusched/check/suite.hpp"

namespace gpusched::check {

namespace {

class Splitter {
 public:
  Splitter(std::string_view line, std::string& why) : line_(line), why_(why) {}

  bool run() {
    while (at_ < line_.size() && why_.empty()) {
      step(line_[at_]);
    }
    finish_word();
    return why_.empty();
  }
  std::vector<std::string> take() { return std::move(words_); }

 private:
  void step(char c) {
    ++at_;
    switch (c) {
      case ' ':
      case '\t':
      case '\n':
      case '\r':
        finish_word();
        return;
      case '\'':
        in_word_ = true;
        single_quoted();
        return;
      case '"':
        in_word_ = true;
        double_quoted();
        return;
      case '\\':
        in_word_ = true;
        if (at_ == line_.size()) {
          why_ = "it ends with a backslash";
        } else if (line_[at_++] != '\n') {
          word_ += line_[at_ - 1];
        }
        return;
      case '|':
      case '&':
      case ';':
      case '<':
      case '>':
      case '$':
      case '`':
        why_ = fmt::format("there is no shell that could make something of '{}'", c);
        return;
      default:
        in_word_ = true;
        word_ += c;
    }
  }

  void single_quoted() {
    const std::size_t end = line_.find('\'', at_);
    if (end == std::string_view::npos) {
      why_ = "a quote ' is never closed";
      return;
    }
    word_ += line_.substr(at_, end - at_);
    at_ = end + 1;
  }

  void double_quoted() {
    for (; at_ < line_.size(); ++at_) {
      if (line_[at_] == '"') {
        ++at_;
        return;
      }
      const bool escape =
          line_[at_] == '\\' && at_ + 1 < line_.size() && std::string_view("\"\\$`").contains(line_[at_ + 1]);
      at_ += escape ? 1 : 0;
      word_ += line_[at_];
    }
    why_ = "a quote \" is never closed";
  }

  void finish_word() {
    if (in_word_) {
      words_.push_back(std::move(word_));
    }
    word_.clear();
    in_word_ = false;
  }

  std::string_view line_;
  std::string& why_;
  std::size_t at_ = 0;
  bool in_word_ = false;
  std::string word_;
  std::vector<std::string> words_;
};

}  // namespace

std::optional<std::vector<std::string>> split_words(std::string_view line, std::string& why) {
  why.clear();
  Splitter splitter(line, why);
  if (!splitter.run()) {
    return std::nullopt;
  }
  return splitter.take();
}

}  // namespace gpusched::check
