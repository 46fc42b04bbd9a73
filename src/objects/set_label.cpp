#include "gpusched/objects/set_label.hpp"

#include <algorithm>

namespace gpusched::objects {

void set_label(Labels& labels, std::string_view key, const std::optional<std::string>& value) {
  const auto found = std::ranges::find(labels, key, [](const auto& label) -> std::string_view { return label.first; });
  if (!value) {
    if (found != labels.end()) {
      labels.erase(found);
    }
  } else if (found != labels.end()) {
    found->second = *value;
  } else {
    labels.emplace_back(std::string(key), *value);
  }
}

}  // namespace gpusched::objects
