#include <fmt/format.h>

#include <algorithm>

#include "explain/findings.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::explain {

void find_group(std::string_view pod_group, std::vector<Finding>& findings) {
  std::erase_if(findings, [](const Finding& finding) { return finding.verdict == "stale dump"; });
  findings.push_back(
      {"part of a group", "",
       fmt::format("kube-scheduler places the pods of the PodGroup {} together or not at all; this answer "
                   "takes the pod alone, gpusched gang --mode native --pending plays the group",
                   shorten(pod_group))});
}

void find_missing_templates(const objects::Pod& pod, std::span<const objects::ResourceClaimTemplate> templates,
                            std::vector<Finding>& findings) {
  for (const objects::PodResourceClaim& claim : pod.spec->resource_claims) {
    const auto made_from = [&](const objects::ResourceClaimTemplate& known) {
      return known.namespace_name == pod.meta.namespace_name && known.name == *claim.template_name;
    };
    if (claim.template_name && std::ranges::none_of(templates, made_from)) {
      findings.push_back({"claim", "",
                          fmt::format("ResourceClaimTemplate {}/{} of the claim {} does not exist in the input",
                                      pod.meta.namespace_name, *claim.template_name, claim.name)});
    }
  }
}

}  // namespace gpusched::explain
