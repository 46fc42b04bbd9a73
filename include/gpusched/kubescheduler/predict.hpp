#pragma once

#include <cstdint>

#include "gpusched/kubescheduler/prediction.hpp"
#include "gpusched/kubescheduler/rules.hpp"
#include "gpusched/kubescheduler/snapshot.hpp"
#include "gpusched/objects/scheduler_configuration.hpp"

namespace gpusched::dra {
class SelectorEvaluator;
}

namespace gpusched::kubescheduler {

struct PredictOptions {
  SchedulerRules rules;
  objects::SchedulerConfiguration configuration{std::nullopt, {objects::SchedulerProfile()}, {}};
  /// Evaluates the CEL selectors of claims. Borrowed; keep one for several predictions, because it remembers outcomes.
  /// nullptr: each prediction makes its own.
  dra::SelectorEvaluator* selectors = nullptr;
  bool node_answers = true;  ///< false: Prediction::nodes stays empty, which is faster in large clusters
  bool scores =
      true;  ///< false: nodes are not compared, `node` is the first by name of those that fit, which is faster
  std::uint64_t max_steps = 2'000'000;  ///< of one allocation search
  /// Steps that the real search for devices makes before its filter timeout of 10 s per node; 0: no timeout.
  std::uint64_t dra_timeout_steps = 4'500'000;
  std::uint64_t seed = 0;  ///< of random ids
};

/// What kube-scheduler does with a pending pod when it is its turn. The pod need not be part of the snapshot; if it is
/// (same namespace and name), it does not count against itself.
///
/// Source: kube-scheduler 1.37.2, pkg/scheduler, with its default profile and default feature gates.
[[nodiscard]] Prediction predict(const Snapshot& snapshot, const objects::Pod& pod, const PredictOptions& options);

}  // namespace gpusched::kubescheduler
