#include "gpusched/objects/disruption.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace gpusched::objects {

namespace {

/// "2", or "50%" of the total, rounded up.
std::optional<std::int64_t> amount_of(std::string_view text, std::int64_t total) {
  const bool percent = text.ends_with('%');
  text.remove_suffix(percent ? 1 : 0);
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return percent ? (std::int64_t{number} * total + 99) / 100 : std::int64_t{number};
}

}  // namespace

bool covers(const PodDisruptionBudget& budget, std::string_view namespace_name, const Labels& labels) {
  return !labels.empty() && budget.selector && budget.meta.namespace_name == namespace_name &&
         matches(*budget.selector, labels);
}

std::int32_t disruptions_allowed(const DisruptionRule& rule, std::int32_t covered, std::int32_t healthy) {
  if (rule.has_status) {
    return std::max(rule.budget.disruptions_allowed, 0);
  }
  // Source: k8s.io/kubernetes v1.37, pkg/controller/disruption, getExpectedPodCount and updatePdbStatus.
  std::int64_t wanted = 0;
  if (const auto unavailable = amount_of(rule.max_unavailable, covered)) {
    wanted = std::max<std::int64_t>(covered - *unavailable, 0);
  } else if (const auto available = amount_of(rule.min_available, covered)) {
    wanted = *available;
  }
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(healthy - wanted, 0, std::max(covered, 0)));
}

}  // namespace gpusched::objects
