#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <utility>

#include "bench.hpp"
#include "gpusched/io/cluster_input.hpp"
#include "gpusched/io/scheduler_input.hpp"
#include "gpusched/io/source.hpp"
#include "gpusched/kubescheduler/pod_series.hpp"

namespace gpusched::bench {

namespace {

using kubescheduler::PodIndex;
using kubescheduler::PodTurn;
using kubescheduler::Snapshot;

Snapshot read_snapshot(const std::string& file) {
  io::SourceReader reader({}, std::cin);
  const Result<io::ClusterInput> input = io::read_cluster_input(reader, std::vector{file}, 1);
  io::SchedulerInputReader gather("default");
  if (input) gather.add(input->dump);
  Result<io::SchedulerInput> objects = std::move(gather).finish();
  if (!input || !objects) {
    fmt::print(stderr, "gpusched_bench: {}\n", (input ? objects.error() : input.error()).front().message);
    std::exit(2);
  }
  return Snapshot(std::move(objects->cluster));
}

}  // namespace

// The snapshot is what the scheduler's informers hold before its loop starts; all that comes after is measured. The
// fastest run counts, as it does for the peer.
void scheduler_cases(std::span<const std::string> files) {
  for (const std::string& file : files) {
    const Snapshot start = read_snapshot(file);
    std::vector<PodIndex> pods;
    for (std::size_t i = 0; i < start.pods().size(); ++i) {
      if (!start.pod(PodIndex(i)).node.valid()) pods.emplace_back(i);
    }
    std::vector<PodTurn> turns;
    std::vector<double> times;
    for (int run = 0; run < 9; ++run) {
      Snapshot snapshot = start;
      times.push_back(seconds([&] { turns = schedule_in_turn(snapshot, pods, {}); }));
    }
    fmt::print("{}\t{:.0f}\t{} pods\n", std::filesystem::path(file).stem().string(), std::ranges::min(times) * 1e9,
               std::ranges::count_if(turns, [](const PodTurn& turn) { return turn.node.valid(); }));
  }
}

}  // namespace gpusched::bench
