#include "gpusched/frag/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gpusched::frag {

std::vector<ThresholdAnswer> judge_thresholds(const ExclusiveGpus& exclusive, std::span<const Threshold> thresholds) {
  std::vector<ThresholdAnswer> result;
  for (const Threshold& threshold : thresholds) {
    const auto row = std::ranges::find(exclusive.rows, threshold.size, &SizeRow::size);
    if (row == exclusive.rows.end()) {
      continue;
    }
    ThresholdAnswer& answer = result.emplace_back(ThresholdAnswer{.threshold = threshold, .violation = {}});
    if (threshold.kind == ThresholdKind::kMinFit) {
      answer.value = static_cast<double>(row->by_count);
      if (row->by_count < threshold.limit) {
        answer.violation =
            fmt::format("{} pods of {} GPUs fit, at least {} must", row->by_count, row->size, threshold.limit);
      }
    } else {
      answer.value = row->stranded_percent(exclusive.free);
      if (row->stranded * 100 > threshold.limit * exclusive.free) {
        answer.violation = fmt::format("{:g}% of the free GPUs are stranded for pods of {} GPUs, at most {}% may be",
                                       answer.value, row->size, threshold.limit);
      }
    }
  }
  return result;
}

std::vector<std::string> violations(const ExclusiveGpus& exclusive, std::span<const Threshold> thresholds) {
  std::vector<std::string> result;
  for (ThresholdAnswer& answer : judge_thresholds(exclusive, thresholds)) {
    if (!answer.violation.empty()) {
      result.push_back(std::move(answer.violation));
    }
  }
  return result;
}

}  // namespace gpusched::frag
