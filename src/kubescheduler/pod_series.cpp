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
#include "kubescheduler/claim_devices.hpp"
#include "kubescheduler/kind_nodes.hpp"
#include "kubescheduler/pod_kinds.hpp"

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

std::string pool_key(std::string_view driver, std::string_view pool) {
  return std::string(driver).append("/").append(pool);
}

}  // namespace

class PodSeries::State {
 public:
  State(Snapshot& snapshot, const PredictOptions& options)
      : snapshot_(snapshot), options_(options), kinds_(snapshot), by_name_(nodes_by_name(snapshot)) {
    options_.node_answers = false;
    const ClusterObjects& objects = snapshot.objects();
    if (options_.selectors == nullptr && (!objects.device_classes.empty() || !objects.resource_claims.empty())) {
      options_.selectors = &own_selectors_.emplace(options_.rules.dra);
    }
  }

  PodTurn take(PodIndex pod);
  bool stays_refused(PodIndex pod) const { return stays_refused_.contains(pod.value); }

 private:
  /// What is known of pods of one kind.
  struct Kind {
    bool is_asked = false;  // a first pod was looked at as a whole
    bool is_kept = true;    // answers may be kept
    std::unique_ptr<KindNodes> nodes;
    std::size_t last_use = 0;
    std::size_t seen = 0;                // changes of nodes that `nodes` knows
    std::optional<std::size_t> refused;  // no node and no victims, when so many changes had been made
  };

  [[nodiscard]] KindNodes* nodes_of(Kind& kind, const objects::Pod& pod);
  [[nodiscard]] bool catch_up(Kind& kind);
  void make_room();
  PodTurn take_whole(PodIndex pod, Kind* kind);
  Prediction ask(const objects::Pod& pod);
  void bind(PodIndex pod, NodeIndex node);
  void give(PodIndex pod, const PodTurn& turn, const ClaimIndices& claims);
  [[nodiscard]] ClaimIndices indices_of(std::span<const ClaimAllocation> claims);
  void evict(PodIndex pod);
  void release_claims(const objects::Pod& pod);
  [[nodiscard]] bool can_preempt(const objects::Pod& pod) const;
  [[nodiscard]] bool is_only_for(NodeIndex node, const objects::AllocationResult& allocation);
  void forget_nodes(bool with_claims_only);
  std::vector<objects::ResourceClaim>& own_claims();
  std::shared_ptr<ClaimDevices> devices();
  PodIndex find_pod(const std::string& full_name);

  Snapshot& snapshot_;
  PredictOptions options_;
  std::optional<dra::CelSelectors> own_selectors_;
  PodKinds kinds_;
  std::vector<NodeIndex> by_name_;
  std::deque<Kind> known_;
  std::size_t uses_ = 0;
  std::vector<NodeIndex> changed_;  // nodes to which pods came or from which they went, in order
  std::shared_ptr<std::vector<objects::ResourceClaim>> claims_;
  std::shared_ptr<ClaimDevices> devices_;
  std::optional<std::unordered_map<std::string, NodeIndex>> only_node_;  // by pool that one node alone can reach
  std::unordered_map<std::string, PodIndex> pods_by_name_;
  std::unordered_set<std::uint32_t> stays_refused_;
};

PodTurn PodSeries::State::take(PodIndex pod) {
  ClaimIndices claims;
  const KindIndex number = kinds_.kind_of(pod, claims);
  if (!number.valid()) {
    return take_whole(pod, nullptr);
  }
  if (number.index() >= known_.size()) {
    known_.resize(number.index() + 1);
  }
  Kind& kind = known_[number.index()];
  KindNodes* const nodes = nodes_of(kind, *snapshot_.pod(pod).object);
  if (nodes == nullptr) {
    return take_whole(pod, &kind);
  }
  const NodeIndex node = nodes->best();
  if (!node.valid()) {
    if (!can_preempt(*snapshot_.pod(pod).object) || kind.refused == changed_.size()) {
      stays_refused_.insert(pod.value);
      return {pod, {}, {}, {}};
    }
    return take_whole(pod, &kind);
  }
  PodTurn turn{pod, node, {}, {}};
  const std::span<const objects::AllocationResult> given = nodes->given_by(node);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const objects::ResourceClaim& claim = snapshot_.resource_claims()[claims[i]];
    turn.claims.push_back({claim.namespace_name, claim.name, given[i]});
  }
  give(pod, turn, claims);
  bind(pod, node);
  return turn;
}

