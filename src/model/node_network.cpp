#include "gpusched/model/node_network.hpp"

#include <algorithm>

namespace gpusched {

std::string_view rack_of(std::span<const LabelText> labels, std::string_view rack_label) {
  const std::span<const std::string_view> keys =
      rack_label.empty() ? std::span<const std::string_view>(kRackLabels) : std::span(&rack_label, 1);
  for (const std::string_view key : keys) {
    const auto found = std::ranges::find(labels, key, &LabelText::first);
    if (found != labels.end() && !found->second.empty()) {
      return found->second;
    }
  }
  return {};
}

}  // namespace gpusched
