#include "gpusched/kueue/admission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include "gpusched/base/text.hpp"
#include "kueue/admission_answer.hpp"
#include "kueue/controller.hpp"
#include "kueue/journal.hpp"
#include "kueue/scheduler.hpp"
#include "kueue/state.hpp"

namespace gpusched::kueue {

class AdmissionSimulation::Data {
 public:
  Data(const objects::KueueObjects& input, objects::KueueConfiguration settings, std::int64_t start)
      : configuration_(std::move(settings)),
        state_(input, configuration_, start),
        journal_(state_),
        controller_(state_, journal_),
        scheduler_(state_, journal_, controller_) {}

  void start(const std::vector<std::string>& create_later);
  Result<void> apply(const objects::KueueEvent& event);
  Result<void> apply_until(const objects::KueueEvent& event, std::int64_t time);
  [[nodiscard]] std::int64_t now() const { return state_.now; }
  [[nodiscard]] std::vector<AdmissionTransition> take_transitions() { return journal_.take_transitions(); }
  [[nodiscard]] AdmissionAnswer answer() const;
  [[nodiscard]] const std::vector<AdmissionAnswer>& alternatives() const { return alternatives_; }

 private:
  [[nodiscard]] Diagnostics check(const objects::KueueEvent& event) const;
  /// All of an event but the time that passes.
  void happen(const objects::KueueEvent& event);
  void write_check(const objects::CheckUpdate& update);
  void replace(const objects::ClusterQueue& object);
  void replace(const objects::LocalQueue& object);
  void replace(const objects::Node& object);
  void advance(std::int64_t seconds);
  void settle();
  void tick();
  [[nodiscard]] std::uint64_t digest() const;

