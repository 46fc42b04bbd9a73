#include "gpusched/model/node_labels.hpp"

#include <algorithm>

namespace gpusched {

std::vector<LabelText> label_texts(const ClusterShape& shape, LabelSetId labels) {
  std::vector<LabelText> texts;
  for (const auto& [key, value] : shape.label_sets[labels.index()]) {
    texts.emplace_back(shape.text(key), shape.text(value));
  }
  return texts;
}

std::string_view nvlink_domain(std::span<const LabelText> labels) {
  for (const std::string_view key : kNvlinkDomainLabels) {
    const auto found = std::ranges::find(labels, key, &LabelText::first);
    if (found != labels.end() && !found->second.empty()) {
      return found->second;
    }
  }
  return {};
}

}  // namespace gpusched
