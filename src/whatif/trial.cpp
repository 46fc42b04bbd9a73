#include "gpusched/whatif/trial.hpp"

#include <algorithm>

#include "gpusched/base/overloaded.hpp"
#include "whatif/names.hpp"
#include "whatif/pod_claims.hpp"

namespace gpusched::whatif {

using kubescheduler::NodeIndex;
using kubescheduler::PodIndex;

namespace {

/// A node that somebody else owns.
std::shared_ptr<const objects::Node> borrow(const objects::Node& node) {
  return {std::shared_ptr<const objects::Node>(), &node};
}

}  // namespace

Result<bool> Trial::apply(const ClusterEdit& edit) {
  const auto with_node = [&](const std::string& name, const auto& change) -> Result<bool> {
    const NodeIndex node = snapshot_.find_node(name);
    if (!node.valid()) {
      return unknown_node(name, snapshot_.objects().nodes);
    }
    change(node);
    return true;
  };
  const auto with_pod = [&](const auto& named, const auto& change) -> Result<bool> {
    const PodIndex pod = find_pod(named.namespace_name, named.name);
    if (!pod.valid()) {
      return unknown_pod(named.namespace_name, named.name);
    }
    return change(pod);
  };
  const auto change_object = [&](NodeIndex node) {
    objects::Node object = *snapshot_.node(node).object;
    change_node(edit, object);
    replace_node(node, std::move(object));
  };
  return std::visit(Overloaded{[&](const AddNodes& add) {
                                 return with_node(add.like, [&](NodeIndex like) {
                                   for (std::int32_t i = 1; i <= add.count; ++i) {
                                     add_node(new_node_like(*snapshot_.node(like).object, i));
                                   }
                                 });
                               },
                               [&](const DrainNode& drain) {
                                 return with_node(drain.node, [&](NodeIndex node) {
                                   change_object(node);
                                   const std::vector<PodIndex> pods = snapshot_.node(node).usage.pods;
                                   for (const PodIndex pod : pods) {
                                     if (!stays_on_drain(*snapshot_.pod(pod).object)) {
                                       evict(pod);
                                     }
                                   }
                                 });
                               },
                               [&](const EvictPod& named) {
                                 return with_pod(named, [&](PodIndex pod) -> Result<bool> {
                                   evict(pod);
                                   return true;
                                 });
                               },
                               [&](const MovePod& named) {
                                 return with_pod(named, [&](PodIndex pod) -> Result<bool> {
                                   return with_node(named.node, [&](NodeIndex node) { move(pod, node); });
                                 });
                               },
                               [&]<class Edit>(const Edit& other) -> Result<bool> {
                                 if constexpr (kChangesOneNode<Edit>) {
                                   return with_node(other.node, change_object);
                                 } else {
                                   return fail("not-a-trial-edit", "a trial cannot do this: " + describe(edit));
                                 }
                               }},
                    edit);
}

void Trial::unbind(PodIndex pod) {
  if (const NodeIndex node = snapshot_.pod(pod).node; node.valid()) {
    snapshot_.unbind(pod);
    changes_.emplace_back(Unbound{pod, node});
  }
}

/// `goes` tells of a constant claim whether it changes, and changes one that is not.
template <class Goes>
void Trial::free_claims(const Goes& goes) {
  if (std::ranges::none_of(snapshot_.resource_claims(),
                           [&](const objects::ResourceClaim& claim) { return goes(claim); })) {
    return;
  }
  std::vector<objects::ResourceClaim> claims = snapshot_.resource_claims();
  for (objects::ResourceClaim& claim : claims) {
    goes(claim);
  }
  changes_.emplace_back(ClaimsChanged{claims_});
  claims_ = std::make_shared<const std::vector<objects::ResourceClaim>>(std::move(claims));
  snapshot_.replace_claims(claims_);
}

void Trial::evict(PodIndex pod) {
  unbind(pod);
  ClaimUsers leaving;
  leaving.insert(*snapshot_.pod(pod).object);
  free_claims(Overloaded{[&](const objects::ResourceClaim& claim) { return is_reserved_for(claim, leaving); },
                         [&](objects::ResourceClaim& claim) { free_claim(claim, leaving); }});
}

void Trial::free_all_claims() {
  free_claims(Overloaded{[](const objects::ResourceClaim& claim) { return claim.allocation.has_value(); },
                         [](objects::ResourceClaim& claim) {
                           claim.allocation.reset();
                           claim.reserved_for.clear();
                         }});
}

void Trial::move(PodIndex pod, NodeIndex node) {
  unbind(pod);
  snapshot_.bind(pod, node);
  changes_.emplace_back(Bound{pod});
}

NodeIndex Trial::add_node(const objects::Node& node) {
  changes_.emplace_back(Added{});
  return snapshot_.append_node(std::make_shared<const objects::Node>(node));
}

void Trial::replace_node(NodeIndex index, objects::Node node) {
  changes_.emplace_back(Replaced{index, borrow(*snapshot_.node(index).object)});
  snapshot_.replace_node(index, std::make_shared<const objects::Node>(std::move(node)));
}

void Trial::revert(std::size_t mark) {
  while (changes_.size() > mark) {
    std::visit(Overloaded{[&](const Unbound& change) { snapshot_.bind(change.pod, change.node); },
                          [&](const Bound& change) { snapshot_.unbind(change.pod); },
                          [&](const Added&) { snapshot_.remove_last_node(); },
                          [&](const Replaced& change) { snapshot_.replace_node(change.node, change.before); },
                          [&](const ClaimsChanged& change) {
                            claims_ = change.before;
                            snapshot_.replace_claims(claims_);
                          }},
               changes_.back());
    changes_.pop_back();
  }
}

PodIndex Trial::find_pod(const std::string& namespace_name, const std::string& name) {
  if (pods_.empty()) {
    for (std::size_t i = 0; i < snapshot_.pods().size(); ++i) {
      const objects::ObjectMeta& meta = snapshot_.pod(PodIndex(i)).object->meta;
      pods_.try_emplace(meta.namespace_name + "/" + meta.name, PodIndex(i));
    }
  }
  const auto found = pods_.find(namespace_name + "/" + name);
  return found == pods_.end() ? PodIndex() : found->second;
}

}  // namespace gpusched::whatif
