#include "gpusched/frag/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gpusched::frag {

std::vector<std::string> violations(const ExclusiveGpus& exclusive, std::span<const Threshold> thresholds) {
  std::vector<std::string> result;
  for (const Threshold& threshold : thresholds) {
    const auto row = std::ranges::find(exclusive.rows, threshold.size, &SizeRow::size);
    if (row == exclusive.rows.end()) {
      continue;
    }
    if (threshold.kind == ThresholdKind::kMinFit && row->by_count < threshold.limit) {
      result.push_back(
          fmt::format("{} pods of {} GPUs fit, at least {} must", row->by_count, row->size, threshold.limit));
    }
    if (threshold.kind == ThresholdKind::kMaxStranded && row->stranded * 100 > threshold.limit * exclusive.free) {
      result.push_back(fmt::format("{:g}% of the free GPUs are stranded for pods of {} GPUs, at most {}% may be",
                                   row->stranded_percent(exclusive.free), row->size, threshold.limit));
    }
  }
  return result;
}

}  // namespace gpusched::frag
