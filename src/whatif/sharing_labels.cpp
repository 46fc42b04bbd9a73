#include "gpusched/whatif/sharing_labels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpusched/objects/set_label.hpp"

namespace gpusched::whatif {

namespace {

constexpr std::string_view kSuffix = "-SHARED";

std::string_view name_of(SharingStrategy strategy) {
  switch (strategy) {
    case SharingStrategy::kNone:
      return "none";
    case SharingStrategy::kTimeSlicing:
      return "time-slicing";
    case SharingStrategy::kMps:
      return "mps";
  }
  return {};
}

}  // namespace

void label_sharing(objects::Labels& labels, const ShareGpus& edit) {
  const auto& [product_key, replicas_key, strategy_key] = kSharingLabels;
  if (std::ranges::none_of(kSharingLabels,
                           [&](std::string_view key) { return objects::find(labels, key) != nullptr; })) {
    return;
  }
  if (const std::string* const product = objects::find(labels, product_key)) {
    std::string name = *product;
    if (name.ends_with(kSuffix)) {
      name.erase(name.size() - kSuffix.size());
    }
    const bool marked = edit.strategy != SharingStrategy::kNone && !edit.rename;
    objects::set_label(labels, product_key, name + std::string(marked ? kSuffix : ""));
  }
  objects::set_label(labels, replicas_key, fmt::format("{}", edit.replicas));
  objects::set_label(labels, strategy_key, std::string(name_of(edit.strategy)));
}

}  // namespace gpusched::whatif
