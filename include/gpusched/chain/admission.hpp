#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/chain/chain.hpp"
#include "gpusched/chain/gate3.hpp"
#include "gpusched/chain/links.hpp"
#include "gpusched/chain/requests.hpp"
#include "gpusched/kueue/admission.hpp"
#include "gpusched/objects/kueue_configuration.hpp"
#include "gpusched/objects/kueue_input.hpp"

/// The five gates that a workload passes: the Pod webhook, Kueue's quota and topology, the node-devices check, the
/// scheduler's and kubelet's counting, and the device plugin. Source: GPUStack operator v0.9.0-rc2, "Admission".
namespace gpusched::chain {

inline constexpr std::size_t kGates = 5;
/// "request webhook", "quota and topology", "node-devices check", "node keys", "device plugin"; `gate` is 1 to 5.
[[nodiscard]] std::string_view gate_name(std::size_t gate);

enum class GateOutcome : std::uint8_t {
  kPasses,
  kRefuses,     ///< for good, until somebody changes the request or the cluster
  kHolds,       ///< asked again later
  kNotReached,  ///< an earlier gate did not let it through
  kNotAsked,    ///< has nothing to decide about this workload
};
[[nodiscard]] std::string_view name_of(GateOutcome outcome);

struct GateVerdict {
  GateOutcome outcome = GateOutcome::kNotReached;
  std::string message;  ///< with numbers
  std::string fix;      ///< what would change it; "" when nothing is known

  bool operator==(const GateVerdict&) const = default;
};

/// Pods of one PodSet on one node.
struct Placed {
  std::uint32_t node = 0;  ///< index into Chain::nodes
  std::int64_t pods = 0;
};

struct JudgedPodSet {
  std::string name;
  std::int64_t pods = 0;
  FoldedPod folded;
  std::vector<objects::NodeSelectorRequirement> pins;  ///< that the Workload webhook adds
  std::string flavor;                                  ///< "" without one
  std::vector<Placed> places;                          ///< none without a topology assignment
};

struct JudgedWorkload {
  std::string name;   ///< "namespace/name"
  std::string queue;  ///< LocalQueue
  const Pool* pool = nullptr;
  std::optional<BrokenLink> link;  ///< the way to its queue is broken before any gate
  std::array<GateVerdict, kGates> gates;
  std::vector<JudgedPodSet> pod_sets;
  bool already_admitted = false;  ///< in the dump; its Pods are in the ledger

  /// The first gate that does not let it through, 1 to 5; 0 when all do, and when the link is broken.
  [[nodiscard]] std::size_t first_refusal() const;
  [[nodiscard]] bool passes() const { return !link && first_refusal() == 0; }
};

struct AdmissionQuestion {
  const ChainInput* input = nullptr;
  const Chain* chain = nullptr;
  objects::KueueObjects kueue;  ///< of the dump: Workloads, Pods, queues that exist
  bool dump_wins = true;        ///< queues and flavors of the dump are used as they are; false in a what-if
  bool as_kueue_017 = false;    ///< credits by resource transformations, as Kueue 0.17 does it
  std::optional<objects::KueueConfiguration> configuration;  ///< instead of the operator's
  std::int64_t start_seconds = 0;
  std::vector<objects::KueueEvent> events;
};

struct AdmissionResult {
  std::vector<JudgedWorkload> workloads;  ///< by name; finished ones are left out
  kueue::AdmissionAnswer answer;          ///< Kueue's own words
  Diagnostics notes;
};

/// Sends every workload of the dump through the gates. Pods with a queue name that no Workload stands for are workloads
/// of one Pod. Errors: those of the simulation.
[[nodiscard]] Result<AdmissionResult> judge_workloads(AdmissionQuestion question);

/// Kueue's configuration as the operator writes it: accelerator keys become credits.
[[nodiscard]] objects::KueueConfiguration operator_configuration(const Chain& chain, bool as_kueue_017);

}  // namespace gpusched::chain
