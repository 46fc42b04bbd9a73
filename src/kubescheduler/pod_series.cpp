#include "gpusched/kubescheduler/pod_series.hpp"

#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "gpusched/dra/cel_selectors.hpp"
#include "kubescheduler/kind_nodes.hpp"
#include "kubescheduler/pod_kinds.hpp"
#include "kubescheduler/series_claims.hpp"

namespace gpusched::kubescheduler {

namespace {

std::vector<NodeIndex> nodes_by_name(const Snapshot& snapshot) {
  std::vector<NodeIndex> nodes;
  for (std::size_t i = 0; i < snapshot.nodes().size(); ++i) {
    nodes.emplace_back(i);
  }
  std::ranges::stable_sort(nodes, {}, [&](NodeIndex node) -> const std::string& { return snapshot.node(node).name(); });
  return nodes;
}

bool has_pod_affinity(const objects::Pod& pod) {
  return pod.spec->affinity.pod || pod.spec->affinity.pod_anti;
}

}  // namespace

class PodSeries::State {
 public:
  State(Snapshot& snapshot, std::span<const PodIndex> pods, const PredictOptions& options);

  PodTurn take(PodIndex pod);
  bool stays_refused(PodIndex pod) const { return stays_refused_.contains(pod.value); }

 private:
  /// What is known of pods of one kind.
  struct Kind {
    bool is_kept = false;  // answers are: there are several pods, and plugins look at one node at a time
    std::unique_ptr<KindNodes> nodes;
    std::size_t last_use = 0;
    std::size_t seen = 0;                // changes of nodes that `nodes` knows
    std::optional<std::size_t> refused;  // no node and no victims, when so many changes had been made
  };

  [[nodiscard]] KindNodes* nodes_of(Kind& kind, const objects::Pod& pod);
  [[nodiscard]] bool catch_up(Kind& kind);
  void make_room();
  PodTurn take_whole(PodIndex pod, Kind* kind);
  [[nodiscard]] Cycle cycle_of(const objects::Pod& pod);
  void evict(PodIndex pod);
  [[nodiscard]] bool can_preempt(const objects::Pod& pod) const;
  void forget_nodes(bool with_claims_only);
  void take_place(const PodTurn& turn, const ClaimIndices& claims);
  PodIndex find_pod(const std::string& full_name);

  Snapshot& snapshot_;
  PredictOptions options_;
  std::optional<dra::CelSelectors> own_selectors_;
  PodKinds kinds_;
  SeriesClaims claims_;
  std::vector<NodeIndex> by_name_;
  std::deque<Kind> known_;
  std::size_t uses_ = 0;
  std::vector<NodeIndex> changed_;  // nodes to which pods came or from which they went, in order
  std::unordered_map<std::string, PodIndex> pods_by_name_;
  std::unordered_set<std::uint32_t> stays_refused_;
};

PodSeries::State::State(Snapshot& snapshot, std::span<const PodIndex> pods, const PredictOptions& options)
    : snapshot_(snapshot),
      options_(options),
      kinds_(snapshot, options_.rules),
      claims_(snapshot, options_),
      by_name_(nodes_by_name(snapshot)) {
  options_.node_answers = false;
  const ClusterObjects& objects = snapshot.objects();
  if (options_.selectors == nullptr && (!objects.device_classes.empty() || !objects.resource_claims.empty())) {
    options_.selectors = &own_selectors_.emplace(options_.rules.dra);
  }
  ClaimIndices claims;
  std::vector<bool> seen;
  for (const PodIndex pod : pods) {
    const KindIndex number = kinds_.kind_of(pod, claims);
    if (!number.valid()) {
      continue;
    }
    if (number.index() >= known_.size()) {
      known_.resize(number.index() + 1);
      seen.resize(number.index() + 1);
    }
    known_[number.index()].is_kept = seen[number.index()];
    seen[number.index()] = true;
  }
}

PodTurn PodSeries::State::take(PodIndex pod) {
  ClaimIndices claims;
  const KindIndex number = kinds_.kind_of(pod, claims);
  if (!number.valid() || number.index() >= known_.size()) {
    return take_whole(pod, nullptr);
  }
  Kind& kind = known_[number.index()];
  const objects::Pod& object = *snapshot_.pod(pod).object;
  KindNodes* const nodes = nodes_of(kind, object);
  if (nodes == nullptr) {
    return take_whole(pod, &kind);
  }
  const NodeIndex node = nodes->best();
  if (!node.valid()) {
    if (!can_preempt(object) || kind.refused == changed_.size()) {
      stays_refused_.insert(pod.value);
      return {pod, {}, {}, {}};
    }
    return take_whole(pod, &kind);
  }
  PodTurn turn{pod, node, {}, {}};
  std::vector<objects::AllocationResult> given = nodes->take_from(node);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const objects::ResourceClaim& claim = snapshot_.resource_claims()[claims[i]];
    turn.claims.push_back({claim.namespace_name, claim.name, std::move(given[i])});
  }
  take_place(turn, claims);
  return turn;
}

