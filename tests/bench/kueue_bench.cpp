#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "bench.hpp"
#include "gpusched/io/document.hpp"
#include "gpusched/io/kueue_objects.hpp"
#include "gpusched/kueue/admission.hpp"

namespace gpusched::bench {

namespace {

struct Shape {
  std::string_view name;
  int cohorts, queues_per_cohort;
  int workloads;  ///< in all
  int quota;      ///< of each queue
  int nodes = 0;  ///< with a topology of blocks, racks and hosts
};

/// The three kinds of Workloads of Kueue's performance runner, of which a queue gets 7 : 2 : 1.
struct Kind {
  int request;
  std::int64_t runtime;
  int priority;
};
constexpr std::array<Kind, 3> kKinds = {Kind{1, 2, 50}, Kind{5, 5, 100}, Kind{20, 10, 200}};

const Kind& kind_of(int number) {
  constexpr std::array<int, 10> kMix = {0, 0, 1, 0, 0, 0, 1, 0, 0, 2};
  return kKinds[static_cast<std::size_t>(kMix[static_cast<std::size_t>(number) % kMix.size()])];
}

void decode(const std::string& json, objects::KueueObjects& objects) {
  const auto documents = io::parse_documents({"bench.json", json});
  io::Decoder decoder(documents->front());
  if (!io::decode_kueue_object(decoder, documents->front().root, objects) || decoder.failed()) {
    std::abort();
  }
}

void make_nodes(int nodes, objects::KueueObjects& objects) {
  constexpr int kHostsPerRack = 16;
  constexpr int kRacksPerBlock = 4;
  decode(R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Topology","metadata":{"name":"dc"},"spec":{"levels":[
         {"nodeLabel":"block"},{"nodeLabel":"rack"},{"nodeLabel":"kubernetes.io/hostname"}]}})",
         objects);
  for (int i = 0; i < nodes; ++i) {
    const int rack = i / kHostsPerRack;
    decode(fmt::format(R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"n{0}","labels":{{"block":"b{1}",
           "rack":"r{2}","kubernetes.io/hostname":"n{0}"}}}},"status":{{"allocatable":{{"cpu":"96","pods":"110"}},
           "conditions":[{{"type":"Ready","status":"True"}}]}}}})",
                       i, rack / kRacksPerBlock, rack),
           objects);
  }
}

objects::KueueObjects make(const Shape& shape) {
  objects::KueueObjects objects;
  decode(fmt::format(R"({{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ResourceFlavor","metadata":{{"name":"default"}},
             "spec":{{{}}}}})",
                     shape.nodes > 0 ? R"("topologyName":"dc")" : ""),
         objects);
  make_nodes(shape.nodes, objects);
  const int queues = shape.cohorts * shape.queues_per_cohort;
  for (int i = 0; i < queues; ++i) {
    decode(fmt::format(
               R"({{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"ClusterQueue","metadata":{{"name":"cq{0}"}},"spec":{{
               "cohortName":"cohort{1}","namespaceSelector":{{}},"preemption":{{"reclaimWithinCohort":"Any",
               "withinClusterQueue":"LowerPriority"}},"resourceGroups":[{{"coveredResources":["cpu"],"flavors":[{{
               "name":"default","resources":[{{"name":"cpu","nominalQuota":"{2}","borrowingLimit":"100"}}]}}]}}]}}}})",
               i, i % shape.cohorts, shape.quota),
           objects);
    decode(fmt::format(R"({{"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"LocalQueue","metadata":{{"name":"lq{0}",
               "namespace":"default"}},"spec":{{"clusterQueue":"cq{0}"}}}})",
                       i),
           objects);
  }
  for (int i = 0; i < shape.workloads; ++i) {
    const Kind& kind = kind_of(i / queues);
    objects::Workload workload;
    workload.meta.name = fmt::format("w{:06}", i);
    workload.meta.namespace_name = "default";
    workload.meta.uid = workload.meta.name;
    workload.meta.creation_timestamp = objects::Timestamp{1'900'000'000 + i, 0};
    workload.queue_name = fmt::format("lq{}", i % queues);
    workload.priority = kind.priority;
    objects::PodSet& pods = workload.pod_sets.emplace_back();
    pods.name = "main";
    pods.count = shape.nodes > 0 ? kind.request : 1;
    const std::int64_t cpu = shape.nodes > 0 ? 1 : kind.request;
    pods.spec.containers.emplace_back().resources.requests.emplace_back("cpu", Quantity::from_int64(cpu));
    if (shape.nodes > 0) {
      pods.topology.emplace().preferred = "rack";
    }
    objects.workloads.push_back(std::move(workload));
  }
  return objects;
}

/// Every Workload runs for its time once it is admitted, and starts anew after a preemption.
void run(const Shape& shape, const objects::KueueObjects& objects) {
  using Change = kueue::AdmissionTransition::Kind;
  const int queues = shape.cohorts * shape.queues_per_cohort;
  std::size_t finished = 0, released = 0;
  const double taken = seconds([&] {
    auto simulation = kueue::AdmissionSimulation::make(objects, {}, 1'900'100'000, {});
    std::vector<std::int64_t> ends(objects.workloads.size(), 0);
    std::priority_queue<std::pair<std::int64_t, std::size_t>, std::vector<std::pair<std::int64_t, std::size_t>>,
                        std::greater<>>
        running;
    objects::KueueEvent event;
    while (true) {
      for (const kueue::AdmissionTransition& transition : simulation->take_transitions()) {
        std::int64_t& end = ends[transition.workload];
        if (transition.kind == Change::kAdmitted) {
          end = transition.time + kind_of(static_cast<int>(transition.workload) / queues).runtime;
          running.emplace(end, transition.workload);
        } else if (transition.kind == Change::kReleased) {
          end = 0;
          ++released;
        }
      }
      event.finish.clear();
      while (!running.empty() && running.top().first <= simulation->now()) {
        const auto [end, workload] = running.top();
        running.pop();
        if (ends[workload] == end) {
          event.finish.push_back("default/" + objects.workloads[workload].meta.name);
          ends[workload] = 0;
          ++finished;
        }
      }
      if (running.empty() && event.finish.empty()) {
        break;
      }
      const std::int64_t next = running.empty() ? simulation->now() + 1 : running.top().first;
      if (!simulation->apply_until(event, std::max(next, simulation->now() + 1))) {
        std::abort();
      }
    }
  });
  fmt::print("{:<28} {:>7} workloads, {:>7} finished, {:>6} preempted: {:.3f} s\n", shape.name,
             objects.workloads.size(), finished, released, taken);
}

}  // namespace

void kueue_benchmark() {
  for (const Shape& shape :
       {Shape{"baseline, 5 cohorts of 6", 5, 6, 15'000, 20}, Shape{"the same, 50,000", 5, 6, 50'000, 20},
        Shape{"one queue", 1, 1, 50'000, 1'000}, Shape{"all fit at once", 1, 1, 50'000, 1'000'000},
        Shape{"topology of 640 nodes", 5, 6, 15'000, 20, 640},
        Shape{"the same, one large queue", 1, 1, 15'000, 60'000, 640}}) {
    run(shape, make(shape));
  }
}

}  // namespace gpusched::bench
