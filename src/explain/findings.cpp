#include "explain/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "explain/amounts.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::explain {

namespace {

constexpr std::size_t kMaxLines = 5;  // of one kind of finding

bool is_resource(Step step) {
  return step == Step::kNotOffered || step == Step::kTooSmall || step == Step::kBusy || step == Step::kTooManyPods;
}

/// "2 nvidia.com/gpu missing" of a node where the resource is busy, else the obstacle.
std::string missing_text(const Question& question, const Obstacle& obstacle, NodeIndex node) {
  const Wanted* const wanted = question.survey.find(obstacle.what);
  if (wanted == nullptr || obstacle.step != Step::kBusy) {
    return obstacle_text(obstacle);
  }
  const NodeState& state = question.snapshot.node(node);
  const std::int64_t free = std::max<std::int64_t>(free_of(state, wanted->index), 0);
  return fmt::format("{} {} missing ({} of {} free)", prose_amount(wanted->name, wanted->amount - free, Rounding::kUp),
                     wanted->name, prose_amount(wanted->name, free, Rounding::kDown),
                     prose_amount(wanted->name, state.allocatable_of(wanted->index), Rounding::kDown));
}

/// The nodes of a group with what is missing there, those with most free first: "dgx-a: 1 x missing (7 of 8 free)".
std::string nearest_text(const Question& question, const NodeGroup& group) {
  const Obstacle& obstacle = group.obstacles.front();
  const Wanted* const wanted = question.survey.find(obstacle.what);
  std::vector<NodeIndex> nodes = group.nodes;
  if (wanted != nullptr && obstacle.step == Step::kBusy) {
    const auto free = [&](NodeIndex node) { return free_of(question.snapshot.node(node), wanted->index); };
    const std::int64_t most = free(*std::ranges::max_element(nodes, {}, free));
    std::erase_if(nodes, [&](NodeIndex node) { return free(node) != most; });
  }
  const std::size_t others = group.nodes.size() - nodes.size();
  const std::string rest = others == 0   ? ""
                           : others == 1 ? "; 1 other lacks more"
                                         : fmt::format("; {} others lack more", others);
  return fmt::format("{}: {}{}", name_list(question.snapshot, nodes), missing_text(question, obstacle, nodes.front()),
                     rest);
}

/// How far from scheduling the nodes of a pool are.
struct PoolRow {
  std::size_t nodes = 0;
  std::vector<std::pair<std::string, std::size_t>> obstacles;  // in the order of their first node

  void count(const std::string& obstacle, std::size_t more) {
    const auto found = std::ranges::find(obstacles, obstacle, &std::pair<std::string, std::size_t>::first);
    if (found == obstacles.end()) {
      obstacles.emplace_back(obstacle, more);
    } else {
      found->second += more;
    }
  }
};

}  // namespace

void find_pools(const Question& question, std::vector<Finding>& findings) {
  const ClusterFacts& facts = question.facts;
  if (facts.pools.size() < 2) {
    return;
  }
  std::vector<PoolRow> rows(facts.pools.size());
  for (const NodeGroup& group : question.survey.groups) {
    std::vector<std::size_t> counts(facts.pools.size());
    for (const NodeIndex node : group.nodes) {
      ++counts[facts.pool_of_node[node.index()]];
    }
    for (std::size_t pool = 0; pool < counts.size(); ++pool) {
      rows[pool].nodes += counts[pool];
      if (counts[pool] > 0 && !group.obstacles.empty()) {
        rows[pool].count(obstacle_text(group.obstacles.front()), counts[pool]);
      }
    }
  }
  for (std::size_t pool = 0; pool < rows.size(); ++pool) {
    std::vector<std::string> texts;
    for (const auto& [obstacle, count] : rows[pool].obstacles) {
      texts.push_back(fmt::format("{} x {}", count, obstacle));
    }
    findings.push_back({"pool", "",
                        fmt::format("{}, {} node{}: {}", facts.pools[pool].empty() ? "(none)" : facts.pools[pool],
                                    rows[pool].nodes, rows[pool].nodes == 1 ? "" : "s", join(texts, ", "))});
  }
}

void find_one_step_away(const Question& question, std::vector<Finding>& findings) {
  std::size_t lines = 0;
  for (const NodeGroup& group : question.survey.groups) {
    // What devices lack has lines of its own.
    if (group.obstacles.size() == 1 && !group.has(Step::kDevices) && group.distance < 500 && lines++ < kMaxLines) {
      findings.push_back({"one step away", "", nearest_text(question, group)});
    }
  }
}

void find_hidden(const Question& question, std::vector<Finding>& findings) {
  std::size_t lines = 0;
  for (const NodeGroup& group : question.survey.groups) {
    if (group.obstacles.size() < 2 || group.distance >= 1000) {
      continue;
    }
    const Obstacle& first = group.obstacles.front();
    std::vector<std::string> rest;
    for (const Obstacle& obstacle : group.obstacles) {
      const bool same_plugin = obstacle.step == first.step || (is_resource(obstacle.step) && is_resource(first.step));
      if (!same_plugin) {
        rest.push_back(missing_text(question, obstacle, group.nodes.front()));
      }
    }
    if (!rest.empty() && lines++ < kMaxLines) {
      findings.push_back({"hidden", "",
                          fmt::format("{}: {}, and behind it {}", name_list(question.snapshot, group.nodes),
                                      obstacle_text(first), join(rest, ", "))});
    }
  }
}

void find_half_placed(const Question& question, std::vector<Finding>& findings) {
  const auto& jobs = question.facts.half_placed.jobs();
  const std::string own = job_of(question.pod);
  if (!jobs.contains(own)) {
    return;
  }
  std::size_t lines = 0;
  const auto say = [&](const std::string& name, const HalfPlacedJobs::Job& job) {
    std::vector<std::string> held;
    for (const auto& [resource, amount] : job.held) {
      held.push_back(fmt::format("{} {}", prose_amount(resource, amount, Rounding::kDown), resource));
    }
    findings.push_back(
        {"half placed", "",
         fmt::format("{}: {} of {} pods have a node and hold {} while the others wait", name, job.placed,
                     job.placed + job.waiting, held.empty() ? "what they asked for" : join(held, ", "))});
    ++lines;
  };
  say(own, jobs.at(own));
  for (const auto& [name, job] : jobs) {
    if (name != own && lines < kMaxLines) {
      say(name, job);
    }
  }
}

}  // namespace gpusched::explain
