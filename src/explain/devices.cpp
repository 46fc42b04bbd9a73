#include "explain/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gpusched/base/text.hpp"
#include "gpusched/dra/cel_selectors.hpp"
#include "gpusched/dra/taint_rules.hpp"
#include "gpusched/dra/why_not.hpp"

namespace gpusched::explain {

namespace {

using Claims = std::vector<const objects::ResourceClaim*>;

/// The pod's claims that are still to be allocated. kube-scheduler has seen that all are there.
Claims open_claims(const Snapshot& snapshot, const objects::Pod& pod) {
  Claims claims;
  for (const objects::PodResourceClaim& entry : pod.spec->resource_claims) {
    std::optional<std::string> name = entry.claim_name;
    for (const objects::PodResourceClaimStatus& status : pod.status->resource_claim_statuses) {
      if (!name && status.name == entry.name) {
        name = status.claim_name;
      }
    }
    const objects::ResourceClaim* const claim =
        name ? snapshot.find_resource_claim(pod.meta.namespace_name, *name) : nullptr;
    if (claim != nullptr && !claim->allocation) {
      claims.push_back(claim);
    }
  }
  return claims;
}

/// Nodes where the pod would run if it had devices.
std::vector<NodeIndex> nodes_without_devices(const Survey& survey) {
  constexpr std::size_t kMaxNodes = 256;
  std::vector<NodeIndex> nodes;
  for (const NodeGroup& group : survey.groups) {
    if (group.has(Step::kDevices) && group.obstacles.size() == 1) {
      nodes.insert(nodes.end(), group.nodes.begin(), group.nodes.end());
    }
  }
  nodes.resize(std::min(nodes.size(), kMaxNodes));
  return nodes;
}

/// "request gpus: 2 wanted of 8 devices, 4 in use, 3 fail selector #0 of class gpu (model is "L4"), 1 left"; of several
/// claims "claim ml/a, request gpus: ...".
std::string funnel_text(const dra::RequestFunnel& funnel, std::span<const std::string> claims) {
  std::string text = claims.size() > 1 ? fmt::format("claim {}, ", claims[funnel.claim]) : std::string();
  text += fmt::format("request {}: {} wanted of {} device{}", funnel.request,
                      funnel.all ? "all" : std::to_string(funnel.wanted), funnel.published,
                      funnel.published == 1 ? "" : "s");
  for (const dra::DeviceLoss& loss : funnel.losses) {
    text += fmt::format(", {} {}{}", loss.devices, loss.check.starts_with("selector") ? "fail " : "", loss.check);
    if (!loss.causes.empty() && !loss.causes.front().text.empty()) {
      text += fmt::format(" ({})", loss.causes.front().text);
    }
  }
  return text + fmt::format(", {} left", funnel.left);
}

std::vector<objects::ResourceSlice> visible_slices(const Question& question) {
  const objects::ClusterObjects& objects = question.snapshot.objects();
  std::vector<objects::ResourceSlice> slices = objects.resource_slices;
  if (question.options.rules.device_taint_rules && question.options.rules.dra.device_taints) {
    dra::apply_taint_rules(objects.device_taint_rules, slices);
  }
  return slices;
}

std::vector<dra::Holder> holders_of(const Snapshot& snapshot) {
  std::vector<dra::Holder> holders;
  for (const objects::ResourceClaim& claim : snapshot.resource_claims()) {
    if (claim.allocation) {
      holders.push_back({dra::name_of(claim), &*claim.allocation});
    }
  }
  return holders;
}

void report(const Question& question, const std::vector<NodeIndex>& nodes, const dra::WhyNot& why,
            std::vector<Finding>& findings, std::vector<Fix>& fixes) {
  constexpr std::size_t kMaxGroups = 5;
  for (std::size_t i = 0; i < std::min(why.groups.size(), kMaxGroups); ++i) {
    const dra::WhyNot::Group& group = why.groups[i];
    std::vector<NodeIndex> of_group;
    std::ranges::transform(group.nodes, std::back_inserter(of_group), [&](std::size_t node) { return nodes[node]; });
    std::vector<std::string> texts{group.why.conclusion};
    std::ranges::transform(group.why.requests, std::back_inserter(texts),
                           [&](const dra::RequestFunnel& funnel) { return funnel_text(funnel, why.claims); });
    texts.insert(texts.end(), group.why.pools.begin(), group.why.pools.end());
    findings.push_back(
        {"devices", "", fmt::format("{}: {}", name_list(question.snapshot, of_group), join(texts, "; "))});
  }
  for (const dra::NearMiss& hint : why.hints) {
    findings.push_back(
        {"near miss", "", hint.request.empty() ? hint.text : fmt::format("request {}: {}", hint.request, hint.text)});
  }
  for (const dra::Fix& fix : why.fixes) {
    fixes.push_back({fix.change, "the claims are " + fix.effect, {}});
  }
}

}  // namespace

bool lacks_devices(const Survey& survey) {
  return std::ranges::any_of(survey.groups, [&](const NodeGroup& group) {
    return group.distance == survey.groups.front().distance && group.has(Step::kDevices);
  });
}

void find_devices(const Question& question, std::vector<Finding>& findings, std::vector<Fix>& fixes) {
  const Claims claims = open_claims(question.snapshot, question.pod);
  const std::vector<NodeIndex> nodes = nodes_without_devices(question.survey);
  if (claims.empty() || nodes.empty()) {
    return;
  }
  std::vector<dra::NodeFacts> facts;
  for (const NodeIndex index : nodes) {
    const objects::Node& node = *question.snapshot.node(index).object;
    facts.push_back({node.meta.name, node.meta.labels, node.status.declared_features});
  }
  const std::vector<objects::ResourceSlice> slices = visible_slices(question);
  const std::vector<dra::Holder> holders = holders_of(question.snapshot);
  const kubescheduler::SchedulerRules& rules = question.options.rules;
  const dra::InUse in_use = dra::in_use(question.snapshot.resource_claims(), rules.dra.consumable_capacity);
  std::optional<dra::CelSelectors> own;
  dra::SelectorEvaluator& selectors =
      question.options.selectors != nullptr ? *question.options.selectors : own.emplace(rules.dra);
  dra::AllocateOptions search;
  search.max_calls = question.options.max_steps;
  search.count_steps = false;
  search.seed = question.options.seed;
  const dra::WhyNot why = dra::explain_refusal(
      {rules.dra, slices, question.snapshot.objects().device_classes, facts, in_use, holders, selectors, search},
      claims);
  report(question, nodes, why, findings, fixes);
}

}  // namespace gpusched::explain
