#include "support/random_cluster.hpp"

#include <array>
#include <string_view>

namespace gpusched::testing {

namespace {

constexpr std::array<std::string_view, 3> kModels = {"A100-SXM4-80GB", "H100-SXM5-80GB", "L40S"};
constexpr std::array<std::string_view, 2> kZones = {"a", "b"};
constexpr std::array<std::string_view, 2> kResources = {"example.com/license", "example.com/nic"};

const std::array<std::vector<std::string>, 5> kLayouts = {{
    {"1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"},
    {"3g.40gb", "3g.40gb"},
    {"1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb"},
    {"7g.80gb"},
    {"2g.20gb", "2g.20gb"},
}};

std::vector<std::vector<int>> random_islands(Random& random, int count) {
  std::vector<std::vector<int>> islands;
  const int size = random.between(1, count);
  for (int gpu = 0; gpu < count; ++gpu) {
    if (gpu % size == 0) {
      islands.emplace_back();
    }
    islands.back().push_back(gpu);
  }
  if (random.one_in(3)) {
    islands.pop_back();  // the rest are islands of their own
  }
  return islands;
}

}  // namespace

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

NodeSpec random_node(Random& random, const std::string& name, const Variety& variety) {
  NodeSpec spec(name);
  const auto count = [&] { return random.between(1, variety.max_gpus); };
  switch (random.below(7)) {
    case 0:
      spec.gpus(count(), "L4", 24).time_slicing(random.between(2, 4));
      break;
    case 1: {
      const int gpus = random.between(1, 2);
      std::vector<std::vector<std::string>> layouts;
      for (int i = 0; i < gpus; ++i) {
        layouts.push_back(random.pick(kLayouts));
      }
      spec.gpus(gpus).mig(std::move(layouts));
      break;
    }
    case 2: {
      const int gpus = count();
      spec.gpus(gpus).islands(random_islands(random, gpus)).gpus(random.between(1, 2), "L4", 24).time_slicing(2);
      break;
    }
    case 3:
      break;  // no GPU
    default: {
      const int gpus = count();
      spec.gpus(gpus, random.pick(kModels), random.one_in(3) ? 48 : 80).islands(random_islands(random, gpus));
    }
  }
  if (!random.one_in(3)) {
    spec.allocatable("cpu", random.between(0, 16) * 500).allocatable("memory", std::int64_t{random.below(64)} << 30);
  }
  if (random.one_in(6)) {
    spec.allocatable("pods", random.below(4));
  }
  for (const std::string_view resource : kResources) {
    if (random.one_in(4)) {
      spec.allocatable(resource, random.below(3));
    }
  }
  if (variety.rules) {
    spec.label("zone", random.pick(kZones));
    if (random.one_in(6)) {
      spec.taint("dedicated", random.pick(kZones));
    }
    if (random.one_in(10)) {
      spec.cordoned();
    }
  }
  return spec;
}

std::vector<NodeSpec> random_nodes(Random& random, const Variety& variety) {
  std::vector<NodeSpec> nodes;
  for (int i = random.between(1, variety.max_nodes); i > 0; --i) {
    nodes.push_back(random_node(random, "n" + std::to_string(i), variety));
  }
  random.shuffle(nodes);
  return nodes;
}

PodSpec random_pod(Random& random, const std::string& name, const Variety& variety) {
  PodSpec spec(name);
  switch (random.below(8)) {
    case 0:
      break;  // no GPU
    case 1:
      spec.mig(random.pick(std::array{"1g.10gb", "2g.20gb"}), random.between(1, 2));
      if (random.one_in(3)) {
        spec.mig("3g.40gb");
      }
      break;
    case 2:
      spec.gpus(random.between(1, 2)).shared();
      break;
    default:
      spec.gpus(random.one_in(2) ? 1 : random.between(1, variety.max_gpus));
      if (random.one_in(4)) {
        spec.nvlink();
      }
      if (variety.fractions && random.one_in(5)) {
        spec.milli(250 * random.between(1, 3));
      }
  }
  if (random.one_in(4)) {
    spec.model(random.one_in(3) ? "B200" : random.pick(kModels));
  }
  if (random.one_in(2)) {
    spec.memory_gib(random.pick(std::array{4, 10, 20, 40, 64}));
  }
  if (random.one_in(3)) {
    spec.gradient_gb(random.between(1, 20));
  }
  if (random.one_in(2)) {
    spec.requests("cpu", random.between(0, 8) * 250).requests("memory", std::int64_t{random.below(8)} << 30);
  }
  for (const std::string_view resource : kResources) {
    if (random.one_in(8)) {
      spec.requests(resource, 1);
    }
  }
  if (variety.rules) {
    if (random.one_in(6)) {
      spec.selects("zone", random.pick(kZones));
    }
    if (random.one_in(4)) {
      spec.tolerates("dedicated", random.pick(kZones));
    }
    if (random.one_in(15)) {
      spec.tolerates_all();
    }
  }
  if (variety.priorities) {
    spec.priority(random.below(4));
    if (random.one_in(6)) {
      spec.never_preempts();
    }
  }
  return spec;
}

std::vector<PodSpec> random_pods(Random& random, int count, const Variety& variety) {
  std::vector<PodSpec> pods;
  for (int i = 0; i < count; ++i) {
    pods.push_back(random_pod(random, "p" + std::to_string(i), variety));
  }
  return pods;
}

placement::Options random_options(Random& random) {
  placement::Options options;
  options.view = random.one_in(3) ? placement::View::kExtended : placement::View::kGpu;
  options.policy = static_cast<placement::Policy>(random.below(options.view == placement::View::kGpu ? 3 : 2));
  if (options.policy != placement::Policy::kTopology && random.one_in(4)) {
    scoring::ScoringStrategy strategy;
    strategy.type = random.one_in(2) ? scoring::StrategyType::kMostAllocated : scoring::StrategyType::kLeastAllocated;
    strategy.resources = {{kNvidiaGpu, random.between(1, 10)}, {kCpu, 1}, {kMemory, 1}};
    options.scoring = strategy;
  }
  options.order = static_cast<placement::Order>(random.below(3));
  options.requeue_evicted = random.one_in(2);
  return options;
}

}  // namespace gpusched::testing