Cycle PodSeries::State::cycle_of(const objects::Pod& pod) {
  return make_cycle(snapshot_, pod, options_, options_.selectors, claims_.devices());
}

/// What the nodes answer to pods of the kind as the cluster is now; nullptr when that is not kept.
KindNodes* PodSeries::State::nodes_of(Kind& kind, const objects::Pod& pod) {
  if (!kind.is_kept) {
    return nullptr;
  }
  kind.last_use = ++uses_;
  if (kind.nodes == nullptr) {
    make_room();
    kind.nodes = KindNodes::make(cycle_of(pod), by_name_);
    kind.seen = changed_.size();
  } else if (!catch_up(kind)) {
    kind.nodes = nullptr;
  }
  kind.is_kept = kind.nodes != nullptr;
  return kind.nodes.get();
}

/// So that many kinds in a large cluster do not fill the memory: the one goes that was not used for longest.
void PodSeries::State::make_room() {
  constexpr std::size_t kMostAnswers = 4'000'000;  // of a node to a kind, about 100 bytes each
  const std::size_t most = std::max<std::size_t>(16, kMostAnswers / std::max<std::size_t>(1, by_name_.size()));
  std::size_t kept = 0;
  Kind* oldest = nullptr;
  for (Kind& kind : known_) {
    if (kind.nodes != nullptr) {
      ++kept;
      oldest = oldest == nullptr || kind.last_use < oldest->last_use ? &kind : oldest;
    }
  }
  if (kept >= most) {
    oldest->nodes = nullptr;
  }
}

bool PodSeries::State::catch_up(Kind& kind) {
  const std::size_t from = std::exchange(kind.seen, changed_.size());
  if (changed_.size() - from > by_name_.size()) {
    return kind.nodes->refresh_all();
  }
  return std::all_of(changed_.begin() + static_cast<std::ptrdiff_t>(from), changed_.end(),
                     [&](NodeIndex node) { return kind.nodes->refresh(node); });
}

/// As if the pod were the only one: every node and every plugin is asked.
PodTurn PodSeries::State::take_whole(PodIndex pod, Kind* kind) {
  PodTurn turn{pod, {}, {}, {}};
  if (kind != nullptr && kind->refused == changed_.size()) {
    return turn;
  }
  const objects::Pod& object = *snapshot_.pod(pod).object;
  Prediction prediction = predict(cycle_of(object));
  if (prediction.verdict == Verdict::kUnschedulable && !prediction.nominated_node.empty()) {
    for (const std::string& victim : prediction.victims) {
      turn.victims.push_back(find_pod(victim));
      evict(turn.victims.back());
    }
    objects::Pod nominated = object;
    nominated.nominated_node_name = prediction.nominated_node;
    prediction = predict(cycle_of(nominated));
  }
  if (prediction.verdict != Verdict::kScheduled) {
    if (kind != nullptr && turn.victims.empty()) {
      kind->refused = changed_.size();
    }
    return turn;
  }
  turn.node = snapshot_.find_node(prediction.node);
  turn.claims = std::move(prediction.claims);
  take_place(turn, claims_.indices_of(turn.claims));
  return turn;
}

