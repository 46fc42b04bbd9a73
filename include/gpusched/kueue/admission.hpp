#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/objects/kueue_input.hpp"

/// Kueue's admission: which Workload gets quota when, on which flavors and topology domains, who is evicted for it, and
/// the words that say why a Workload waits. Rules: Kueue v0.17.0 with its default feature gates.
namespace gpusched::kueue {

struct AdmittedPods {
  std::string name;
  std::int32_t count = 0;
  objects::Labels flavors;      ///< flavor by resource, in the order of the resources' names
  objects::ResourceList usage;  ///< of all pods
  std::optional<objects::TopologyAssignment> topology;
};

struct AdmittedWorkload {
  std::string workload;  ///< "namespace/name"
  std::string cluster_queue;
  bool admitted = true;  ///< false: quota is reserved, admission checks are open
  std::int64_t cycle = 0;
  std::int64_t since = 0;  ///< when quota was reserved, seconds
  std::vector<AdmittedPods> pod_sets;
};

/// A Workload without quota. The reason and message are those of condition QuotaReserved; "" when there is none.
struct PendingWorkload {
  std::string workload;
  std::string reason, message;
  std::string requeued;  ///< status and reason of condition Requeued: "True/Preempted"; "" when there is none
};

struct Eviction {
  std::string workload;
  std::int64_t cycle = 0;
  std::string reason, message;
  std::string preempted;  ///< reason of condition Preempted, "" when it was no preemption
};

/// A ClusterQueue that admits nothing.
struct InactiveQueue {
  std::string name, reason, message;
};

struct AdmissionAnswer {
  std::vector<AdmittedWorkload> admitted;  ///< by namespace and name, like all lists but `evicted`
  std::vector<PendingWorkload> pending;
  std::vector<Eviction> evicted;  ///< by cycle, then name
  std::vector<std::string> finished;
  std::vector<InactiveQueue> cluster_queues;
  std::int64_t cycles = 0;
  /// The longest series of states that some event ended in, when it is longer than one: two Workloads may evict each
  /// other without end.
  std::int64_t loop = 0;
  bool cut_short = false;  ///< a limit of cycles was reached
};

/// A Workload of the input, by number, that got quota, was admitted or gave its quota back.
struct AdmissionTransition {
  enum class Kind : std::uint8_t { kReserved, kAdmitted, kReleased };

  std::size_t workload = 0;
  Kind kind = Kind::kReserved;
  std::int64_t time = 0;  ///< seconds
};

/// A cluster whose queues run on a virtual clock: one scheduling cycle a second until nothing changes any more.
class AdmissionSimulation {
 public:
  /// `input` must outlive it. Workloads named in `create_later` do not exist until an event creates them; all others do
  /// from the start. Errors: cohorts nested too deep.
  [[nodiscard]] static Result<AdmissionSimulation> make(const objects::KueueObjects& input,
                                                        const objects::KueueConfiguration& configuration,
                                                        std::int64_t start_seconds,
                                                        const std::vector<std::string>& create_later);
  ~AdmissionSimulation();
  AdmissionSimulation(AdmissionSimulation&&) noexcept;
  AdmissionSimulation& operator=(AdmissionSimulation&&) noexcept;

  /// Something happens; then the queues run until quiet. Errors: an object that is not there, a Workload that exists
  /// already or does not exist yet.
  [[nodiscard]] Result<void> apply(const objects::KueueEvent& event);

  /// The same, but the queues run until `time` at most, and the clock goes there when they are quiet. Series that
  /// repeat without end run on.
  [[nodiscard]] Result<void> apply_until(const objects::KueueEvent& event, std::int64_t time);

  [[nodiscard]] std::int64_t now() const;
  /// What has happened since the last call, in order. A Workload that is admitted at once is not reserved before.
  [[nodiscard]] std::vector<AdmissionTransition> take_transitions();
  [[nodiscard]] AdmissionAnswer answer() const;
  /// What it would also be right to answer: the other states of a series that repeats without end.
  [[nodiscard]] const std::vector<AdmissionAnswer>& alternatives() const;

 private:
  class Data;
  explicit AdmissionSimulation(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

/// Plays all events and answers.
[[nodiscard]] Result<AdmissionAnswer> simulate_admission(const objects::KueueObjects& input,
                                                         const objects::KueueConfiguration& configuration,
                                                         std::int64_t start_seconds,
                                                         const std::vector<objects::KueueEvent>& events);

}  // namespace gpusched::kueue
