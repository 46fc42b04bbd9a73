#include "gpusched/explain/causes.hpp"

#include <algorithm>
#include <map>

#include "gpusched/objects/pod_requests.hpp"

namespace gpusched::explain {

std::vector<Cause> group_by_cause(std::span<const Explained> pods) {
  std::map<std::pair<std::string, std::string>, std::pair<Cause, std::map<std::string, std::int64_t>>> groups;
  for (const Explained& entry : pods) {
    const std::vector<Finding>& findings = entry.explanation->findings;
    const bool fits = findings.empty() || findings.front().verdict == "trap";
    const std::string verdict = fits ? "fits" : findings.front().verdict;
    auto& [cause, requests] = groups[{verdict, fits ? "" : findings.front().by}];
    cause.verdict = verdict;
    cause.by = fits ? "" : findings.front().by;
    cause.pods.push_back(entry.pod);
    cause.claims += entry.pod->spec->resource_claims.size();
    for (const auto& [name, amount] : objects::pod_demand(*entry.pod).requests.scalars) {
      if (objects::is_extended_resource(name)) {
        requests[name] += amount;
      }
    }
  }
  std::vector<Cause> causes;
  for (auto& [key, group] : groups) {
    group.first.requests.assign(group.second.begin(), group.second.end());
    causes.push_back(std::move(group.first));
  }
  std::ranges::stable_sort(causes, std::ranges::greater(), [](const Cause& cause) { return cause.pods.size(); });
  return causes;
}

}  // namespace gpusched::explain
