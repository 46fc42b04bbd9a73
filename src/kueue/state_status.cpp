#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gpusched/base/text.hpp"
#include "kueue/state.hpp"

// Whether a ClusterQueue is active, and why not. Source: Kueue v0.17.0, pkg/cache/scheduler/clusterqueue.go.
namespace gpusched::kueue {

namespace {

constexpr std::string_view kProvisioning = "kueue.x-k8s.io/provisioning-request";
constexpr std::string_view kMultiKueue = "kueue.x-k8s.io/multikueue";

/// Names of what is wrong with the admission checks of a ClusterQueue, each sorted.
struct CheckFindings {
  std::vector<std::string> missing, inactive, multi_kueue, provisioning, per_flavor;
};

/// Collects the problems of a ClusterQueue in the order of Kueue's message; the first one is the reason.
class Problems {
 public:
  void add(std::string_view reason, std::string text) {
    if (texts_.empty()) {
      reason_ = reason;
    }
    texts_.push_back(std::move(text));
  }
  void add_names(std::string_view reason, std::string_view what, const std::vector<std::string>& names) {
    if (!names.empty()) {
      add(reason, fmt::format("{}: {}", what, join(names, ",")));
    }
  }

  [[nodiscard]] bool empty() const { return texts_.empty(); }
  [[nodiscard]] std::string_view reason() const { return reason_; }
  [[nodiscard]] std::string message() const {
    return fmt::format("Can't admit new workloads: {}.", join(texts_, ", "));
  }

 private:
  std::string_view reason_;
  std::vector<std::string> texts_;
};

CheckFindings look_at_checks(const QueueState& queue, const std::vector<objects::AdmissionCheck>& checks) {
  std::size_t flavor_count = 0;
  for (const GroupState& group : queue.groups) {
    flavor_count += group.flavors.size();
  }
  CheckFindings found;
  for (const CheckRuleState& rule : queue.checks) {
    const auto check =
        std::ranges::find(checks, rule.name, [](const auto& object) -> const std::string& { return object.meta.name; });
    if (check == checks.end()) {
      found.missing.push_back(rule.name);
      continue;
    }
    if (!check->active) {
      found.inactive.push_back(rule.name);
    }
    if (check->controller_name == kProvisioning) {
      found.provisioning.push_back(rule.name);
    }
    if (check->controller_name == kMultiKueue) {
      found.multi_kueue.push_back(rule.name);
      if (rule.flavors.size() != flavor_count) {
        found.per_flavor.push_back(rule.name);
      }
    }
  }
  for (auto* const names :
       {&found.missing, &found.inactive, &found.multi_kueue, &found.provisioning, &found.per_flavor}) {
    std::ranges::sort(*names);
  }
  return found;
}

void add_check_problems(const CheckFindings& found, Problems& problems) {
  problems.add_names("AdmissionCheckNotFound", "references missing AdmissionCheck(s)", found.missing);
  problems.add_names("AdmissionCheckInactive", "references inactive AdmissionCheck(s)", found.inactive);
  if (found.multi_kueue.size() > 1) {
    problems.add_names("MultipleMultiKueueAdmissionChecks",
                       "Cannot use multiple MultiKueue AdmissionChecks on the same ClusterQueue, found",
                       found.multi_kueue);
  }
  problems.add_names("MultiKueueAdmissionCheckAppliedPerFlavor",
                     "Cannot specify MultiKueue AdmissionCheck per flavor, found", found.per_flavor);
  if (!found.multi_kueue.empty() && !found.provisioning.empty()) {
    problems.add(
        "MultiKueueWithProvisioningRequest",
        fmt::format("Cannot use both MultiKueue and ProvisioningRequest AdmissionChecks together, found: {}, {}",
                    join(found.multi_kueue, ","), join(found.provisioning, ",")));
  }
}

}  // namespace

void State::set_status(QueueState& queue) {
  Problems problems;
  if (queue.stopped) {
    problems.add("Stopped", "is stopped");
  }
  std::vector<std::string> missing_flavors;
  for (const GroupState& group : queue.groups) {
    for (const FlavorId flavor : group.flavors) {
      if (flavors[flavor.index()].object == nullptr) {
        missing_flavors.push_back(flavors[flavor.index()].name);
      }
    }
  }
  problems.add_names("FlavorNotFound", "references missing ResourceFlavor(s)", missing_flavors);

  const CheckFindings checks = look_at_checks(queue, objects.admission_checks);
  add_check_problems(checks, problems);
  queue.multi_kueue = !checks.multi_kueue.empty();
  queue.provisioned_flavors.clear();
  for (const CheckRuleState& rule : queue.checks) {
    if (std::ranges::find(checks.provisioning, rule.name) != checks.provisioning.end()) {
      queue.provisioned_flavors.insert(queue.provisioned_flavors.end(), rule.flavors.begin(), rule.flavors.end());
    }
  }

  queue.active = problems.empty();
  for (const FlavorId id : queue.topology_flavors) {
    const FlavorState& flavor = flavors[id.index()];
    if (features().topology_aware_scheduling && flavor.topology == nullptr) {
      queue.active &= queue.multi_kueue;  // then the worker clusters have the topology
      problems.add("TopologyNotFound", fmt::format("there is no Topology \"{}\" for TAS flavor \"{}\"",
                                                   *flavor.object->topology_name, flavor.name));
    }
  }
  queue.reason = queue.active ? std::string_view() : problems.reason();
  queue.message = queue.active ? std::string() : problems.message();
}

}  // namespace gpusched::kueue
