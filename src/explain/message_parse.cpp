#include <algorithm>
#include <array>
#include <charconv>

#include "gpusched/explain/message.hpp"

namespace gpusched::explain {

namespace {

constexpr std::string_view kPreemption = "preemption: ";

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

/// Old releases end with two full stops.
std::string_view without_stops(std::string_view text) {
  text = trimmed(text);
  while (text.ends_with('.')) {
    text.remove_suffix(1);
  }
  return text;
}

/// A count of nodes; larger numbers than any cluster has are cut, so that sums stay in range.
std::optional<std::int64_t> take_number(std::string_view& text) {
  constexpr std::int64_t kMost = 1'000'000'000;
  if (text.starts_with('-')) {
    return std::nullopt;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return std::min(number, kMost);
}

/// "3 reason" -> 3, "reason".
CountedReason to_counted(std::string_view text) {
  std::string_view rest = text;
  const std::optional<std::int64_t> count = take_number(rest);
  return count && rest.starts_with(' ') ? CountedReason{*count, std::string(rest.substr(1))}
                                        : CountedReason{0, std::string(text)};
}

/// Reasons may hold commas themselves: a part without a count in front belongs to the one before.
std::vector<CountedReason> parse_counts(std::string_view text) {
  constexpr std::string_view kComma = ", ";
  std::vector<CountedReason> reasons;
  for (std::string_view rest = without_stops(text); !rest.empty();) {
    const std::size_t end = std::min(rest.find(kComma), rest.size());
    CountedReason part = to_counted(rest.substr(0, end));
    if (part.count == 0 && !reasons.empty()) {
      reasons.back().reason.append(kComma).append(part.reason);
    } else {
      reasons.push_back(std::move(part));
    }
    rest.remove_prefix(std::min(end + kComma.size(), rest.size()));
  }
  return reasons;
}

/// "0/3 nodes are available: ", as people and extenders write it too; takes it off the text.
std::optional<std::int64_t> take_header(std::string_view& text) {
  std::string_view rest = trimmed(text);
  const std::optional<std::int64_t> available = take_number(rest);
  rest = trimmed(rest);
  if (!available || !rest.starts_with('/')) {
    return std::nullopt;
  }
  rest.remove_prefix(1);
  const std::optional<std::int64_t> nodes = take_number(rest);
  rest = trimmed(rest);
  if (!nodes || !rest.starts_with("node")) {
    return std::nullopt;
  }
  const std::size_t colon = rest.find(':');
  text = colon == std::string_view::npos ? std::string_view() : trimmed(rest.substr(colon + 1));
  return nodes;
}

void take_preemption(std::string_view text, SchedulingMessage& message) {
  std::string_view rest = text;
  if (take_header(rest)) {
    message.preemption = parse_counts(rest);
    message.cut = message.cut || message.preemption.empty();
  } else {
    message.preemption_text = without_stops(text);
  }
}

/// Cuts the part of the PostFilter plugins off.
void take_post_filter(std::string_view& text, SchedulingMessage& message) {
  constexpr std::array<std::string_view, 5> kClaimTexts = {"no new claims to deallocate", "still not schedulable",
                                                           "deallocation of ResourceClaim completed",
                                                           "deletion of ResourceClaim completed", "plugin disabled"};
  std::size_t end = text.size();
  if (const std::size_t found = text.find(kPreemption); found != std::string_view::npos) {
    take_preemption(text.substr(found + kPreemption.size()), message);
    end = found;
  }
  for (const std::string_view known : kClaimTexts) {
    if (const std::size_t found = text.substr(0, end).find(known); found != std::string_view::npos) {
      message.claims = known;
      end = found;
    }
  }
  text = trimmed(text.substr(0, end));
}

void parse_fit_error(std::string_view text, SchedulingMessage& message) {
  message.source = "kube-scheduler";
  if (text.ends_with(" ...")) {
    message.cut = true;
    text.remove_suffix(4);
  }
  message.before_1_28 = text.ends_with("..");
  take_post_filter(text, message);
  std::vector<CountedReason> reasons = parse_counts(text);
  // Without counts one plugin refused the pod for all nodes at once.
  if (message.nodes && reasons.size() == 1 && reasons.front().count == 0) {
    message.pre_filter = std::move(reasons.front().reason);
  } else {
    message.reasons = std::move(reasons);
  }
}

struct Foreign {
  std::string_view source, mark;
};

/// How other components write. Source: their own texts in public issues and documents.
constexpr std::array kForeign = {
    Foreign{"kueue", "couldn't assign flavors to pod set"},
    Foreign{"cluster-autoscaler", "pod didn't trigger scale-up"},
    Foreign{"cluster-autoscaler", "Scale-up predicate failed"},
    Foreign{"kai-scheduler", "no nodes with enough resources were found"},
    Foreign{"kai-scheduler", "Resources were not found for pod"},
    Foreign{"volcano", "tasks in gang unschedulable"},
    Foreign{"HAMi", "nodes failed: "},
    Foreign{"DRA driver", "error creating MIG device"},
    Foreign{"DRA driver", "Failed to prepare dynamic resources"},
};

/// "…: 3 node(s) didn't have enough resources: GPUs. 3 node(s) …": sentences and lines are reasons.
std::vector<CountedReason> parse_sentences(std::string_view text) {
  std::vector<CountedReason> reasons;
  while (!(text = trimmed(text)).empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    for (std::size_t stop = text.find(". "); stop < end; stop = text.find(". ", stop + 1)) {
      end = stop;
    }
    reasons.push_back(to_counted(without_stops(text.substr(0, end))));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reasons;
}

bool parse_foreign(std::string_view text, SchedulingMessage& message) {
  const auto known = std::ranges::find_if(
      kForeign, [&](const Foreign& foreign) { return text.find(foreign.mark) != std::string_view::npos; });
  if (known == kForeign.end()) {
    return false;
  }
  message.source = known->source;
  std::string_view rest = text;
  if (message.source == "kai-scheduler") {
    constexpr std::string_view kFound = "were found: ";
    const std::size_t found = rest.find(kFound);
    message.reasons = parse_sentences(found == std::string_view::npos ? rest : rest.substr(found + kFound.size()));
    return true;
  }
  if (message.source == "HAMi" || message.source == "DRA driver" || message.source == "volcano") {
    message.reasons = {message.source == "HAMi" ? to_counted(without_stops(text))
                                                : CountedReason{0, std::string(without_stops(text))}};
    return true;
  }
  if (const std::size_t colon = rest.find(": "); colon != std::string_view::npos) {
    rest.remove_prefix(colon + 2);
  }
  message.reasons = message.source == "kueue" ? std::vector<CountedReason>{{0, std::string(without_stops(rest))}}
                                              : parse_counts(rest);
  return true;
}

}  // namespace

SchedulingMessage parse_message(std::string_view text) {
  SchedulingMessage message;
  text = trimmed(text);
  std::string_view rest = text;
  if (message.nodes = take_header(rest); message.nodes) {
    parse_fit_error(rest, message);
  } else if (text.starts_with("no nodes available to schedule pods")) {
    message.source = "kube-scheduler";
    message.nodes = 0;
    message.pre_filter = text;
  } else if (!parse_foreign(text, message)) {
    parse_fit_error(text, message);
    const bool known = text.find("node(s)") != std::string_view::npos ||
                       text.find("Insufficient ") != std::string_view::npos || text.starts_with("running ") ||
                       text.starts_with("Scheduling is blocked");
    message.source = known ? "kube-scheduler" : "unknown";
  }
  return message;
}

}  // namespace gpusched::explain