  objects::KueueConfiguration configuration_;
  State state_;
  Journal journal_;
  Controller controller_;
  Scheduler scheduler_;
  std::int64_t loop_ = 0;
  bool cut_short_ = false;
  std::vector<AdmissionAnswer> alternatives_;
};

/// Like a restart of Kueue: Workloads that hold quota are known before the queues.
void AdmissionSimulation::Data::start(const std::vector<std::string>& create_later) {
  const std::set<std::string> later(create_later.begin(), create_later.end());
  std::vector<WorkloadId> first, others;
  for (std::size_t i = 0; i < state_.workloads.size(); ++i) {
    WorkloadState& workload = state_.workloads[i];
    if (workload.admission) {
      first.emplace_back(i);
      workload.assigned = workload.local_queue.valid() && state_.local_queues[workload.local_queue.index()].managed;
      workload.exists = true;
      state_.cache(WorkloadId(i));
    } else if (!later.contains(workload.key)) {
      others.emplace_back(i);
    }
  }
  std::ranges::stable_sort(others, {}, [&](WorkloadId id) { return state_.workloads[id.index()].created; });
  for (const auto* const list : {&first, &others}) {
    std::ranges::for_each(*list, [&](WorkloadId id) { journal_.create(id); });
  }
  settle();
}

Diagnostics AdmissionSimulation::Data::check(const objects::KueueEvent& event) const {
  Diagnostics errors;
  const auto error = [&](std::string code, std::string message) {
    Diagnostic diagnostic;
    diagnostic.code = std::move(code);
    diagnostic.message = std::move(message);
    errors.push_back(std::move(diagnostic));
  };
  std::set<std::string> created;
  for (const std::string& key : event.create) {
    const WorkloadState* const workload = state_.find_workload(key);
    if (workload == nullptr) {
      error("unknown-workload", fmt::format("an event creates the Workload {}, which is not in the input", quote(key)));
    } else if (workload->exists || !created.insert(key).second) {
      error("duplicate-create", fmt::format("an event creates the Workload {}, which exists already", quote(key)));
    }
  }
  for (const auto* const keys : {&event.finish, &event.ready}) {
    for (const std::string& key : *keys) {
      const WorkloadState* const workload = state_.find_workload(key);
      if (workload == nullptr || (!workload->exists && !created.contains(key))) {
        error("unknown-workload", fmt::format("an event names the Workload {}, which does not exist then", quote(key)));
      }
    }
  }
  for (const objects::CheckUpdate& update : event.checks) {
    const WorkloadState* const workload = state_.find_workload(update.workload);
    if (workload == nullptr ||
        std::ranges::find(workload->checks, update.check, &CheckState::name) == workload->checks.end()) {
      error("unknown-check",
            fmt::format("an event names the admission check {} of the Workload {}, which has none then",
                        quote(update.check), quote(update.workload)));
    }
  }
  if (const auto* const queue = std::get_if<objects::ClusterQueue>(&event.replace)) {
    if (!state_.find_queue(queue->meta.name)) {
      error("unknown-queue",
            fmt::format("an event replaces the ClusterQueue {}, which is not there", quote(queue->meta.name)));
    }
  }
  if (const auto* const queue = std::get_if<objects::LocalQueue>(&event.replace)) {
    const std::string key = queue->meta.namespace_name + "/" + queue->meta.name;
    if (!state_.find_local_queue(key).valid()) {
      error("unknown-queue", fmt::format("an event replaces the LocalQueue {}, which is not there", quote(key)));
    }
  }
  return errors;
}

Result<void> AdmissionSimulation::Data::apply(const objects::KueueEvent& event) {
  if (Diagnostics errors = check(event); !errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  happen(event);
  if (event.advance_seconds > 0) {
    advance(event.advance_seconds);
  }
  settle();
  return {};
}

Result<void> AdmissionSimulation::Data::apply_until(const objects::KueueEvent& event, std::int64_t time) {
  if (Diagnostics errors = check(event); !errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  happen(event);
  controller_.drain(false);
  controller_.wake_queues();
  while (state_.now < time) {
    if (const auto timer = controller_.next_timer(state_.now)) {
      controller_.reconcile(timer->second);
      controller_.drain(false);
      controller_.wake_queues();
    } else if (const auto pass = controller_.next_second_pass();
               scheduler_.has_heads() || (pass && *pass <= time && !controller_.next_timer(*pass))) {
      tick();
    } else {
      const auto next = controller_.next_timer(time);
      state_.now = next ? next->first : time;
    }
  }
  return {};
}

void AdmissionSimulation::Data::happen(const objects::KueueEvent& event) {
  for (const std::string& key : event.create) {
    journal_.create(state_.workload_id(key));
  }
  for (const std::string& key : event.finish) {
    journal_.write(state_.workload_id(key), [&](WorkloadState& w) {
      return !w.is(ConditionType::kFinished) &&
             w.set(ConditionType::kFinished, true, "JobFinished", "Job finished successfully", state_.now);
    });
  }
  for (const std::string& key : event.ready) {
    journal_.write(state_.workload_id(key), [&](WorkloadState& w) {
      return w.is(ConditionType::kAdmitted) &&
             w.set(ConditionType::kPodsReady, true, "Started", "All pods reached readiness and the workload is running",
                   state_.now);
    });
  }
  for (const objects::CheckUpdate& update : event.checks) {
    write_check(update);
  }
  if (const auto* const queue = std::get_if<objects::ClusterQueue>(&event.replace)) {
    replace(*queue);
  } else if (const auto* const local_queue = std::get_if<objects::LocalQueue>(&event.replace)) {
    replace(*local_queue);
  } else if (const auto* const node = std::get_if<objects::Node>(&event.replace)) {
    replace(*node);
  }
}

void AdmissionSimulation::Data::write_check(const objects::CheckUpdate& update) {
  static constexpr std::array<std::string_view, 4> kStates = {"Pending", "Ready", "Retry", "Rejected"};  // by Value
  const auto value = static_cast<CheckState::Value>(std::ranges::find(kStates, update.state) - kStates.begin());
  journal_.write(state_.workload_id(update.workload), [&](WorkloadState& w) {
    const auto check = std::ranges::find(w.checks, update.check, &CheckState::name);
    if (check == w.checks.end() || check->value == value) {
      return false;
    }
    check->value = value;
    check->since = state_.now;
    return true;
  });
}

void AdmissionSimulation::Data::replace(const objects::ClusterQueue& object) {
  const std::size_t index = *state_.find_queue(object.meta.name);
  state_.replace_queue(index, object);
  scheduler_.forget_flavors();
  controller_.request_wake(QueueId(index));
  controller_.touch_all();
}

void AdmissionSimulation::Data::replace(const objects::LocalQueue& object) {
  const LocalQueueId id = state_.find_local_queue(object.meta.namespace_name + "/" + object.meta.name);
  LocalQueueState& local_queue = state_.local_queues[id.index()];
  const bool was_managed = local_queue.managed;
  const bool is_managed = object.stop_policy.empty() || object.stop_policy == "None";
  const QueueId old_queue = local_queue.queue;
  if (was_managed && !is_managed) {
    controller_.stop_local_queue(id);
  }
  local_queue.object = object;
  state_.set_queue_of(local_queue);
  if (!was_managed && is_managed) {
    controller_.start_local_queue(id);
  } else if (was_managed && is_managed) {
    controller_.move_local_queue(id, old_queue);
  }
  controller_.touch_all();
}

void AdmissionSimulation::Data::replace(const objects::Node& object) {
  state_.replace_node(object);
  for (std::size_t i = 0; i < state_.queues.size(); ++i) {
    if (state_.queues[i].active) {
      controller_.request_wake(QueueId(i));
    }
  }
  controller_.touch_all();
}

/// The virtual clock goes from timer to timer.
void AdmissionSimulation::Data::advance(std::int64_t seconds) {
  constexpr std::int64_t kMaxTimers = 20'000'000;
  const std::int64_t until = state_.now + seconds;
  std::int64_t timers = 0;
  while (const auto timer = controller_.next_timer(until)) {
    cut_short_ |= ++timers > kMaxTimers;
    if (cut_short_) {
      break;
    }
    state_.now = std::max(state_.now, timer->first);
    controller_.reconcile(timer->second);
    settle();
  }
  state_.now = std::max(state_.now, until);
}

std::uint64_t AdmissionSimulation::Data::digest() const {
  std::uint64_t sum = journal_.digest();
  for (std::size_t i = 0; i < state_.queues.size(); ++i) {
    sum += spread(state_.queues[i].pending.digest() + i);
  }
  return sum;
}

/// Runs scheduling cycles until no queue has a head, or a state comes back.
void AdmissionSimulation::Data::settle() {
  constexpr std::int64_t kMaxCycles = 20'000'000;
  alternatives_.clear();
  controller_.drain(false);
  controller_.wake_queues();
  std::unordered_map<std::uint64_t, std::int64_t> seen;
  while (scheduler_.has_heads() || controller_.next_second_pass()) {
    if (state_.cycle >= kMaxCycles) {
      cut_short_ = true;
      return;
    }
    const auto [known, is_new] = seen.try_emplace(digest(), state_.cycle);
    if (is_new) {
      tick();
      continue;
    }
    constexpr std::int64_t kMaxLoop = 1000;
    const std::int64_t length = state_.cycle - known->second;
    if (length > 1 && length <= kMaxLoop) {
      loop_ = std::max(loop_, length);
      for (std::int64_t i = 1; i < length; ++i) {
        tick();
        alternatives_.push_back(answer());
      }
      tick();  // back in the first state
    }
    return;
  }
}

void AdmissionSimulation::Data::tick() {
  ++state_.now;
  if (!scheduler_.has_heads()) {  // nothing happens before the next second pass
    state_.now = std::max(state_.now, controller_.next_second_pass().value_or(0));
  }
  ++state_.cycle;
  scheduler_.run_cycle();
  controller_.drain(true);
  controller_.wake_queues();
}

AdmissionAnswer AdmissionSimulation::Data::answer() const {
  AdmissionAnswer answer = answer_of(state_, journal_);
  answer.loop = loop_;
  answer.cut_short = cut_short_;
  return answer;
}

AdmissionSimulation::AdmissionSimulation(std::unique_ptr<Data> data) : data_(std::move(data)) {}
AdmissionSimulation::~AdmissionSimulation() = default;
AdmissionSimulation::AdmissionSimulation(AdmissionSimulation&&) noexcept = default;
AdmissionSimulation& AdmissionSimulation::operator=(AdmissionSimulation&&) noexcept = default;

Result<AdmissionSimulation> AdmissionSimulation::make(const objects::KueueObjects& input,
                                                      const objects::KueueConfiguration& configuration,
                                                      std::int64_t start_seconds,
                                                      const std::vector<std::string>& create_later) {
  constexpr std::size_t kMaxCohorts = 10'000;
  if (input.cohorts.size() > kMaxCohorts) {
    return fail("too-many-cohorts", fmt::format("{} cohorts are more than {}", input.cohorts.size(), kMaxCohorts));
  }
  auto data = std::make_unique<Data>(input, configuration, start_seconds);
  data->start(create_later);
  return AdmissionSimulation(std::move(data));
}

Result<void> AdmissionSimulation::apply(const objects::KueueEvent& event) {
  return data_->apply(event);
}
Result<void> AdmissionSimulation::apply_until(const objects::KueueEvent& event, std::int64_t time) {
  return data_->apply_until(event, time);
}
std::vector<AdmissionTransition> AdmissionSimulation::take_transitions() {
  return data_->take_transitions();
}
std::int64_t AdmissionSimulation::now() const {
  return data_->now();
}
AdmissionAnswer AdmissionSimulation::answer() const {
  return data_->answer();
}
const std::vector<AdmissionAnswer>& AdmissionSimulation::alternatives() const {
  return data_->alternatives();
}

Result<AdmissionAnswer> simulate_admission(const objects::KueueObjects& input,
                                           const objects::KueueConfiguration& configuration, std::int64_t start_seconds,
                                           const std::vector<objects::KueueEvent>& events) {
  std::vector<std::string> later;
  for (const objects::KueueEvent& event : events) {
    later.insert(later.end(), event.create.begin(), event.create.end());
  }
  auto simulation = AdmissionSimulation::make(input, configuration, start_seconds, later);
  if (!simulation) {
    return std::unexpected(std::move(simulation.error()));
  }
  for (const objects::KueueEvent& event : events) {
    if (auto applied = simulation->apply(event); !applied) {
      return std::unexpected(std::move(applied.error()));
    }
  }
  return simulation->answer();
}

}  // namespace gpusched::kueue