/// What the nodes answer to pods of the kind as the cluster is now; nullptr when that is not kept.
KindNodes* PodSeries::State::nodes_of(Kind& kind, const objects::Pod& pod) {
  if (!kind.is_asked || !kind.is_kept) {
    kind.is_asked = true;  // from the second pod on it pays
    return nullptr;
  }
  kind.last_use = ++uses_;
  if (kind.nodes == nullptr) {
    make_room();
    kind.nodes = KindNodes::make(make_cycle(snapshot_, pod, options_, options_.selectors, devices()), by_name_);
    kind.seen = changed_.size();
    kind.is_kept = kind.nodes != nullptr;
  } else if (!catch_up(kind)) {
    kind.nodes = nullptr;
    kind.is_kept = false;
  }
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

Prediction PodSeries::State::ask(const objects::Pod& pod) {
  return predict(make_cycle(snapshot_, pod, options_, options_.selectors, devices()));
}

/// As if the pod were the only one: every node and every plugin is asked.
PodTurn PodSeries::State::take_whole(PodIndex pod, Kind* kind) {
  PodTurn turn{pod, {}, {}, {}};
  if (kind != nullptr && kind->refused == changed_.size()) {
    return turn;
  }
  const objects::Pod& object = *snapshot_.pod(pod).object;
  Prediction prediction = ask(object);
  if (prediction.verdict == Verdict::kUnschedulable && !prediction.nominated_node.empty()) {
    for (const std::string& victim : prediction.victims) {
      turn.victims.push_back(find_pod(victim));
      evict(turn.victims.back());
    }
    objects::Pod nominated = object;
    nominated.nominated_node_name = prediction.nominated_node;
    prediction = ask(nominated);
  }
  if (prediction.verdict != Verdict::kScheduled) {
    if (kind != nullptr && turn.victims.empty()) {
      kind->refused = changed_.size();
    }
    return turn;
  }
  turn.node = snapshot_.find_node(prediction.node);
  turn.claims = std::move(prediction.claims);
  give(pod, turn, indices_of(turn.claims));
  bind(pod, turn.node);
  return turn;
}

void PodSeries::State::bind(PodIndex pod, NodeIndex node) {
  const objects::Affinity& affinity = snapshot_.pod(pod).object->spec->affinity;
  const bool was_nominated = !snapshot_.pod(pod).object->nominated_node_name.empty();
  snapshot_.bind(pod, node);
  changed_.push_back(node);
  if (affinity.pod || affinity.pod_anti || was_nominated) {
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

std::vector<objects::ResourceClaim>& PodSeries::State::own_claims() {
  if (claims_ == nullptr) {
    claims_ = std::make_shared<std::vector<objects::ResourceClaim>>(snapshot_.resource_claims());
    snapshot_.replace_claims(claims_);
  }
  return *claims_;
}

std::shared_ptr<ClaimDevices> PodSeries::State::devices() {
  if (devices_ == nullptr && options_.selectors != nullptr && options_.rules.dynamic_resources) {
    devices_ = make_claim_devices(snapshot_, options_.rules, *options_.selectors, false);
  }
  return devices_;
}

/// Whether nobody but pods of the node can tell that the devices are taken.
bool PodSeries::State::is_only_for(NodeIndex node, const objects::AllocationResult& allocation) {
  if (!only_node_) {
    only_node_.emplace();
    for (const objects::ResourceSlice& slice : devices_->slices) {
      const NodeIndex of_slice = snapshot_.find_node(slice.spec.node_name.value_or(""));
      const auto [entry, is_new] = only_node_->try_emplace(pool_key(slice.spec.driver, slice.spec.pool.name), of_slice);
      if (!is_new && entry->second != of_slice) {
        entry->second = NodeIndex();
      }
    }
  }
  return std::ranges::all_of(allocation.results, [&](const objects::DeviceRequestAllocationResult& result) {
    const auto found = only_node_->find(pool_key(result.driver, result.pool));
    return found != only_node_->end() && found->second.valid() && found->second == node;
  });
}

/// Where the claims are. One that the scheduler makes for extended resources is added.
ClaimIndices PodSeries::State::indices_of(std::span<const ClaimAllocation> claims) {
  ClaimIndices indices;
  for (const ClaimAllocation& each : claims) {
    const auto* const known = snapshot_.find_resource_claim(each.namespace_name, each.claim);
    if (known != nullptr) {
      indices.push_back(static_cast<std::size_t>(known - snapshot_.resource_claims().data()));
      continue;
    }
    indices.push_back(own_claims().size());
    objects::ResourceClaim& added = own_claims().emplace_back();
    added.name = each.claim;
    added.namespace_name = each.namespace_name;
    added.for_extended_resources = true;
  }
  return indices;
}

/// Allocates and reserves the claims of the turn for its pod.
void PodSeries::State::give(PodIndex pod, const PodTurn& turn, const ClaimIndices& claims) {
  const objects::ObjectMeta& meta = snapshot_.pod(pod).object->meta;
  bool others_see_it = false;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    objects::ResourceClaim& claim = own_claims()[claims[i]];
    if (!claim.allocation) {
      claim.allocation = turn.claims[i].allocation;
      devices()->hold(*claim.allocation, options_.rules.dra.consumable_capacity);
      others_see_it = others_see_it || !is_only_for(turn.node, *claim.allocation);
    }
    claim.reserved_for.push_back({"", "pods", meta.name, meta.uid});
  }
  if (others_see_it) {
    forget_nodes(true);
  }
}

void PodSeries::State::evict(PodIndex pod) {
  const NodeIndex node = snapshot_.pod(pod).node;
  snapshot_.unbind(pod);
  changed_.push_back(node);
  stays_refused_.clear();
  const objects::Pod& object = *snapshot_.pod(pod).object;
  if (object.spec->affinity.pod || object.spec->affinity.pod_anti) {
    forget_nodes(false);
  }
  release_claims(object);
}

/// A claim is free when the last pod has gone for which it is reserved.
void PodSeries::State::release_claims(const objects::Pod& pod) {
  const auto is_reserved = [&](const objects::ClaimConsumerReference& user) { return user.uid == pod.meta.uid; };
  const auto holds = [&](const objects::ResourceClaim& claim) {
    return claim.namespace_name == pod.meta.namespace_name && std::ranges::any_of(claim.reserved_for, is_reserved);
  };
  if (std::ranges::none_of(snapshot_.resource_claims(), holds)) {
    return;
  }
  for (objects::ResourceClaim& claim : own_claims()) {
    if (holds(claim)) {
      std::erase_if(claim.reserved_for, is_reserved);
      if (claim.reserved_for.empty()) {
        claim.allocation.reset();
      }
    }
  }
  forget_nodes(true);
  devices_ = nullptr;
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

PodSeries::PodSeries(Snapshot& snapshot, const PredictOptions& options)
    : state_(std::make_unique<State>(snapshot, options)) {}

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
  PodSeries series(snapshot, options);
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
