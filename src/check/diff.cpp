#include "gpusched/check/diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gpusched::check {

namespace {

constexpr std::size_t kContext = 3;
constexpr std::size_t kMaxLines = 200;
constexpr std::ptrdiff_t kMaxEdits = 1'000;  // the search takes memory with its square

using Lines = std::vector<std::string_view>;

Lines lines_of(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// One step of a script that turns the old lines into the new ones.
enum class Step : char { kSame = ' ', kRemove = '-', kAdd = '+' };

/// The shortest script, by E. W. Myers, "An O(ND) Difference Algorithm and Its Variations" (1986). Empty when it is
/// longer than kMaxEdits.
class ShortestScript {
 public:
  ShortestScript(const Lines& a, const Lines& b)
      : a_(a), b_(b), most_(std::min<std::ptrdiff_t>(std::ssize(a) + std::ssize(b), kMaxEdits)) {}

  std::vector<Step> find() {
    std::vector<std::ptrdiff_t> far(static_cast<std::size_t>(2 * most_ + 3), 0);
    for (std::ptrdiff_t edits = 0; edits <= most_; ++edits) {
      trace_.push_back({far.begin() + (most_ + 1 - edits - 1), far.begin() + (most_ + 1 + edits + 2)});
      for (std::ptrdiff_t k = -edits; k <= edits; k += 2) {
        const auto at = [&](std::ptrdiff_t diagonal) -> std::ptrdiff_t& {
          return far[static_cast<std::size_t>(most_ + 1 + diagonal)];
        };
        std::ptrdiff_t x = goes_down(k, edits, at(k - 1), at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
        while (x < std::ssize(a_) && x - k < std::ssize(b_) && a_[index(x)] == b_[index(x - k)]) {
          ++x;
        }
        at(k) = x;
        if (x >= std::ssize(a_) && x - k >= std::ssize(b_)) {
          return walk_back(edits);
        }
      }
    }
    return {};
  }

 private:
  static std::size_t index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }
  static bool goes_down(std::ptrdiff_t k, std::ptrdiff_t edits, std::ptrdiff_t left, std::ptrdiff_t right) {
    return k == -edits || (k != edits && left < right);
  }

  std::vector<Step> walk_back(std::ptrdiff_t edits) const {
    std::vector<Step> script;
    std::ptrdiff_t x = std::ssize(a_);
    std::ptrdiff_t y = std::ssize(b_);
    for (; edits >= 0; --edits) {
      const std::vector<std::ptrdiff_t>& far = trace_[index(edits)];
      const auto at = [&](std::ptrdiff_t diagonal) { return far[index(edits + 1 + diagonal)]; };
      const std::ptrdiff_t k = x - y;
      const bool down = edits > 0 && goes_down(k, edits, at(k - 1), at(k + 1));
      const std::ptrdiff_t from_x = edits == 0 ? 0 : down ? at(k + 1) : at(k - 1);
      const std::ptrdiff_t from_y = edits == 0 ? 0 : from_x - (down ? k + 1 : k - 1);
      while (x > from_x && y > from_y) {
        script.push_back(Step::kSame);
        --x;
        --y;
      }
      if (edits > 0) {
        script.push_back(down ? Step::kAdd : Step::kRemove);
        x = from_x;
        y = from_y;
      }
    }
    std::ranges::reverse(script);
    return script;
  }

  const Lines& a_;
  const Lines& b_;
  std::ptrdiff_t most_;
  std::vector<std::vector<std::ptrdiff_t>> trace_;  // for each number of edits the part of `far` that it starts from
};

std::vector<Step> script_of(const Lines& a, const Lines& b) {
  std::vector<Step> script = ShortestScript(a, b).find();
  if (script.empty()) {
    script.assign(a.size(), Step::kRemove);
    script.insert(script.end(), b.size(), Step::kAdd);
  }
  return script;
}

class Writer {
 public:
  Writer(const Lines& a, const Lines& b, const std::vector<Step>& script) : a_(a), b_(b), script_(script) {}

  std::string write() {
    for (std::size_t i = 0; i < script_.size();) {
      if (script_[i] == Step::kSame) {
        ++i, ++a_at_, ++b_at_;
        continue;
      }
      i = hunk(i);
    }
    if (left_out_ > 0) {
      out_ += fmt::format("... and {} more lines\n", left_out_);
    }
    return std::move(out_);
  }

 private:
  /// Writes the changes from `first` on that share context; where it ends.
  std::size_t hunk(std::size_t first) {
    const std::size_t before = std::min(kContext, a_at_);
    std::size_t end = first;
    for (std::size_t i = first; i < script_.size() && i <= end + 2 * kContext; ++i) {
      end = script_[i] == Step::kSame ? end : i + 1;
    }
    const std::size_t last = std::min(end + kContext, script_.size());
    std::size_t a_size = before;
    std::size_t b_size = before;
    for (std::size_t i = first; i < last; ++i) {
      a_size += script_[i] == Step::kAdd ? 0 : 1;
      b_size += script_[i] == Step::kRemove ? 0 : 1;
    }
    line(fmt::format("@@ -{} +{} @@\n", range(a_at_ - before, a_size), range(b_at_ - before, b_size)));
    for (std::size_t i = a_at_ - before; i < a_at_; ++i) {
      text_line(Step::kSame, a_[i]);
    }
    for (std::size_t i = first; i < last; ++i) {
      text_line(script_[i], script_[i] == Step::kAdd ? b_[b_at_] : a_[a_at_]);
      a_at_ += script_[i] == Step::kAdd ? 0 : 1;
      b_at_ += script_[i] == Step::kRemove ? 0 : 1;
    }
    return last;
  }

  static std::string range(std::size_t start, std::size_t size) {
    return size == 1 ? std::to_string(start + 1) : fmt::format("{},{}", size == 0 ? start : start + 1, size);
  }

  void text_line(Step step, std::string_view text) {
    const bool whole = text.ends_with('\n');
    line(fmt::format("{}{}{}", static_cast<char>(step), text, whole ? "" : "\n\\ No newline at end of file\n"));
  }

  void line(std::string_view text) {
    if (++lines_ > kMaxLines) {
      ++left_out_;
      return;
    }
    out_ += text;
  }

  const Lines& a_;
  const Lines& b_;
  const std::vector<Step>& script_;
  std::size_t a_at_ = 0;
  std::size_t b_at_ = 0;
  std::size_t lines_ = 0;
  std::size_t left_out_ = 0;
  std::string out_;
};

}  // namespace

std::string unified_diff(std::string_view expected, std::string_view found, std::string_view expected_name,
                         std::string_view found_name) {
  if (expected == found) {
    return {};
  }
  const Lines a = lines_of(expected);
  const Lines b = lines_of(found);
  const std::vector<Step> script = script_of(a, b);
  return fmt::format("--- {}\n+++ {}\n{}", expected_name, found_name, Writer(a, b, script).write());
}

}  // namespace gpusched::check
