#include "gpusched/kubescheduler/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "gpusched/base/text.hpp"
#include "gpusched/dra/cel_selectors.hpp"
#include "gpusched/kubescheduler/obstacles.hpp"
#include "kubescheduler/dynamic_resources.hpp"
#include "kubescheduler/filters.hpp"
#include "kubescheduler/fit_error.hpp"
#include "kubescheduler/outcome.hpp"
#include "kubescheduler/scores.hpp"

namespace gpusched::kubescheduler {

namespace {

constexpr std::string_view kUnschedulableReason = "Unschedulable";
constexpr std::string_view kErrorReason = "SchedulerError";

/// Whether something keeps the pod from being tried at all.
bool refused_before_queue(const Cycle& cycle, Prediction& prediction) {
  const objects::Pod& pod = cycle.pod;
  const auto wait = [&](std::string_view plugin, std::string message) {
    prediction.verdict = Verdict::kWaiting;
    prediction.plugin = plugin;
    prediction.plugin_message = std::move(message);
    return true;
  };
  if (cycle.options.configuration.find_profile(scheduler_name_of(pod)) == nullptr) {
    return wait("", fmt::format("the pod is for the scheduler {}", scheduler_name_of(pod)));
  }
  if (!pod.spec->scheduling_gates.empty()) {
    prediction.verdict = Verdict::kGated;
    prediction.reason = "SchedulingGated";
    prediction.message = "Scheduling is blocked due to non-empty scheduling gates";
    prediction.plugin = "SchedulingGates";
    prediction.plugin_message =
        fmt::format("waiting for scheduling gates: [{}]", join(pod.spec->scheduling_gates, " "));
    return true;
  }
  if (cycle.rules.dynamic_resources &&
      is_active(profile_of(cycle), objects::ExtensionPoint::kPreEnqueue, "DynamicResources")) {
    if (std::string error = claim_error(cycle); !error.empty()) {
      return wait("DynamicResources", std::move(error));
    }
  }
  if (pod.meta.deletion_timestamp) {
    return wait("", fmt::format("skip schedule deleting pod: {}/{}", pod.meta.namespace_name, pod.meta.name));
  }
  return false;
}

/// The answers of all nodes to the filters.
struct Filtered {
  std::vector<Status> statuses;      // by node
  std::vector<bool> looked_at;       // by node
  std::vector<NodeIndex> feasible;   // in the order of the snapshot
  std::vector<NodeIndex> failed;     // with an error
  std::vector<std::size_t> answers;  // by node: position in Prediction::nodes
};

void filter_node(Filters& filters, NodeIndex node, Filtered& filtered) {
  const Status status = filters.run(node);
  filtered.statuses[node.index()] = status;
  filtered.looked_at[node.index()] = true;
  if (status.ok()) {
    filtered.feasible.push_back(node);
  } else if (status.code == StatusCode::kError) {
    filtered.failed.push_back(node);
  }
}

/// A nominated node that passes is taken at once; else all nodes that PreFilter allows are looked at.
Filtered filter_nodes(const Cycle& cycle, Filters& filters) {
  const std::size_t count = cycle.snapshot.nodes().size();
  Filtered filtered;
  filtered.statuses.resize(count);
  filtered.looked_at.resize(count);
  if (const NodeIndex nominated = cycle.snapshot.find_node(cycle.pod.nominated_node_name); nominated.valid()) {
    filter_node(filters, nominated, filtered);
    if (!filtered.feasible.empty()) {
      return filtered;
    }
    filtered.failed.clear();
  }
  for (std::size_t i = 0; i < count; ++i) {
    const NodeIndex node(i);
    if (!filters.names_nodes() || filters.is_named(cycle.snapshot.node(node).name())) {
      filter_node(filters, node, filtered);
    }
  }
  return filtered;
}

PluginStatus to_plugin_status(const Filters& filters, const Status& status) {
  PluginStatus result{filters.name_of_plugin(status), status.code, *status.reasons};
  std::ranges::sort(result.reasons);
  return result;
}

void fill_nodes(const Cycle& cycle, const Filters& filters, Filtered& filtered, Prediction& prediction) {
  if (!cycle.options.node_answers) {
    return;
  }
  filtered.answers.resize(filtered.statuses.size());
  for (std::size_t i = 0; i < filtered.statuses.size(); ++i) {
    filtered.answers[i] = prediction.nodes.size();
    NodeAnswer answer;
    answer.node = cycle.snapshot.node(NodeIndex(i)).name();
    if (!filtered.looked_at[i]) {
      if (!filters.names_nodes()) {
        continue;
      }
      answer.status = {"NodeAffinity", StatusCode::kUnresolvable, {filters.unnamed_reason()}};
    } else if (!filtered.statuses[i].ok()) {
      answer.status = to_plugin_status(filters, filtered.statuses[i]);
    }
    prediction.nodes.push_back(std::move(answer));
  }
}

void set_messages(std::vector<std::string> messages, Prediction& prediction) {
  prediction.message = messages.front();
  if (messages.size() > 1) {
    prediction.messages = std::move(messages);
  }
}

void fill_unschedulable(const std::vector<std::string>& post_filter_texts, Prediction& prediction,
                        const auto& message_with) {
  prediction.verdict = Verdict::kUnschedulable;
  prediction.reason = kUnschedulableReason;
  std::vector<std::string> messages;
  for (const std::string& text : post_filter_texts) {
    std::string message = message_with(text);
    if (std::ranges::find(messages, message) == messages.end()) {
      messages.push_back(std::move(message));
    }
  }
  set_messages(std::move(messages), prediction);
}

void fill_errors(const Cycle& cycle, const Filtered& filtered, Prediction& prediction) {
  prediction.verdict = Verdict::kError;
  prediction.reason = kErrorReason;
  std::vector<std::string> messages;
  for (const NodeIndex node : filtered.failed) {
    const std::string& text = filtered.statuses[node.index()].reasons->front();
    prediction.errors.emplace_back(cycle.snapshot.node(node).name(), text);
    if (std::ranges::find(messages, text) == messages.end()) {
      messages.push_back(text);
    }
  }
  set_messages(std::move(messages), prediction);
}

/// Looks at fewer nodes than there are from 100 on. Source: numFeasibleNodesToFind.
bool is_sampled(const Cycle& cycle, std::size_t feasible) {
  constexpr std::size_t kAlwaysFound = 100;
  const std::size_t nodes = cycle.snapshot.nodes().size();
  if (nodes < kAlwaysFound) {
    return false;
  }
  const auto& configured = profile_of(cycle).percentage_of_nodes_to_score;
  std::size_t percentage = static_cast<std::size_t>(
      configured.value_or(cycle.options.configuration.percentage_of_nodes_to_score.value_or(0)));
  if (percentage == 0) {
    constexpr std::size_t kHighest = 50;
    constexpr std::size_t kLowest = 5;
    const std::size_t reduction = nodes / 125;
    percentage = reduction + kLowest > kHighest ? kLowest : kHighest - reduction;
  }
  return feasible > std::max(kAlwaysFound, nodes * percentage / 100);
}

/// The pod was as good as placed, and goes back to the queue.
void fail_to_bind(std::string error, Prediction& prediction) {
  prediction.verdict = Verdict::kError;
  prediction.reason = kErrorReason;
  prediction.message = std::move(error);
  prediction.node.clear();
  prediction.best_nodes.clear();
  prediction.feasible_nodes.clear();
  prediction.claims.clear();
}

void choose_node(Cycle& cycle, const Filtered& filtered, Prediction& prediction) {
  prediction.verdict = Verdict::kScheduled;
  const auto name = [&](NodeIndex node) { return cycle.snapshot.node(node).name(); };
  NodeIndex chosen =
      cycle.options.scores ? filtered.feasible.front() : *std::ranges::min_element(filtered.feasible, {}, name);
  prediction.best_nodes = {name(chosen)};
  if (filtered.feasible.size() > 1 && cycle.options.scores) {
    std::vector<NodeScore> scores = score_nodes(cycle, filtered.feasible);
    const std::int64_t best = std::ranges::max_element(scores, {}, &NodeScore::total)->total;
    std::vector<NodeIndex> best_nodes;
    for (NodeScore& score : scores) {
      if (score.total == best) {
        best_nodes.push_back(score.node);
      }
      if (!cycle.options.node_answers) {
        continue;
      }
      NodeAnswer& answer = prediction.nodes[filtered.answers[score.node.index()]];
      answer.scores = std::move(score.scores);
      answer.total = score.total;
    }
    std::ranges::sort(best_nodes, {}, name);
    chosen = best_nodes.front();
    prediction.best_nodes.clear();
    std::ranges::transform(best_nodes, std::back_inserter(prediction.best_nodes), name);
  }
  prediction.node = name(chosen);
  prediction.sampled = is_sampled(cycle, filtered.feasible.size());
  if (cycle.dynamic_resources != nullptr) {
    prediction.claims = cycle.dynamic_resources->allocations(chosen);
    if (std::string error = cycle.dynamic_resources->binding_error(); !error.empty()) {
      fail_to_bind(std::move(error), prediction);
    }
  }
}

void attempt(Cycle& cycle, Prediction& prediction) {
  const std::size_t node_count = cycle.snapshot.nodes().size();
  if (node_count == 0) {
    prediction.verdict = Verdict::kUnschedulable;
    prediction.reason = kUnschedulableReason;
    prediction.message = "no nodes available to schedule pods";
    return;
  }
  Filters filters(cycle);
  const Status& refusal = filters.refusal();
  if (refusal.code == StatusCode::kError) {
    prediction.verdict = Verdict::kError;
    prediction.reason = kErrorReason;
    prediction.message =
        fmt::format("running PreFilter plugin \"{}\": {}", filters.name_of_plugin(refusal), refusal.reasons->front());
    return;
  }
  if (!refusal.ok()) {
    prediction.pre_filter = {to_plugin_status(filters, refusal)};
    const std::vector<std::string> texts = run_post_filter(cycle, filters, {}, prediction);
    fill_unschedulable(texts, prediction, [&](std::string_view text) {
      return FitError::message_of_pre_filter(node_count, join(*refusal.reasons, ", "), text);
    });
    return;
  }
  Filtered filtered = filter_nodes(cycle, filters);
  fill_nodes(cycle, filters, filtered, prediction);
  for (const NodeIndex node : filtered.feasible) {
    prediction.feasible_nodes.push_back(cycle.snapshot.node(node).name());
  }
  std::ranges::sort(prediction.feasible_nodes);
  if (!filtered.failed.empty()) {
    prediction.feasible_nodes.clear();
    fill_errors(cycle, filtered, prediction);
    return;
  }
  if (!filtered.feasible.empty()) {
    choose_node(cycle, filtered, prediction);
    return;
  }
  FitError fit_error(node_count);
  for (std::size_t i = 0; i < node_count; ++i) {
    if (filtered.looked_at[i]) {
      fit_error.add(filtered.statuses[i]);
    }
  }
  if (filters.names_nodes()) {
    fit_error.set_absent_reason(filters.unnamed_reason());
  }
  const std::vector<std::string> texts = run_post_filter(cycle, filters, filtered.statuses, prediction);
  fill_unschedulable(texts, prediction, [&](std::string_view text) { return fit_error.message(text); });
}

/// Selectors for one cycle when the caller keeps none.
dra::SelectorEvaluator* selectors_for(const Snapshot& snapshot, const PredictOptions& options,
                                      std::optional<dra::CelSelectors>& own) {
  const ClusterObjects& objects = snapshot.objects();
  const bool needed = !objects.device_classes.empty() || !objects.resource_claims.empty();
  return options.selectors == nullptr && needed ? &own.emplace(options.rules.dra) : options.selectors;
}

}  // namespace

Prediction predict(const Snapshot& snapshot, const objects::Pod& pod, const PredictOptions& options) {
  std::optional<dra::CelSelectors> own_selectors;
  return predict(make_cycle(snapshot, pod, options, selectors_for(snapshot, options, own_selectors)));
}

bool is_kept_from_queue(const Cycle& cycle) {
  Prediction why;
  return refused_before_queue(cycle, why);
}

Prediction predict(Cycle cycle) {
  Prediction prediction;
  if (!refused_before_queue(cycle, prediction)) {
    attempt(cycle, prediction);
  }
  if (cycle.dynamic_resources != nullptr && cycle.dynamic_resources->undecided()) {
    prediction.verdict = Verdict::kUndecided;
  }
  return prediction;
}

Obstacles find_obstacles(const Snapshot& snapshot, const objects::Pod& pod, const PredictOptions& options) {
  std::optional<dra::CelSelectors> own_selectors;
  Cycle cycle = make_cycle(snapshot, pod, options, selectors_for(snapshot, options, own_selectors));
  Obstacles obstacles;
  Prediction before;
  if (refused_before_queue(cycle, before)) {
    return obstacles;
  }
  Filters filters(cycle);
  if (!filters.refusal().ok()) {
    return obstacles;
  }
  // Equal reasons are one object, so that their addresses tell lists apart.
  std::map<std::vector<std::pair<std::uint8_t, const Reasons*>>, std::uint32_t> known;
  std::vector<Status> refusals;
  std::vector<std::pair<std::uint8_t, const Reasons*>> key;
  for (std::size_t i = 0; i < snapshot.nodes().size(); ++i) {
    refusals.clear();
    key.clear();
    const bool named = !filters.names_nodes() || filters.is_named(snapshot.node(NodeIndex(i)).name());
    if (named) {
      filters.run_all(NodeIndex(i), refusals);
    }
    for (const Status& status : refusals) {
      key.emplace_back(status.plugin, status.reasons);
    }
    if (!named) {
      key.emplace_back(0, nullptr);
    }
    const auto [place, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(obstacles.kinds.size()));
    obstacles.of_node.push_back(place->second);
    if (!is_new) {
      continue;
    }
    NodeRefusals& kind = obstacles.kinds.emplace_back();
    for (const Status& status : refusals) {
      kind.push_back(to_plugin_status(filters, status));
    }
    if (!named) {
      kind.push_back({"NodeAffinity", StatusCode::kUnresolvable, {filters.unnamed_reason()}});
    }
  }
  return obstacles;
}

}  // namespace gpusched::kubescheduler
