#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace gpusched::cli {

/// A line on a terminal that tells how far a long run is; nothing when standard error is no terminal, and nothing for
/// runs of less than half a second. It is gone when the run is over.
class ProgressBar {
 public:
  ProgressBar(std::string_view what, std::size_t total, bool wanted);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::size_t done);

 private:
  std::string_view what_;
  std::size_t total_;
  bool enabled_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace gpusched::cli
