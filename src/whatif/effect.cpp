#include "gpusched/whatif/effect.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpusched/base/text.hpp"
#include "whatif/run_edits.hpp"

namespace gpusched::whatif {

namespace {

constexpr std::size_t kListed = 5;

std::string count(std::size_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

std::vector<const PodFate*> those(std::span<const PodFate> fates, PodChange change) {
  std::vector<const PodFate*> result;
  for (const PodFate& fate : fates) {
    if (fate.change == change) {
      result.push_back(&fate);
    }
  }
  return result;
}

std::vector<std::string> distinct(const std::vector<const PodFate*>& fates, std::string PodFate::* what) {
  std::vector<std::string> names;
  for (const PodFate* fate : fates) {
    if (std::ranges::find(names, fate->*what) == names.end()) {
      names.push_back(fate->*what);
    }
  }
  return names;
}

/// Names without the unnamed ones, of which a fixture may have any number.
std::string pod_list(const std::vector<const PodFate*>& fates) {
  std::vector<std::string> names;
  for (const PodFate* fate : fates) {
    names.push_back(fate->pod.empty() ? "(unnamed)" : fate->pod);
  }
  return short_list(names);
}

}  // namespace

std::string short_list(std::span<const std::string> names) {
  std::string text = join(names.first(std::min(names.size(), kListed)), ", ");
  return names.size() > kListed ? fmt::format("{} and {} more", text, names.size() - kListed) : text;
}

std::string eviction_text(std::span<const PodFate> fates) {
  const auto moved = those(fates, PodChange::kMoved);
  const auto pending = those(fates, PodChange::kPending);
  const auto gone = those(fates, PodChange::kGone);
  const std::size_t evicted = moved.size() + pending.size() + gone.size();
  std::string text = evicted == 0 ? "no pod to evict" : count(evicted, "pod") + " evicted";
  if (!moved.empty()) {
    text += fmt::format(", {} placed ({})", moved.size(), short_list(distinct(moved, &PodFate::node)));
  }
  if (!pending.empty()) {
    std::string_view reason = pending.front()->reason;  // a sentence, which goes on here
    reason.remove_suffix(reason.ends_with('.') ? 1 : 0);
    text += fmt::format(", {} Pending: {}", pending.size(), reason);
  }
  if (!gone.empty()) {
    text += fmt::format(", {} gone ({})", gone.size(), pod_list(gone));
  }
  const auto forbidden = those(fates, PodChange::kForbidden);
  for (const std::string& reason : distinct(forbidden, &PodFate::reason)) {
    std::vector<const PodFate*> kept;
    std::ranges::copy_if(forbidden, std::back_inserter(kept), [&](const PodFate* f) { return f->reason == reason; });
    text += fmt::format("; {} kept ({}): {}", count(kept.size(), "pod"), pod_list(kept), reason);
  }
  if (const auto stays = those(fates, PodChange::kStays); !stays.empty()) {
    text += fmt::format("; {} of DaemonSets or of the node stay", count(stays.size(), "pod"));
  }
  std::vector<const PodFate*> unmanaged;
  for (const PodFate& fate : fates) {
    if (fate.unmanaged) {
      unmanaged.push_back(&fate);
    }
  }
  if (!unmanaged.empty()) {
    text +=
        fmt::format("; {} without a controller ({}): kubectl drain refuses without --force, and nobody makes {} again",
                    count(unmanaged.size(), "pod"), pod_list(unmanaged), unmanaged.size() == 1 ? "it" : "them");
  }
  return text;
}

std::string budget_text(std::string_view budget) {
  return fmt::format("the PodDisruptionBudget {} allows no more disruption", budget);
}

std::string added_text(std::span<const std::string> nodes, std::span<const std::string> each) {
  const std::string what = nodes.size() == 1 ? "a node with " : fmt::format("{} nodes, each with ", nodes.size());
  return fmt::format("{}{}: {}", what, each.empty() ? "no GPU" : join(each, " and "), short_list(nodes));
}

std::string removed_text(const EditEffect& effect) {
  return fmt::format("{} {}; {}", short_list(effect.nodes), effect.nodes.size() == 1 ? "goes" : "go",
                     eviction_text(effect.pods));
}

std::string cordoned_text(std::span<const std::string> nodes, bool cordoned) {
  if (nodes.empty()) {
    return cordoned ? "cordoned already" : "schedulable already";
  }
  return fmt::format("{} {} {}", short_list(nodes), nodes.size() == 1 ? "takes" : "take",
                     cordoned ? "no new pods" : "pods again");
}

std::string label_text(std::string_view key, const std::optional<std::string>& before) {
  return before ? fmt::format("was {}={}", key, *before) : fmt::format("it had no label {}", key);
}

std::string taint_text(const TaintNode& edit, bool changed, const EditEffect& effect) {
  if (edit.remove) {
    return changed ? "pods need not tolerate it any more" : "it had no such taint";
  }
  return edit.taint.effect == "NoExecute" ? "pods that do not tolerate it leave: " + eviction_text(effect.pods)
                                          : "its pods stay, new ones must tolerate it";
}

}  // namespace gpusched::whatif
