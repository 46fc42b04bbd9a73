#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpusched/frag/fragmentation.hpp"

namespace gpusched::frag {

enum class ThresholdKind : std::uint8_t {
  kMaxStranded,  ///< stranded GPUs in per cent of the free ones
  kMinFit,       ///< pods that fit by count
};

/// What a CI job demands of one size.
struct Threshold {
  ThresholdKind kind = ThresholdKind::kMinFit;
  int size = 1;
  std::int64_t limit = 0;
};

struct ThresholdAnswer {
  Threshold threshold;
  double value = 0;       ///< per cent as printed, or pods
  std::string violation;  ///< a sentence when it is crossed, else ""
};

/// What becomes of each threshold. The rows must hold every size asked for. Compared exactly, not with the rounded per
/// cent that is printed.
[[nodiscard]] std::vector<ThresholdAnswer> judge_thresholds(const ExclusiveGpus& exclusive,
                                                            std::span<const Threshold> thresholds);

/// The sentences of those that are crossed.
[[nodiscard]] std::vector<std::string> violations(const ExclusiveGpus& exclusive,
                                                  std::span<const Threshold> thresholds);

}  // namespace gpusched::frag
