#include "kubescheduler/kind_nodes.hpp"

#include <algorithm>
#include <utility>

#include "kubescheduler/claim_state.hpp"

namespace gpusched::kubescheduler {

KindNodes::KindNodes(Cycle cycle, std::span<const NodeIndex> by_name) : cycle_(std::move(cycle)), best_(by_name) {}

std::unique_ptr<KindNodes> KindNodes::make(Cycle cycle, std::span<const NodeIndex> by_name) {
  std::unique_ptr<KindNodes> nodes(new KindNodes(std::move(cycle), by_name));
  return nodes->prepare() ? std::move(nodes) : nullptr;
}

bool KindNodes::prepare() {
  if (is_kept_from_queue(cycle_)) {
    return false;
  }
  filters_.emplace(cycle_);
  if (!filters_->refusal().ok() || filters_->names_nodes() || !filters_->are_per_node()) {
    return false;
  }
  if (auto* const claims = static_cast<ClaimState*>(cycle_.dynamic_resources.get());
      claims != nullptr && !claims->empty()) {
    if (claims->has_extended_claim() || !claims->shares_devices()) {
      return false;
    }
    claims->keep_claims();
    claims_ = claims;
  }
  fits_.resize(cycle_.snapshot.nodes().size());
  if (!ask_all() || !prepare_scores()) {
    return false;
  }
  if (claims_ != nullptr) {
    claims_->give_with_answers();
  }
  return true;
}

/// False when a plugin fails.
bool KindNodes::ask_all() {
  for (std::size_t i = 0; i < fits_.size(); ++i) {
    const std::optional<bool> fits = ask(NodeIndex(i));
    if (!fits) {
      return false;
    }
    fits_[i] = *fits;
  }
  return true;
}

bool KindNodes::prepare_scores() {
  if (cycle_.options.scores) {
    const std::vector<NodeIndex> feasible = feasible_nodes();
    for (const ActiveScore& active : active_scores(profile_of(cycle_))) {
      std::unique_ptr<ScorePlugin> plugin = active.entry->pre_score(cycle_, feasible);
      if (plugin == nullptr) {
        continue;
      }
      if (active.entry->reach != Reach::kNode) {
        return false;
      }
      scores_.push_back({std::move(plugin), active.weight, active.entry->normalizes, true, {}, {}});
    }
  }
  score_all();
  return true;
}

std::optional<bool> KindNodes::ask(NodeIndex node) {
  const Status status = filters_->run(node);
  if (status.code == StatusCode::kError || (claims_ != nullptr && claims_->undecided())) {
    return std::nullopt;
  }
  return status.ok();
}

void KindNodes::score_all() {
  const std::size_t count = fits_.size();
  for (Score& score : scores_) {
    score.raw.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      score.raw[i] = fits_[i] ? score.plugin->score(NodeIndex(i)) : 0;
    }
    score.done = score.raw;
    if (score.normalizes) {
      normalize(score);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    set_total(NodeIndex(i));
  }
}

std::vector<NodeIndex> KindNodes::feasible_nodes() const {
  std::vector<NodeIndex> nodes;
  for (std::size_t i = 0; i < fits_.size(); ++i) {
    if (fits_[i]) {
      nodes.emplace_back(i);
    }
  }
  return nodes;
}

void KindNodes::normalize(Score& score) {
  const std::vector<NodeIndex> nodes = feasible_nodes();
  std::vector<std::int64_t> values;
  for (const NodeIndex node : nodes) {
    values.push_back(score.raw[node.index()]);
  }
  score.equal = std::ranges::adjacent_find(values, std::ranges::not_equal_to()) == values.end();
  score.plugin->normalize(nodes, values);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    score.done[nodes[i].index()] = values[i];
  }
}

void KindNodes::set_total(NodeIndex node) {
  if (!fits_[node.index()]) {
    best_.set(node, BestNode::kOut);
    return;
  }
  std::int64_t total = 0;
  for (const Score& score : scores_) {
    total += score.done[node.index()] * score.weight;
  }
  best_.set(node, total);
}

bool KindNodes::refresh(NodeIndex node) {
  const std::size_t i = node.index();
  if (claims_ != nullptr) {
    claims_->forget(node);
  }
  const bool fitted = fits_[i];
  const std::optional<bool> fits = ask(node);
  if (!fits) {
    return false;
  }
  fits_[i] = *fits;
  bool others_change = fits_[i] && !fitted;
  for (Score& score : scores_) {
    if (!fits_[i]) {
      // The maximum that the others are measured by may have left.
      others_change = others_change || (fitted && score.normalizes && !score.equal);
      continue;
    }
    const std::int64_t raw = score.plugin->score(node);
    others_change = others_change || (score.normalizes && raw != score.raw[i]);
    score.raw[i] = raw;
    if (!score.normalizes) {
      score.done[i] = raw;
    }
  }
  if (others_change) {
    score_all();
  } else {
    set_total(node);
  }
  return true;
}

bool KindNodes::refresh_all() {
  for (std::size_t i = 0; i < fits_.size(); ++i) {
    if (claims_ != nullptr) {
      claims_->forget(NodeIndex(i));
    }
  }
  if (!ask_all()) {
    return false;
  }
  score_all();
  return true;
}

std::vector<objects::AllocationResult> KindNodes::take_from(NodeIndex node) {
  return claims_ == nullptr ? std::vector<objects::AllocationResult>() : claims_->take_from(node);
}

}  // namespace gpusched::kubescheduler
