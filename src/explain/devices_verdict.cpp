#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "explain/devices.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::explain {

namespace {

/// What a driver has published of a pool so far: the slices of its newest generation.
struct Published {
  std::int64_t generation = 0, slices = 0, announced = 0;
};
using Pools = std::map<std::pair<std::string_view, std::string_view>, Published>;  // by driver and pool

Pools incomplete_pools(const objects::ClusterObjects& objects) {
  Pools pools;
  for (const objects::ResourceSlice& slice : objects.resource_slices) {
    const objects::ResourcePool& pool = slice.spec.pool;
    Published& published = pools[{slice.spec.driver, pool.name}];
    if (published.slices == 0 || pool.generation > published.generation) {
      published = {pool.generation, 0, pool.resource_slice_count};
    }
    published.slices += pool.generation == published.generation ? 1 : 0;
  }
  std::erase_if(pools, [](const auto& entry) { return entry.second.slices >= entry.second.announced; });
  return pools;
}

/// Whether the pod fits when no claim holds a device and `change` has been made.
template <class Change>
bool fits_after(const Question& question, const Change& change) {
  objects::ClusterObjects objects = question.snapshot.objects();
  for (objects::ResourceClaim& claim : objects.resource_claims) {
    claim.allocation.reset();
    claim.reserved_for.clear();
  }
  change(objects);
  kubescheduler::PredictOptions brief = question.options;
  brief.node_answers = false;
  brief.scores = false;
  return kubescheduler::predict(Snapshot(std::move(objects), brief.rules.requests), question.pod, brief).verdict ==
         kubescheduler::Verdict::kScheduled;
}

/// Devices are there, and something that changes without the pod keeps them from its claims.
std::optional<Finding> verdict_on_hidden_devices(const Question& question) {
  const objects::ClusterObjects& objects = question.snapshot.objects();
  const kubescheduler::SchedulerRules& rules = question.options.rules;
  const auto drop_rules = [](objects::ClusterObjects& changed) { changed.device_taint_rules.clear(); };
  if (rules.device_taint_rules && rules.dra.device_taints && !objects.device_taint_rules.empty() &&
      fits_after(question, drop_rules)) {
    std::set<std::string_view> names;
    for (const objects::DeviceTaintRule& rule : objects.device_taint_rules) {
      if (rule.selector) {  // one without selects nothing
        names.insert(rule.name);
      }
    }
    return Finding{
        "blocked", "device taint rule",
        fmt::format("the devices that the pod's claims need are tainted by {}; it fits without",
                    names.size() == 1 ? fmt::format("the DeviceTaintRule {}", shorten(*names.begin()))
                                      : fmt::format("DeviceTaintRules ({})", shorten(join(names, ", "), 200)))};
  }
  const Pools pools = incomplete_pools(objects);
  const auto complete = [&](objects::ClusterObjects& changed) {
    for (objects::ResourceSlice& slice : changed.resource_slices) {
      const auto pool = pools.find({slice.spec.driver, slice.spec.pool.name});
      if (pool != pools.end() && slice.spec.pool.generation == pool->second.generation) {
        slice.spec.pool.resource_slice_count = pool->second.slices;
      }
    }
  };
  if (pools.empty() || !fits_after(question, complete)) {
    return std::nullopt;
  }
  const auto& [name, published] = *pools.begin();
  const std::string more = pools.size() == 1 ? std::string() : fmt::format(" and {} more pools", pools.size() - 1);
  return Finding{"blocked", "incomplete pool",
                 fmt::format("of the pool {} of {}{} the driver has published {} of {} slices, and no device of it "
                             "is taken before the rest is there",
                             shorten(name.second), shorten(name.first), more, published.slices, published.announced)};
}

}  // namespace

Finding verdict_on_devices(const Question& question, whatif::Trial& trial) {
  if (question.snapshot.objects().resource_slices.empty()) {
    return {"blocked", "DRA driver",
            "the dump has no ResourceSlices: no driver publishes devices, or they were not gathered"};
  }
  const std::size_t mark = trial.mark();
  trial.free_all_claims();
  kubescheduler::PredictOptions brief = question.options;
  brief.node_answers = false;
  brief.scores = false;
  const bool fits_when_free =
      kubescheduler::predict(trial.snapshot(), question.pod, brief).verdict == kubescheduler::Verdict::kScheduled;
  trial.revert(mark);
  if (fits_when_free) {
    return {"busy", "", "the devices that the pod's claims need are held by other claims; it fits when they are freed"};
  }
  if (std::optional<Finding> hidden = verdict_on_hidden_devices(question)) {
    return *std::move(hidden);
  }
  return {"never fits", "",
          "no node has the devices that the pod's claims want together, not even if no other claim held any"};
}

}  // namespace gpusched::explain
