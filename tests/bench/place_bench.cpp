#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "bench.hpp"
#include "gpusched/frag/fragmentation.hpp"
#include "gpusched/io/model_reader.hpp"
#include "gpusched/placement/place.hpp"

namespace gpusched::bench {

namespace {

io::Model read(const std::string& cluster, const std::string& pods) {
  io::ModelReader reader;
  const auto cluster_documents = io::parse_documents({"cluster.json", cluster});
  const auto pod_documents = io::parse_documents({"pods.json", pods});
  reader.read_cluster(cluster_documents->front());
  reader.read_pods(pod_documents->front());
  Result<io::Model> model = std::move(reader).finish();
  if (!model) {
    fmt::print(stderr, "{}\n", model.error().front().message);
    std::exit(2);
  }
  return std::move(*model);
}

struct Case {
  std::string_view name;
  placement::Options options;
};

std::array<Case, 6> cases() {
  using placement::Policy;
  using placement::View;
  placement::Options scored;
  scored.view = View::kExtended;
  scored.scoring =
      scoring::ScoringStrategy{scoring::StrategyType::kMostAllocated, {{kNvidiaGpu, 10}, {kCpu, 1}, {kMemory, 1}}, {}};
  const auto options = [](View view, Policy policy) {
    placement::Options result;
    result.view = view;
    result.policy = policy;
    return result;
  };
  return {{{"binpack", options(View::kGpu, Policy::kBinpack)},
           {"spread", options(View::kGpu, Policy::kSpread)},
           {"topology", options(View::kGpu, Policy::kTopology)},
           {"binpack, extended", options(View::kExtended, Policy::kBinpack)},
           {"spread, extended", options(View::kExtended, Policy::kSpread)},
           {"MostAllocated, GPU weight 10", scored}}};
}

constexpr int kNodes = 5'000;
constexpr int kPods = 10'000;

}  // namespace

void place_benchmark() {
  const std::string cluster = cluster_fixture(kNodes);
  const std::string pods = pod_fixture(kPods);
  fmt::print("place: {} one-GPU pods on {} nodes of 8 GPUs\n", kPods, kNodes);
  for (const Case& test : cases()) {
    std::optional<io::Model> model;
    const double load = seconds([&] { model.emplace(read(cluster, pods)); });
    std::size_t unplaced = 0;
    const double decide =
        seconds([&] { unplaced = placement::place_pods(model->usage, model->pods, test.options).unplaced(); });
    fmt::print("  {:<30} load {:6.1f} ms  decide {:6.1f} ms  total {:6.1f} ms  {:>9.0f} pods/s  ({} unplaced)\n",
               test.name, load * 1e3, decide * 1e3, (load + decide) * 1e3, kPods / decide, unplaced);
  }
}

void frag_benchmark() {
  constexpr std::array kSizes = {1, 2, 4, 8};
  io::Model model = read(cluster_fixture(kNodes), pod_fixture(kPods));
  placement::Options options;
  options.policy = placement::Policy::kSpread;
  static_cast<void>(placement::place_pods(model.usage, model.pods, options));
  frag::Fragmentation result;
  const double all = seconds([&] { result = frag::fragmentation(model.usage, kSizes); });
  std::vector<frag::Group> groups;
  const double by = seconds([&] { groups = frag::fragmentation_by(model.usage, kSizes, frag::GroupBy::kModel); });
  fmt::print("frag: {} GPUs, {} free: {:.2f} ms, by model {:.2f} ms ({} groups)\n", result.exclusive.total,
             result.exclusive.free, all * 1e3, by * 1e3, groups.size());
}

}  // namespace gpusched::bench
