#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "explain/amounts.hpp"
#include "explain/devices.hpp"
#include "explain/evictions.hpp"
#include "explain/findings.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/objects/pod_owner.hpp"

namespace gpusched::explain {

namespace {

/// All pods of one owner that hold a resource.
struct Holder {
  std::int64_t amount = 0;
  std::size_t pods = 0, terminating = 0;
  std::int32_t lowest = std::numeric_limits<std::int32_t>::max();  // priority
  std::int32_t highest = std::numeric_limits<std::int32_t>::min();
  std::optional<objects::Timestamp> since;
};

std::string owner_name(const objects::Pod& pod) {
  const objects::OwnerReference* const owner = objects::controller_of(pod.meta);
  const auto [kind, name] = owner == nullptr ? objects::PodOwner{"pod", pod.meta.name}
                                             : objects::pod_owner(owner->kind, owner->name, pod.meta.labels);
  return fmt::format("{} {}/{}", kind, pod.meta.namespace_name, name);
}

void count(const objects::Pod& pod, std::int64_t amount, Holder& holder) {
  holder.amount += amount;
  ++holder.pods;
  holder.terminating += pod.meta.deletion_timestamp ? 1 : 0;
  holder.lowest = std::min(holder.lowest, pod.priority());
  holder.highest = std::max(holder.highest, pod.priority());
  const auto& since = pod.start_time ? pod.start_time : pod.meta.creation_timestamp;
  if (since && (!holder.since || *since < *holder.since)) {
    holder.since = since;
  }
}

std::string holder_text(const std::string& owner, const Holder& holder, const std::string& resource) {
  std::string text = fmt::format("{}: {} {}", owner, prose_amount(resource, holder.amount, Rounding::kDown), resource);
  if (holder.pods > 1) {
    text += fmt::format(" in {} pods", holder.pods);
  }
  text += holder.lowest == holder.highest ? fmt::format(", priority {}", holder.lowest)
                                          : fmt::format(", priority {} to {}", holder.lowest, holder.highest);
  if (holder.since) {
    text += fmt::format(", since {}", objects::to_text(*holder.since));
  }
  if (holder.terminating > 0) {
    text += holder.pods == 1 ? ", terminating" : fmt::format(", {} terminating", holder.terminating);
  }
  return text;
}

bool lacks(const NodeGroup& group, const Wanted& wanted) {
  return group.distance < 10 &&
         std::ranges::find(group.obstacles, Obstacle{Step::kBusy, wanted.name}) != group.obstacles.end();
}

/// The resources that are short where only pods are in the way: those beside free devices, then the devices; cpu and
/// memory elsewhere only when nothing else is short.
std::vector<const Wanted*> short_resources(const Survey& survey) {
  const std::vector<const NodeGroup*> beside = survey.groups_short_of(false);
  std::vector<const Wanted*> result;
  for (const Wanted& wanted : survey.wanted) {
    if (!wanted.extended &&
        std::ranges::any_of(beside, [&](const NodeGroup* group) { return lacks(*group, wanted); })) {
      result.push_back(&wanted);
    }
  }
  for (const Wanted& wanted : survey.wanted) {
    const bool is_short =
        std::ranges::any_of(survey.groups, [&](const NodeGroup& group) { return lacks(group, wanted); });
    if (is_short && (wanted.extended || result.empty())) {
      result.push_back(&wanted);
    }
  }
  return result;
}

/// Of the nodes in the groups that `wanted` takes.
std::uint64_t signature_of(const Survey& survey, const auto& wanted) {
  constexpr std::uint64_t kPrime = 1099511628211U;  // of FNV-1a
  std::uint64_t hash = 14695981039346656037U;
  for (const NodeGroup& group : survey.groups) {
    for (std::size_t i = 0; wanted(group) && i < group.nodes.size(); ++i) {
      hash = (hash ^ group.nodes[i].value) * kPrime;
    }
  }
  return hash;
}

std::vector<Finding> holders_of(const Question& question, const Wanted& wanted) {
  constexpr std::size_t kMaxHolders = 5;
  std::map<std::string, Holder> holders;
  for (const NodeGroup& group : question.survey.groups) {
    if (!lacks(group, wanted)) {
      continue;
    }
    for (const NodeIndex node : group.nodes) {
      for (const PodIndex index : question.snapshot.node(node).usage.pods) {
        const kubescheduler::PodState& pod = question.snapshot.pod(index);
        if (const std::int64_t amount = amount_of(pod, wanted.index); amount > 0) {
          count(*pod.object, amount, holders[owner_name(*pod.object)]);
        }
      }
    }
  }
  std::vector<std::pair<std::string, Holder>> sorted(holders.begin(), holders.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(), [](const auto& entry) { return entry.second.amount; });
  std::vector<Finding> findings;
  std::int64_t rest = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i < kMaxHolders) {
      findings.push_back({"held by", "", holder_text(sorted[i].first, sorted[i].second, wanted.name)});
    } else {
      rest += sorted[i].second.amount;
    }
  }
  if (sorted.size() > kMaxHolders) {
    findings.push_back({"held by", "",
                        fmt::format("{} others: {} {}", sorted.size() - kMaxHolders,
                                    prose_amount(wanted.name, rest, Rounding::kDown), wanted.name)});
  }
  return findings;
}

