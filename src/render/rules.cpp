#include "render/rules.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace gpusched::render {

namespace {

// Ids are never given away again. The hundreds: 0 one pod or claim, 1 what a count hides, 2 clusters and runs of jobs,
// 3 the chain of GPUStack, 4 comparisons.
constexpr std::array kRules = {
    Rule{"GPU001", "PodPending", "No node can take the pod.", Level::kError},
    Rule{"GPU002", "PodNotTried", "The scheduler does not try the pod: it is gated or waits for something.",
         Level::kError},
    Rule{"GPU003", "SchedulerError", "A plugin of the scheduler fails on the pod.", Level::kError},
    Rule{"GPU004", "Undecided", "A search reached its step budget, or claims were not allocated.", Level::kUndecided},
    Rule{"GPU005", "PodEvicted", "The pod is evicted for another one.", Level::kError},
    Rule{"GPU006", "ClaimNotAllocated", "No node has the devices of the claim.", Level::kError},
    Rule{"GPU007", "SelectorInvalid", "The device selector does not compile.", Level::kError},
    Rule{"GPU008", "WorkloadHasNoPods", "Something keeps the workload from having its pods.", Level::kError},
    Rule{"GPU101", "ModelMismatch", "The pod gets another GPU model than it asks for.", Level::kWarning},
    Rule{"GPU102", "MemoryBelowNeed", "The GPU has less memory than the pod needs.", Level::kWarning},
    Rule{"GPU103", "TimeSlicedReplica", "The pod shares a physical GPU without isolation.", Level::kWarning},
    Rule{"GPU104", "SamePhysicalGpu", "Several replicas of the pod are one physical GPU.", Level::kWarning},
    Rule{"GPU105", "MemoryOversubscribed", "Pods declare more memory than their GPU has.", Level::kWarning},
    Rule{"GPU106", "SpansIslands", "The pod's GPUs are not in one NVLink island.", Level::kWarning},
    Rule{"GPU201", "TooManyStranded", "More free GPUs than allowed are of no use to pods of a size.", Level::kError},
    Rule{"GPU202", "TooFewFit", "Fewer pods of a size fit than must.", Level::kError},
    Rule{"GPU203", "Deadlock", "Jobs hold GPUs and wait for each other.", Level::kError},
    Rule{"GPU204", "Livelock", "Jobs take and give back GPUs for ever.", Level::kError},
    Rule{"GPU205", "JobNotFinished", "The job waits, has failed or was given up at the end of the run.", Level::kError},
    Rule{"GPU206", "NoNodeDrainable", "No node could be taken away.", Level::kError},
    Rule{"GPU207", "NoDefragPlan", "No plan of moves makes room for the pods.", Level::kError},
    Rule{"GPU208", "PodFitsNoShape", "No shape of node that was offered can take the pods.", Level::kError},
    Rule{"GPU209", "AlternativeLeavesPods", "Pods stay Pending with this policy, view or order.", Level::kWarning},
    Rule{"GPU210", "MixNotServed", "No MIG layout serves all the instances that are wanted.", Level::kError},
    Rule{"GPU211", "LayoutDoesNotFit", "The MIG layout does not fit on the board.", Level::kError},
    Rule{"GPU301", "BrokenLink", "A link of the chain from node to queue is broken.", Level::kError},
    Rule{"GPU302", "GateRefuses", "A gate of admission refuses the workload.", Level::kError},
    Rule{"GPU303", "WorkloadPending", "Kueue does not admit the workload.", Level::kError},
    Rule{"GPU304", "Drift", "The live object differs from what the chain makes.", Level::kError},
    Rule{"GPU401", "MessageDiffers", "The predicted message differs from the recorded one.", Level::kError},
    Rule{"GPU402", "QuestionFailed", "The answer to a question of a suite is not the expected one.", Level::kError},
    Rule{"GPU403", "QuestionGotWorse", "The answer to a question is worse than in the baseline.", Level::kError},
};

}  // namespace

std::span<const Rule> rules() {
  return kRules;
}

const Rule& rule(std::string_view id) {
  const auto found = std::ranges::find(kRules, id, &Rule::id);
  assert(found != kRules.end());
  return *found;
}

}  // namespace gpusched::render
