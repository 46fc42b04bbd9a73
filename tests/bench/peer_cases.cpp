#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

#include "bench.hpp"
#include "gpusched/cel/program.hpp"
#include "gpusched/dra/allocator.hpp"
#include "gpusched/dra/cel_selectors.hpp"
#include "gpusched/io/cluster_input.hpp"
#include "gpusched/io/dra_objects.hpp"
#include "gpusched/io/source.hpp"

namespace gpusched::bench {

namespace {

struct World {
  std::vector<dra::NodeFacts> nodes;
  io::DraObjects objects;
  dra::InUse in_use;
  std::vector<const objects::ResourceClaim*> wanted;
};

[[noreturn]] void give_up(const std::string& message) {
  fmt::print(stderr, "gpusched_bench: {}\n", message);
  std::exit(2);
}

World read_world(const std::string& file) {
  io::SourceReader reader({}, std::cin);
  const Result<io::ClusterInput> input = io::read_cluster_input(reader, std::vector{file}, 1);
  if (!input) give_up(input.error().front().message);
  Result<io::DraObjects> objects = io::read_dra_objects(input->dump.others);
  if (!objects) give_up(objects.error().front().message);
  World world;
  for (const io::NodeRecord& record : input->dump.nodes) world.nodes.push_back({record.node.meta.name, {}, {}});
  world.objects = std::move(*objects);
  world.in_use = dra::in_use(world.objects.claims, true);
  for (const objects::ResourceClaim& claim : world.objects.claims) {
    if (!claim.allocation) world.wanted.push_back(&claim);
  }
  return world;
}

/// The same claims for one more device of any kind.
std::vector<objects::ResourceClaim> without_conditions(std::span<const objects::ResourceClaim* const> claims) {
  std::vector<objects::ResourceClaim> modest;
  for (const objects::ResourceClaim* claim : claims) {
    objects::ResourceClaim& changed = modest.emplace_back(*claim);
    changed.devices.constraints.clear();
    for (objects::DeviceRequest& request : changed.devices.requests) {
      if (!request.exactly) continue;
      request.exactly->selectors.clear();
      ++request.exactly->count;
    }
  }
  return modest;
}

/// How many nodes have the devices, and which the first one gives.
std::string digest(const World& world, dra::Allocator& allocator) {
  std::size_t fits = 0;
  std::string first;
  for (const dra::NodeFacts& node : world.nodes) {
    const dra::AllocationAnswer answer = allocator.allocate(node, world.wanted);
    if (answer.outcome != dra::AllocationOutcome::kAllocated || fits++ != 0) continue;
    first = node.name;
    for (const objects::AllocationResult& allocation : answer.allocations) {
      for (const auto& result : allocation.results) first += " " + result.device;
    }
  }
  return fmt::format("{} {}", fits, first);
}

}  // namespace

// The first pod makes the allocator and compiles the selectors, as a scheduler that has just started. Another one wants
// something that no pod before it wanted, the next ones the same as one before, while nothing changes hands.
void dra_cases(std::span<const std::string> files) {
  for (const std::string& file : files) {
    const World world = read_world(file);
    const std::string name = std::filesystem::path(file).stem().string();
    dra::AllocateOptions options;
    options.allocations = false;
    const auto ask_for = [&](dra::Allocator& allocator, std::span<const objects::ResourceClaim* const> wanted) {
      for (const dra::NodeFacts& node : world.nodes) static_cast<void>(allocator.allocate(node, wanted, options));
    };
    const auto ask = [&](dra::Allocator& allocator) { ask_for(allocator, world.wanted); };
    const std::vector<objects::ResourceClaim> modest = without_conditions(world.wanted);
    std::vector<const objects::ResourceClaim*> other_wishes;
    for (const objects::ResourceClaim& claim : modest) other_wishes.push_back(&claim);
    std::optional<dra::CelSelectors> selectors;
    std::optional<dra::Allocator> allocator;
    const auto begin = [&] {
      allocator.reset();
      selectors.emplace(dra::Features{});
      allocator.emplace(dra::AllocatorInput{{}, world.objects.slices, world.objects.classes, world.in_use, *selectors});
    };
    const double first = median_seconds([&] {
      begin();
      ask(*allocator);
    });
    const double other = median_seconds([&] { ask(*allocator); },
                                        [&] {
                                          begin();
                                          ask_for(*allocator, other_wishes);
                                        });
    const double next = median_seconds([&] { ask(*allocator); });
    const double nodes = static_cast<double>(world.nodes.size());
    fmt::print("{}\t{:.1f}\t{:.1f}\t{:.1f}\t{}\n", name, first / nodes * 1e9, other / nodes * 1e9, next / nodes * 1e9,
               digest(world, *allocator));
  }
}

void cel_cases(std::span<const std::string> files) {
  for (const std::string& file : files) {
    const World world = read_world(file);
    std::ifstream lines(std::filesystem::path(file).replace_extension(".txt"));
    std::vector<std::pair<std::string_view, const objects::Device*>> devices;
    for (const objects::ResourceSlice& slice : world.objects.slices) {
      for (const objects::Device& device : slice.spec.devices) devices.emplace_back(slice.spec.driver, &device);
    }
    std::string expression;
    for (std::size_t i = 0; std::getline(lines, expression); ++i) {
      // Each evaluator sees the devices for the first time once: what it finds out is what a new selector costs.
      std::size_t matches = 0;
      std::optional<dra::CelSelectors> selectors;
      std::vector<std::size_t> numbers;
      std::vector<double> times;
      for (int run = 0; run < 9; ++run) {
        selectors.emplace(dra::Features{});
        numbers.clear();
        for (const auto& [driver, device] : devices) numbers.push_back(selectors->add_device(driver, *device));
        const std::size_t selector = selectors->compile(expression);
        if (!selectors->compile_error(selector).empty()) give_up(selectors->compile_error(selector));
        matches = 0;
        times.push_back(seconds([&] {
          for (const std::size_t d : numbers) matches += selectors->evaluate(selector, d).match ? 1 : 0;
        }));
      }
      std::ranges::sort(times);
      const std::size_t selector = selectors->compile(expression);
      std::size_t again = 0;
      const double repeated = median_seconds([&] {
        for (const std::size_t d : numbers) again += selectors->evaluate(selector, d).match ? 1 : 0;
      });
      if (again % std::max<std::size_t>(matches, 1) != 0) give_up("an evaluation changed its answer");
      const double count = static_cast<double>(devices.size());
      fmt::print("selector-{}\t{:.1f}\t{:.1f}\t{}\n", i, times[times.size() / 2] / count * 1e9, repeated / count * 1e9,
                 matches);
    }
  }
}

}  // namespace gpusched::bench
