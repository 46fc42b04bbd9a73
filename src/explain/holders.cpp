#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "explain/amounts.hpp"
#include "explain/evictions.hpp"
#include "explain/findings.hpp"
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

/// The resources that are short where only pods are in the way, extended ones alone if there are any.
std::vector<const Wanted*> short_resources(const Survey& survey) {
  std::vector<const Wanted*> result;
  for (const Wanted& wanted : survey.wanted) {
    const bool is_short = std::ranges::any_of(survey.groups, [&](const NodeGroup& group) {
      return group.distance < 10 &&
             std::ranges::find(group.obstacles, Obstacle{Step::kBusy, wanted.name}) != group.obstacles.end();
    });
    if (is_short && (wanted.extended || result.empty())) {
      result.push_back(&wanted);
    }
  }
  return result;
}

/// The nodes where only pods are in the way; the nearest groups come first.
std::uint64_t signature_of(const Survey& survey) {
  constexpr std::uint64_t kPrime = 1099511628211U;  // of FNV-1a
  std::uint64_t hash = 14695981039346656037U;
  for (const NodeGroup& group : survey.groups) {
    for (std::size_t i = 0; group.distance < 10 && i < group.nodes.size(); ++i) {
      hash = (hash ^ group.nodes[i].value) * kPrime;
    }
  }
  return hash;
}

std::vector<Finding> holders_of(const Question& question, const Wanted& wanted) {
  constexpr std::size_t kMaxHolders = 5;
  std::map<std::string, Holder> holders;
  for (const NodeGroup& group : question.survey.groups) {
    if (group.distance >= 10) {
      break;
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

}  // namespace

void find_holders(const Question& question, std::vector<Finding>& findings) {
  const std::uint64_t signature = signature_of(question.survey);
  for (const Wanted* const wanted : short_resources(question.survey)) {
    const auto [known, is_new] = question.facts.holders.try_emplace({wanted->name, signature});
    if (is_new) {
      known->second = holders_of(question, *wanted);
    }
    findings.insert(findings.end(), known->second.begin(), known->second.end());
  }
}

}  // namespace gpusched::explain
