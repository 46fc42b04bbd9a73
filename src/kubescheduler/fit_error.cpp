#include "kubescheduler/fit_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gpusched/base/text.hpp"

namespace gpusched::kubescheduler {

void FitError::add(const Status& status) {
  ++explicit_nodes_;
  for (const std::string& reason : *status.reasons) {
    ++counts_[reason];
  }
}

std::string FitError::message(std::string_view post_filter) const {
  std::map<std::string_view, std::size_t> counts = counts_;
  if (!absent_reason_.empty() && explicit_nodes_ < node_count_) {
    counts[absent_reason_] += node_count_ - explicit_nodes_;
  }
  std::vector<std::string> texts;
  for (const auto& [reason, count] : counts) {
    texts.push_back(fmt::format("{} {}", count, reason));
  }
  std::ranges::sort(texts);
  std::string message = fmt::format("0/{} nodes are available:", node_count_);
  if (!texts.empty()) {
    message.append(" ").append(join(texts, ", ")).append(".");
  }
  if (!post_filter.empty()) {
    message.append(" ").append(post_filter);
  }
  return message;
}

std::string FitError::message_of_pre_filter(std::size_t node_count, std::string_view text,
                                            std::string_view post_filter) {
  return fmt::format("0/{} nodes are available: {}.{}{}", node_count, text, post_filter.empty() ? "" : " ",
                     post_filter);
}

}  // namespace gpusched::kubescheduler