void PodSeries::State::take_place(const PodTurn& turn, const ClaimIndices& claims) {
  const objects::Pod& pod = *snapshot_.pod(turn.pod).object;
  if (claims_.give(pod.meta, turn.node, turn.claims, claims)) {
    forget_nodes(true);
  }
  snapshot_.bind(turn.pod, turn.node);
  changed_.push_back(turn.node);
  if (has_pod_affinity(pod) || !pod.nominated_node_name.empty()) {
    forget_nodes(false);
  }
}

/// Kinds are asked anew: their plugins may look at other pods now.
void PodSeries::State::forget_nodes(bool with_claims_only) {
  for (Kind& kind : known_) {
    if (kind.nodes != nullptr && (!with_claims_only || kind.nodes->uses_claims())) {
      kind.nodes = nullptr;
    }
  }
}

void PodSeries::State::evict(PodIndex pod) {
  const NodeIndex node = snapshot_.pod(pod).node;
  snapshot_.unbind(pod);
  changed_.push_back(node);
  stays_refused_.clear();
  const objects::Pod& object = *snapshot_.pod(pod).object;
  if (has_pod_affinity(object)) {
    forget_nodes(false);
  }
  if (claims_.release(object.meta)) {
    forget_nodes(true);
  }
}

bool PodSeries::State::can_preempt(const objects::Pod& pod) const {
  return pod.priority() > snapshot_.lowest_priority() && pod.spec->preemption_policy != "Never";
}

PodIndex PodSeries::State::find_pod(const std::string& full_name) {
  if (pods_by_name_.empty()) {
    for (std::size_t i = 0; i < snapshot_.pods().size(); ++i) {
      const objects::ObjectMeta& meta = snapshot_.pod(PodIndex(i)).object->meta;
      pods_by_name_.emplace(meta.namespace_name + "/" + meta.name, PodIndex(i));
    }
  }
  return pods_by_name_.at(full_name);
}

PodSeries::PodSeries(Snapshot& snapshot, std::span<const PodIndex> pods, const PredictOptions& options)
    : state_(std::make_unique<State>(snapshot, pods, options)) {}

PodSeries::~PodSeries() = default;

PodTurn PodSeries::take(PodIndex pod) {
  return state_->take(pod);
}

bool PodSeries::stays_refused(PodIndex pod) const {
  return state_->stays_refused(pod);
}

std::vector<PodTurn> schedule_in_turn(Snapshot& snapshot, std::span<const PodIndex> pods,
                                      const PredictOptions& options) {
  std::vector<std::size_t> queue(pods.size());
  std::iota(queue.begin(), queue.end(), std::size_t{0});
  const auto pod_at = [&](std::size_t i) -> const objects::Pod& { return *snapshot.pod(pods[i]).object; };
  std::ranges::stable_sort(queue, [&](std::size_t a, std::size_t b) {
    const objects::Pod& left = pod_at(a);
    const objects::Pod& right = pod_at(b);
    return left.priority() != right.priority() ? left.priority() > right.priority()
                                               : left.meta.creation_timestamp < right.meta.creation_timestamp;
  });
  PodSeries series(snapshot, pods, options);
  std::vector<PodTurn> turns(pods.size());
  for (bool any_placed = true; any_placed && !queue.empty();) {
    any_placed = false;
    std::vector<std::size_t> again;
    for (const std::size_t i : queue) {
      std::vector<PodIndex> victims = std::move(turns[i].victims);
      turns[i] = series.take(pods[i]);
      turns[i].victims.insert(turns[i].victims.begin(), victims.begin(), victims.end());
      any_placed = any_placed || turns[i].node.valid();
      if (!turns[i].node.valid()) {
        again.push_back(i);
      }
    }
    std::erase_if(again, [&](std::size_t i) { return series.stays_refused(pods[i]); });
    queue = std::move(again);
  }
  return turns;
}

}  // namespace gpusched::kubescheduler
