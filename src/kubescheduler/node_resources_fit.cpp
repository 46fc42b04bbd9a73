#include <algorithm>
#include <unordered_map>

#include "gpusched/scoring/node_resources_fit.hpp"
#include "kubescheduler/plugins.hpp"
#include "kubescheduler/profile.hpp"
#include "kubescheduler/resource_score.hpp"

namespace gpusched::kubescheduler {

namespace {

struct Wanted {
  ResourceIndex resource;  ///< none: no node offers it
  std::string name;
  std::int64_t amount = 0;
  bool by_device_class = false;  ///< DynamicResources serves it where no device plugin does
};

bool is_ignored(const objects::NodeResourcesFitArgs& args, std::string_view name) {
  if (!objects::is_extended_resource(name)) {
    return false;
  }
  const auto listed = [](const std::vector<std::string>& list, std::string_view value) {
    return std::ranges::find(list, value) != list.end();
  };
  return listed(args.ignored_resources, name) || listed(args.ignored_resource_groups, name.substr(0, name.find('/')));
}

std::vector<Wanted> wanted_resources(const Cycle& cycle) {
  objects::PodRequestRules rules = cycle.rules.requests;
  rules.use_status = false;  // the pod has not run yet
  const objects::ResourceAmounts amounts = objects::resource_amounts(objects::pod_requests(cycle.pod, rules));
  std::vector<Wanted> wanted;
  const auto add = [&](ResourceIndex resource, std::string name, std::int64_t amount, bool by_class) {
    if (amount > 0) {
      wanted.push_back({resource, std::move(name), amount, by_class});
    }
  };
  add(kCpu, "cpu", amounts.milli_cpu, false);
  add(kMemory, "memory", amounts.memory, false);
  add(kEphemeralStorage, "ephemeral-storage", amounts.ephemeral_storage, false);
  for (const auto& [name, amount] : amounts.scalars) {
    if (!is_ignored(profile_of(cycle).node_resources_fit, name)) {
      const bool by_class = cycle.rules.extended_resources_by_dra && cycle.extended_resources.find(name) != nullptr;
      add(cycle.snapshot.find_resource(name), name, amount, by_class);
    }
  }
  return wanted;
}

class NodeResourcesFit final : public FilterPlugin {
 public:
  explicit NodeResourcesFit(Cycle& cycle) : cycle_(cycle), wanted_(wanted_resources(cycle)) {}

  Status filter(const NodeView& view) override {
    constexpr std::size_t kBits = 63;
    bool unresolvable = false;
    const bool too_many = static_cast<std::int64_t>(view.usage.pods.size()) + 1 > view.node.allowed_pods;
    std::uint64_t missing = too_many ? 1 : 0;
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const Wanted& wanted = wanted_[i];
      const std::int64_t allocatable = view.node.allocatable_of(wanted.resource);
      if (wanted.amount <= allocatable - view.usage.of(wanted.resource) ||
          (wanted.by_device_class && allocatable <= 0)) {
        continue;
      }
      missing |= std::uint64_t{2} << std::min(i, kBits - 1);
      unresolvable = unresolvable || wanted.amount > allocatable;
    }
    if (missing == 0) {
      return {};
    }
    return {unresolvable ? StatusCode::kUnresolvable : StatusCode::kUnschedulable, 0, reasons_of(missing)};
  }

 private:
  /// One list of reasons per set of missing resources.
  const Reasons* reasons_of(std::uint64_t missing) {
    const Reasons*& known = known_[missing];
    if (known == nullptr) {
      Reasons reasons;
      if ((missing & 1U) != 0) {
        reasons.emplace_back("Too many pods");
      }
      for (std::size_t i = 0; i < wanted_.size(); ++i) {
        if ((missing >> (i + 1) & 1U) != 0) {
          reasons.push_back("Insufficient " + wanted_[i].name);
        }
      }
      known = cycle_.reasons.intern(std::move(reasons));
    }
    return known;
  }

  Cycle& cycle_;
  std::vector<Wanted> wanted_;
  std::unordered_map<std::uint64_t, const Reasons*> known_;
};

scoring::ScoringStrategy strategy_of(const objects::NodeResourcesFitArgs& args) {
  scoring::ScoringStrategy strategy;
  strategy.type = static_cast<scoring::StrategyType>(args.strategy);
  for (const objects::UtilizationShapePoint& point : args.shape) {
    strategy.shape.push_back({point.utilization, point.score});
  }
  return strategy;
}

class NodeResourcesFitScore final : public ScorePlugin {
 public:
  explicit NodeResourcesFitScore(Cycle& cycle) : cycle_(cycle), strategy_(strategy_of(args(cycle))) {
    // The scorer of this plugin is not told of pod-level resources: an oversight of 1.34 to 1.37.
    objects::PodRequestRules rules;
    rules.use_status = false;
    rules.pod_level = false;
    for (const objects::ResourceSpec& spec : args(cycle).resources) {
      resources_.push_back(scored_resource(cycle, spec, rules, true));
    }
  }

  std::int64_t score(NodeIndex node) override {
    demands_.clear();
    for (const ScoredResource& resource : resources_) {
      const auto [allocatable, allocated] = allocatable_and_allocated(cycle_, node, resource, true);
      if (allocatable != 0) {
        demands_.push_back({allocated + resource.requested, allocatable, resource.weight});
      }
    }
    return scoring::strategy_score(strategy_, demands_);
  }

 private:
  static const objects::NodeResourcesFitArgs& args(const Cycle& cycle) { return profile_of(cycle).node_resources_fit; }

  Cycle& cycle_;
  scoring::ScoringStrategy strategy_;
  std::vector<ScoredResource> resources_;
  std::vector<scoring::ResourceDemand> demands_;
};

}  // namespace

PreFiltered pre_filter_node_resources_fit(Cycle& cycle) {
  return {{}, std::make_unique<NodeResourcesFit>(cycle), false, {}};
}

std::unique_ptr<ScorePlugin> pre_score_node_resources_fit(Cycle& cycle, FeasibleNodes) {
  return std::make_unique<NodeResourcesFitScore>(cycle);
}

}  // namespace gpusched::kubescheduler
