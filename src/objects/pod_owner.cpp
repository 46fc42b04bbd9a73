#include "gpusched/objects/pod_owner.hpp"

#include <algorithm>
#include <array>

#include "gpusched/base/ascii.hpp"

namespace gpusched::objects {

namespace {

struct KindNames {
  std::string_view singular, plural, short_name;
};

// What makes pods, and pods. Sources: kubectl api-resources of Kubernetes 1.36; Kueue and LeaderWorkerSet (their CRDs).
constexpr std::array kKinds = {
    KindNames{"pod", "pods", "po"},
    KindNames{"deployment", "deployments", "deploy"},
    KindNames{"replicaset", "replicasets", "rs"},
    KindNames{"replicationcontroller", "replicationcontrollers", "rc"},
    KindNames{"statefulset", "statefulsets", "sts"},
    KindNames{"daemonset", "daemonsets", "ds"},
    KindNames{"job", "jobs", ""},
    KindNames{"cronjob", "cronjobs", "cj"},
    KindNames{"workload", "workloads", "wl"},
    KindNames{"leaderworkerset", "leaderworkersets", "lws"},
};

}  // namespace

std::string kind_of_word(std::string_view word) {
  const std::string kind = ascii_lower(word.substr(0, word.find('.')));
  const auto known = std::ranges::find_if(kKinds, [&](const KindNames& names) {
    return kind == names.singular || kind == names.plural || (kind == names.short_name && !kind.empty());
  });
  return known == kKinds.end() ? kind : std::string(known->singular);
}

bool names_kind(std::string_view word, std::string_view kind) {
  const std::string asked = kind_of_word(word);
  const std::string own = ascii_lower(kind);
  return asked == own || asked == own + "s";
}

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
