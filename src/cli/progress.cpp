#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace gpusched::cli {

namespace {
constexpr std::size_t kWidth = 30;
constexpr auto kDelay = std::chrono::milliseconds(500);
constexpr auto kPause = std::chrono::milliseconds(100);  // between two drawings
}  // namespace

ProgressBar::ProgressBar(std::string_view what, std::size_t total, bool wanted)
    : what_(what),
      total_(std::max<std::size_t>(total, 1)),
      enabled_(wanted && isatty(STDERR_FILENO) == 1),
      next_(std::chrono::steady_clock::now() + kDelay) {}

ProgressBar::~ProgressBar() {
  if (drawn_) {
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
  }
}

void ProgressBar::show(std::size_t done) {
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || now < next_) {
    return;
  }
  next_ = now + kPause;
  drawn_ = true;
  const std::size_t cells = std::min(kWidth, kWidth * done / total_);
  std::fputs(fmt::format("\r[{}{}] {} of {} {}", std::string(cells, '#'), std::string(kWidth - cells, ' '), done,
                         total_, what_)
                 .c_str(),
             stderr);
  std::fflush(stderr);
}

}  // namespace gpusched::cli