using Pool = std::pair<std::string_view, std::string_view>;  // driver and name

/// The pools that the nodes can reach on which nothing but devices is missing.
std::set<Pool> pools_in_question(const Question& question) {
  std::set<std::string_view> nodes;
  for (const NodeGroup& group : question.survey.groups) {
    for (std::size_t i = 0; group.distance < 10 && group.has(Step::kDevices) && i < group.nodes.size(); ++i) {
      nodes.insert(question.snapshot.node(group.nodes[i]).name());
    }
  }
  std::set<Pool> pools;
  for (const objects::ResourceSlice& slice : question.snapshot.objects().resource_slices) {
    const std::optional<std::string>& node = slice.spec.node_name;
    if (!nodes.empty() && (!node || nodes.contains(*node))) {
      pools.insert({slice.spec.driver, slice.spec.pool.name});
    }
  }
  return pools;
}

/// "claim ml/a for pod train-0: dgx-a/gpu-0, dgx-a/gpu-1".
std::string claim_text(const objects::ResourceClaim& claim, const std::vector<std::string>& devices) {
  constexpr std::size_t kMaxDevices = 4;
  std::string text = fmt::format("claim {}/{}", claim.namespace_name, claim.name);
  if (!claim.reserved_for.empty()) {
    text += fmt::format(" for pod {}", claim.reserved_for.front().name);
  }
  if (claim.reserved_for.size() > 1) {
    text += fmt::format(" and {} more", claim.reserved_for.size() - 1);
  }
  text += ": " + join(std::span(devices).first(std::min(devices.size(), kMaxDevices)), ", ");
  return devices.size() <= kMaxDevices ? text : text + fmt::format(" and {} more", devices.size() - kMaxDevices);
}

/// Claims that have devices of these pools, those with most first.
std::vector<Finding> claims_with_devices(const Question& question) {
  constexpr std::size_t kMaxClaims = 5;
  const std::set<Pool> pools = pools_in_question(question);
  std::vector<Finding> findings;
  std::vector<std::pair<const objects::ResourceClaim*, std::vector<std::string>>> holders;
  for (const objects::ResourceClaim& claim : question.snapshot.resource_claims()) {
    std::vector<std::string> devices;
    for (std::size_t i = 0; claim.allocation && i < claim.allocation->results.size(); ++i) {
      const auto& result = claim.allocation->results[i];
      if (pools.contains({result.driver, result.pool})) {
        devices.push_back(result.pool + "/" + result.device);
      }
    }
    if (!devices.empty()) {
      holders.emplace_back(&claim, std::move(devices));
    }
  }
  std::ranges::stable_sort(holders, std::ranges::greater(), [](const auto& holder) { return holder.second.size(); });
  std::size_t rest = 0;
  for (std::size_t i = 0; i < holders.size(); ++i) {
    if (i < kMaxClaims) {
      findings.push_back({"held by", "", claim_text(*holders[i].first, holders[i].second)});
    } else {
      rest += holders[i].second.size();
    }
  }
  if (holders.size() > kMaxClaims) {
    findings.push_back({"held by", "",
                        fmt::format("{} other claim{}: {} device{}", holders.size() - kMaxClaims,
                                    holders.size() == kMaxClaims + 1 ? "" : "s", rest, rest == 1 ? "" : "s")});
  }
  return findings;
}

}  // namespace

void find_holders(const Question& question, std::vector<Finding>& findings) {
  for (const Wanted* const wanted : short_resources(question.survey)) {
    const std::uint64_t signature =
        signature_of(question.survey, [&](const NodeGroup& group) { return lacks(group, *wanted); });
    const auto [known, is_new] = question.facts.holders.try_emplace({wanted->name, signature});
    if (is_new) {
      known->second = holders_of(question, *wanted);
    }
    findings.insert(findings.end(), known->second.begin(), known->second.end());
  }
  if (lacks_devices(question.survey) && findings.front().verdict == "busy") {
    const std::uint64_t signature = signature_of(
        question.survey, [](const NodeGroup& group) { return group.distance < 10 && group.has(Step::kDevices); });
    const auto [known, is_new] = question.facts.holders.try_emplace({"", signature});
    if (is_new) {
      known->second = claims_with_devices(question);
    }
    findings.insert(findings.end(), known->second.begin(), known->second.end());
  }
}

}  // namespace gpusched::explain
