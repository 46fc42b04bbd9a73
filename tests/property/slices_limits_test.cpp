// Every limit of the API server holds for the slices of random clusters, and pools are complete.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/dra/slices.hpp"
#include "gpusched/mig/board.hpp"
#include "gpusched/mig/layout.hpp"
#include "gpusched/model/shape_builder.hpp"

namespace gpusched::dra {
namespace {

/// Standard distributions differ between libraries, the engine does not.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(engine_()) % bound; }
  bool one_in(std::uint32_t n) { return below(n) == 0; }

 private:
  std::mt19937 engine_;
};

BoardId random_board(ShapeBuilder& builder, Random& random) {
  Board board;
  if (random.one_in(3)) {
    const std::string_view names[] = {"L4", "T4", "MI300X", "A100", "NVIDIA-L40S", "H100-SXM5-80GB"};
    board.model = builder.text(names[random.below(6)]);
    board.memory_mib = static_cast<std::int32_t>(random.below(200'000));
  } else {
    board.mig_board = static_cast<std::uint16_t>(random.below(static_cast<std::uint32_t>(mig::boards().size())));
    const mig::Board& geometry = mig::boards()[board.mig_board];
    board.model = builder.text(geometry.products[random.below(static_cast<std::uint32_t>(geometry.products.size()))]);
    board.memory_mib = static_cast<std::int32_t>(geometry.memory_total_mib);
  }
  if (random.one_in(20)) board.model = {};
  return builder.board(board);
}

/// Instances of random profiles as long as something fits and luck lasts.
void add_instances(ShapeBuilder& builder, Random& random, NodeClass& node_class, const mig::Board& geometry) {
  mig::Occupancy occupancy(geometry);
  while (!random.one_in(5)) {
    const mig::ProfileSet fitting = occupancy.fitting();
    if (fitting.empty()) return;
    std::vector<mig::ProfileIndex> choices;
    for (const mig::ProfileIndex profile : fitting) choices.push_back(profile);
    const mig::ProfileIndex profile = choices[random.below(static_cast<std::uint32_t>(choices.size()))];
    const mig::Profile& row = geometry.profiles[profile];
    MigInstance instance;
    instance.profile = builder.text(row.name);
    instance.resource = builder.resource("nvidia.com/mig-" + std::string(row.name));
    instance.gpu = static_cast<std::uint16_t>(node_class.gpus.size() - 1);
    instance.start = *occupancy.lowest_start(profile);
    instance.memory_slices = row.memory_slices;
    instance.compute_slices = row.compute_slices;
    instance.mig_profile = profile;
    instance.memory_mib = static_cast<std::int32_t>(row.memory_mib);
    occupancy.add({profile, instance.start});
    node_class.instances.push_back(instance);
  }
}

NodeClassId random_node_class(ShapeBuilder& builder, Random& random) {
  NodeClass node_class;
  const std::uint32_t sizes[] = {0, 1, 2, 4, 8, 16, 17, 65, 130};
  const std::uint32_t count = sizes[random.below(random.one_in(4) ? 9 : 6)];
  const BoardId common = random_board(builder, random);
  for (std::uint32_t i = 0; i < count; ++i) {
    Gpu gpu;
    gpu.board = random.one_in(5) ? random_board(builder, random) : common;
    gpu.island = static_cast<std::uint16_t>(random.below(4));
    gpu.numa_node = static_cast<std::int16_t>(random.below(3)) - 1;
    gpu.replicas = static_cast<std::uint16_t>(1 + random.below(4));
    const std::uint16_t mig_board = builder.shape().boards[gpu.board.index()].mig_board;
    gpu.mig = mig_board != kNoMigBoard && random.one_in(2);
    node_class.gpus.push_back(gpu);
    if (gpu.mig) add_instances(builder, random, node_class, mig::boards()[mig_board]);
  }
  return builder.node_class(std::move(node_class));
}

ClusterShape random_cluster(Random& random) {
  ShapeBuilder builder;
  const std::uint32_t nodes = 1 + random.below(5);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    std::string name = "node-" + std::to_string(i);
    if (random.one_in(3)) name += "." + std::string(1 + random.below(200), 'x') + ".example";
    builder.node(name, random_node_class(builder, random));
  }
  return *std::move(builder).build();
}

SliceOptions random_options(Random& random) {
  SliceOptions options;
  options.style = random.one_in(2) ? SliceStyle::kNvidia : SliceStyle::kLesson;
  options.dynamic_mig = random.one_in(2);
  options.kubernetes_minor = 34 + static_cast<int>(random.below(4));
  return options;
}

std::size_t distinct_sets(const objects::Device& device) {
  std::set<std::string_view> sets;
  for (const auto& consumption : device.consumes_counters) sets.insert(consumption.counter_set);
  return sets.size();
}

void check_device(const objects::Device& device, std::string_view pool) {
  INFO("device " << device.name << " of " << pool);
  CHECK((!device.name.empty() && device.name.size() <= 63));
  CHECK(device.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
  CHECK(device.attributes.size() + device.capacity.size() <= 32);
  CHECK(device.consumes_counters.size() <= 2);
  CHECK(distinct_sets(device) == device.consumes_counters.size());
  std::set<std::string_view> names;
  for (const auto& [name, value] : device.attributes) {
    CHECK(names.insert(name).second);
    const std::size_t slash = name.find('/');
    CHECK((slash == std::string::npos ? name : name.substr(slash + 1)).size() <= 32);
    if (const auto* text = std::get_if<std::string>(&value)) CHECK((!text->empty() && text->size() <= 64));
  }
  for (const auto& [name, value] : device.capacity) {
    CHECK(name.size() <= 32);
    CHECK(value.value.sign() >= 0);
  }
}

struct Pool {
  std::int64_t slices = 0, declared = 0;
  std::set<std::string> devices;
  std::map<std::string, std::map<std::string, Quantity>> sets;
  std::vector<objects::Device> list;
};

void check_slice(const objects::ResourceSlice& slice, const SliceOptions& options) {
  INFO("slice " << slice.name);
  CHECK(slice.name.size() <= 253);
  CHECK(slice.spec.driver.size() <= 63);
  CHECK(slice.spec.node_name == slice.spec.pool.name);
  CHECK(slice.spec.pool.resource_slice_count > 0);
  CHECK(slice.spec.shared_counters.size() <= 8);
  CHECK_FALSE((slice.spec.devices.empty() && slice.spec.shared_counters.empty()));
  if (options.kubernetes_minor >= 35) CHECK((slice.spec.devices.empty() || slice.spec.shared_counters.empty()));
  const bool counters =
      std::ranges::any_of(slice.spec.devices, [](const auto& d) { return !d.consumes_counters.empty(); });
  CHECK(slice.spec.devices.size() <= (counters ? 64U : 128U));
  for (const auto& set : slice.spec.shared_counters) {
    CHECK((!set.counters.empty() && set.counters.size() <= 32));
    CHECK(set.name.size() <= 63);
  }
  std::size_t consumed = 0;
  for (const auto& device : slice.spec.devices) {
    check_device(device, slice.spec.pool.name);
    for (const auto& consumption : device.consumes_counters) consumed += consumption.counters.size();
  }
  CHECK(consumed <= 1024);  // the limit of 1.34, for all devices of a slice
}

/// Devices consume known counters only, and no more than there is.
void check_counters(const Pool& pool) {
  for (const objects::Device& device : pool.list) {
    for (const auto& consumption : device.consumes_counters) {
      const auto set = pool.sets.find(consumption.counter_set);
      REQUIRE(set != pool.sets.end());
      CHECK((!consumption.counters.empty() && consumption.counters.size() <= 32));
      for (const auto& [name, value] : consumption.counters) {
        const auto counter = set->second.find(name);
        REQUIRE(counter != set->second.end());
        CHECK(value <= counter->second);
      }
    }
  }
}

std::map<std::string, Pool> pools_of(const std::vector<objects::ResourceSlice>& slices) {
  std::map<std::string, Pool> pools;
  for (const auto& slice : slices) {
    Pool& pool = pools[slice.spec.pool.name];
    ++pool.slices;
    CHECK((pool.declared == 0 || pool.declared == slice.spec.pool.resource_slice_count));
    pool.declared = slice.spec.pool.resource_slice_count;
    for (const auto& device : slice.spec.devices) {
      CHECK(pool.devices.insert(device.name).second);
      pool.list.push_back(device);
    }
    for (const auto& set : slice.spec.shared_counters) {
      CHECK(pool.sets.emplace(set.name, std::map<std::string, Quantity>(set.counters.begin(), set.counters.end()))
                .second);
    }
  }
  return pools;
}

/// What a node must publish when nothing is dynamic.
std::size_t expected_devices(const NodeClass& node_class) {
  const auto whole = std::ranges::count_if(node_class.gpus, [](const Gpu& gpu) { return !gpu.mig; });
  return static_cast<std::size_t>(whole) + node_class.instances.size();
}

TEST_CASE("slices-of-random-clusters-keep-the-limits", "[dra][slices]") {
  for (std::uint32_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const ClusterShape shape = random_cluster(random);
    const SliceOptions options = random_options(random);
    const auto slices = slices_of(shape, options);
    REQUIRE(slices);
    CHECK(*slices == *slices_of(shape, options));

    std::set<std::string> names;
    for (const auto& slice : *slices) {
      CHECK(names.insert(slice.name).second);
      check_slice(slice, options);
    }
    const auto pools = pools_of(*slices);
    for (const auto& [name, pool] : pools) {
      CHECK(pool.slices == pool.declared);
      check_counters(pool);
    }
    const bool is_dynamic = options.style == SliceStyle::kNvidia && options.dynamic_mig;
    for (const Node& node : shape.nodes) {
      const auto pool = pools.find(std::string(shape.text(node.name)));
      const std::size_t published = pool == pools.end() ? 0 : pool->second.devices.size();
      const std::size_t expected = expected_devices(shape.node_classes[node.node_class.index()]);
      if (is_dynamic) {
        CHECK((expected == 0 || published > 0));
      } else {
        CHECK(published == expected);
      }
    }
  }
}

TEST_CASE("slice-names-sort-in-publishing-order", "[dra][slices]") {
  ShapeBuilder builder;
  NodeClass node_class;
  Board board;
  board.model = builder.text("L4");
  node_class.gpus.assign(1500, Gpu{.board = builder.board(board)});
  builder.node("n", builder.node_class(std::move(node_class)));
  const auto slices = slices_of(*std::move(builder).build(), {});
  REQUIRE(slices);
  REQUIRE(slices->size() == 12);
  CHECK(std::ranges::is_sorted(*slices, {}, &objects::ResourceSlice::name));
}

}  // namespace
}  // namespace gpusched::dra
