#include "gpusched/objects/pod_owner.hpp"

#include <algorithm>

namespace gpusched::objects {

PodOwner pod_owner(std::string_view controller_kind, std::string_view controller_name, const Labels& pod_labels) {
  if (controller_kind == "ReplicaSet") {
    const auto label = std::ranges::find(pod_labels, "pod-template-hash", &Labels::value_type::first);
    const std::string_view hash = label == pod_labels.end() ? std::string_view() : std::string_view(label->second);
    const std::size_t tail = hash.size() + 1;
    if (!hash.empty() && controller_name.size() > tail && controller_name.ends_with(hash) &&
        controller_name[controller_name.size() - tail] == '-') {
      return {"Deployment", controller_name.substr(0, controller_name.size() - tail)};
    }
  }
  return {controller_kind, controller_name};
}

}  // namespace gpusched::objects
