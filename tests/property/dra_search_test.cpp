// The search that remembers against the plain recursion, step by step, on small random questions: same answer, same
// number of steps. The recursion itself is held against the real allocator by the conformance corpus.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/dra_builders.hpp"

namespace gpusched::dra {
namespace {

using test::DraQuestion;

/// What a run of questions is rich in; each corner of the search has its own.
struct Flavour {
  std::string name;
  bool counters = false, sharing = false, constraints = false, lists = false, set_lists = false, errors = false;
  bool all = false, admin = false, subrequests = false, many = false, groups = false, in_use = false, stable = false;
};

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  /// From 0 to n - 1.
  std::int64_t roll(std::int64_t n) { return static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(n)); }
  bool one_in(std::int64_t n) { return roll(n) == 0; }

 private:
  std::mt19937 engine_;
};

objects::Device random_device(Dice& dice, const Flavour& flavour, std::int64_t number) {
  objects::Device device = test::device(fmt::format("d{}", number), {{"kind", dice.roll(2)}});
  if (flavour.constraints && !dice.one_in(8)) device.attributes.emplace_back("v", dice.roll(3));
  if (flavour.constraints && !dice.one_in(8)) device.attributes.emplace_back("w", dice.roll(2));
  if ((flavour.lists || flavour.set_lists) && dice.one_in(2)) {
    device.attributes.emplace_back("v", std::vector<std::int64_t>{dice.roll(3), dice.roll(3)});
  }
  if (flavour.errors && !dice.one_in(4)) device.attributes.emplace_back("flag", true);
  if (flavour.counters && !dice.one_in(4)) {
    objects::CounterConsumption use{fmt::format("set{}", dice.roll(2)), {}, {}};
    use.counters.emplace_back("a", Quantity::from_int64(1 + dice.roll(3)));
    if (dice.one_in(2)) use.counters.emplace_back("b", Quantity::from_int64(1));
    if (flavour.groups && !dice.one_in(3)) use.compatibility_groups.push_back(dice.one_in(2) ? "x" : "y");
    if (flavour.groups && dice.one_in(4)) use.compatibility_groups.push_back("z");
    device.consumes_counters.push_back(std::move(use));
  }
  if (flavour.sharing && !dice.one_in(3)) {
    device.allow_multiple_allocations = true;
    objects::DeviceCapacity capacity{Quantity::from_int64(4 + dice.roll(3)), {}};
    capacity.request_policy = objects::CapacityRequestPolicy{Quantity::from_int64(1 + dice.roll(2)), {}, {}};
    device.capacity.emplace_back("mem", std::move(capacity));
  }
  if (dice.one_in(10)) device.taints.push_back({"t", "", "NoSchedule", ""});
  return device;
}

objects::DeviceRequirements random_requirements(Dice& dice, const Flavour& flavour) {
  std::vector<std::string> selectors;
  if (dice.one_in(3)) selectors.push_back(dice.one_in(2) ? "kind=0" : "kind=1");
  if (flavour.errors && dice.one_in(3)) selectors.emplace_back("flag");
  if (flavour.all && dice.one_in(3)) return test::all(std::move(selectors));
  const std::int64_t most = flavour.many && dice.one_in(2) ? 30 : 3;
  objects::DeviceRequirements wanted = test::exactly(1 + dice.roll(most), std::move(selectors));
  if (dice.one_in(6)) wanted.tolerations.push_back({"t", "Exists", "", "", {}});
  if (flavour.sharing && dice.one_in(2)) {
    wanted.capacity.emplace().requests.emplace_back("mem", Quantity::from_int64(1 + dice.roll(3)));
  }
  return wanted;
}

objects::DeviceRequest random_request(Dice& dice, const Flavour& flavour, std::size_t number) {
  const std::string name = fmt::format("r{}", number);
  if (flavour.subrequests && dice.one_in(2)) {
    std::vector<std::pair<std::string, objects::DeviceRequirements>> subrequests;
    for (std::int64_t s = 0; s < 2 + dice.roll(2); ++s) {
      subrequests.emplace_back(fmt::format("s{}", s), random_requirements(dice, flavour));
    }
    return test::first_available(name, std::move(subrequests));
  }
  objects::DeviceRequirements wanted = random_requirements(dice, flavour);
  if (flavour.many) wanted.count = std::min<std::int64_t>(wanted.count, 3);
  if (flavour.admin && dice.one_in(2)) wanted.admin_access = true;
  return test::request(name, std::move(wanted));
}

objects::ResourceClaim random_claim(Dice& dice, const Flavour& flavour, std::size_t number) {
  std::vector<objects::DeviceRequest> requests;
  for (std::int64_t r = 0; r < 1 + dice.roll(3); ++r) {
    requests.push_back(random_request(dice, flavour, static_cast<std::size_t>(r)));
  }
  objects::ResourceClaim claim = test::claim(fmt::format("c{}", number), std::move(requests));
  for (std::int64_t i = 0; flavour.constraints && i < dice.roll(3); ++i) {
    std::vector<std::string> names;
    if (dice.one_in(3)) names = {"r0", "r1/s0"};
    const std::string attribute = dice.one_in(3) ? "w" : "v";
    claim.devices.constraints.push_back(dice.one_in(2) || flavour.stable ? test::match(attribute, names)
                                                                         : test::distinct(attribute, names));
  }
  return claim;
}

DraQuestion random_question(Dice& dice, const Flavour& flavour) {
  DraQuestion question;
  question.features.list_type_attributes = flavour.set_lists;
  question.features.compatibility_groups = flavour.groups;
  if (flavour.stable) {
    question.features.consumable_capacity = question.features.fractional_capacity_range = false;
    question.features.device_binding_and_status = false;
  }
  std::vector<objects::Device> devices;
  const std::int64_t count = flavour.many ? 10 : 3 + dice.roll(5);
  for (std::int64_t d = 0; d < count; ++d) {
    // Devices alike make the repetitions that the search looks for.
    if (d > 0 && dice.one_in(2)) {
      devices.push_back(devices.back());
      devices.back().name = fmt::format("d{}", d);
    } else {
      devices.push_back(random_device(dice, flavour, d));
    }
  }
  objects::ResourceSlice counters = test::slice("a", {});
  for (int s = 0; s < 2; ++s) {
    counters.spec.shared_counters.push_back(
        {fmt::format("set{}", s),
         {{"a", Quantity::from_int64(2 + dice.roll(4))}, {"b", Quantity::from_int64(1 + dice.roll(3))}}});
  }
  objects::ResourceSlice slice = test::slice("b", std::move(devices));
  counters.spec.pool = slice.spec.pool = {"pool", 1, flavour.counters ? 2 : 1};
  if (flavour.counters) question.slices.push_back(std::move(counters));
  question.slices.push_back(std::move(slice));
  for (std::int64_t c = 0; c < 1 + dice.roll(flavour.many ? 1 : 3); ++c) {
    question.claims.push_back(random_claim(dice, flavour, static_cast<std::size_t>(c)));
  }
  if (flavour.in_use) {
    objects::ResourceClaim& held = question.allocated.emplace_back();
    objects::DeviceRequestAllocationResult& result = held.allocation.emplace().results.emplace_back();
    result.driver = test::kDriver;
    result.pool = "pool";
    result.device = "d1";
    if (dice.one_in(2)) result.share_id = "s";
  }
  return question;
}

const std::vector<Flavour> kFlavours = {
    {.name = "alike"},
    {.name = "constraints", .constraints = true},
    {.name = "counters", .counters = true, .in_use = true},
    {.name = "sharing", .counters = true, .sharing = true, .in_use = true},
    {.name = "sharing-admin", .sharing = true, .admin = true},
    {.name = "lists-without-the-feature", .constraints = true, .lists = true},
    {.name = "sets", .constraints = true, .set_lists = true},
    {.name = "errors", .constraints = true, .errors = true, .subrequests = true},
    {.name = "all", .counters = true, .constraints = true, .all = true},
    {.name = "all-subrequests", .sharing = true, .errors = true, .all = true, .subrequests = true},
    {.name = "admin", .counters = true, .all = true, .admin = true, .in_use = true},
    {.name = "subrequests", .counters = true, .constraints = true, .subrequests = true},
    {.name = "limit", .subrequests = true, .many = true},
    {.name = "groups", .counters = true, .groups = true, .in_use = true},
    {.name = "stable", .counters = true, .constraints = true, .subrequests = true, .stable = true},
};

}  // namespace

TEST_CASE("search-agrees-with-the-plain-recursion") {
  constexpr int kQuestions = 1500;
  constexpr std::uint64_t kMaxCalls = 30'000;
  for (const Flavour& flavour : kFlavours) {
    DYNAMIC_SECTION(flavour.name) {
      Dice dice(7);
      int decided = 0;
      for (int i = 0; i < kQuestions; ++i) {
        const DraQuestion question = random_question(dice, flavour);
        const AllocationAnswer plain = test::ask(question, {.max_calls = kMaxCalls, .method = SearchMethod::kPlain});
        if (plain.outcome == AllocationOutcome::kUndecided) continue;
        ++decided;
        INFO(flavour.name << " question " << i);
        for (const SearchMethod method :
             {SearchMethod::kBest, SearchMethod::kRemember, SearchMethod::kSymmetric, SearchMethod::kOrdered}) {
          const AllocationAnswer answer = test::ask(question, {.max_calls = 2 * kMaxCalls, .method = method});
          REQUIRE(test::summary(answer) == test::summary(plain));
          REQUIRE(to_string(answer.steps) == to_string(plain.steps));
          REQUIRE_FALSE(answer.steps_at_least);
        }
        for (const SearchMethod method : {SearchMethod::kBest, SearchMethod::kRemember}) {
          const AllocationAnswer bounded = test::ask(question, {.count_steps = false, .method = method});
          REQUIRE(test::summary(bounded) == test::summary(plain));
        }
      }
      CHECK(decided > kQuestions / 2);
    }
  }
}

namespace {

/// The question's node, of so many slices, again under other names of the node and its pools.
void add_twin(DraQuestion& question, std::size_t slices, std::size_t number, std::vector<NodeFacts>& nodes) {
  const std::string name = fmt::format("twin{}", number);
  nodes.push_back({name, question.node.labels, {}});
  for (std::size_t s = 0; s < slices; ++s) {
    objects::ResourceSlice slice = question.slices[s];
    slice.name += name;
    slice.spec.pool.name = name;
    slice.spec.node_name = name;
    question.slices.push_back(std::move(slice));
  }
}

std::string full_summary(const AllocationAnswer& answer) {
  std::string pools;
  for (const objects::AllocationResult& allocation : answer.allocations) {
    for (const auto& result : allocation.results) pools += " " + result.pool;
  }
  return test::summary(answer) + pools + " " + to_string(answer.steps);
}

}  // namespace

// Nodes that look the same share what was found out about one of them; an allocator that has seen nothing else says
// the same, also after devices have changed hands.
TEST_CASE("nodes-alike-have-the-answers-of-their-own") {
  constexpr int kQuestions = 150;
  for (const Flavour& flavour : kFlavours) {
    DYNAMIC_SECTION(flavour.name) {
      Dice dice(11);
      for (int i = 0; i < kQuestions; ++i) {
        DraQuestion question = random_question(dice, flavour);
        std::vector<NodeFacts> nodes;
        const std::size_t slices = question.slices.size();
        for (std::size_t n = 0; n < 4; ++n) add_twin(question, slices, n, nodes);
        InUse in_use = dra::in_use(question.allocated, question.features.consumable_capacity);
        if (dice.one_in(2)) in_use.devices.insert({std::string(test::kDriver), "twin2", "d0"});
        std::vector<const objects::ResourceClaim*> claims;
        for (const objects::ResourceClaim& claim : question.claims) claims.push_back(&claim);
        const AllocateOptions options{.max_calls = 20'000};
        test::ToySelectors selectors;
        Allocator shared({question.features, question.slices, question.classes, in_use, selectors});
        for (int round = 0; round < 3; ++round) {
          for (const NodeFacts& node : nodes) {
            INFO(flavour.name << " question " << i << " round " << round << " node " << node.name);
            Allocator fresh({question.features, question.slices, question.classes, in_use, selectors});
            const AllocationAnswer answer = shared.allocate(node, claims, options);
            REQUIRE(full_summary(answer) == full_summary(fresh.allocate(node, claims, options)));
            if (round != 1 || answer.allocations.empty() || node.name == "twin1") continue;
            in_use.add(answer.allocations.front(), question.features.consumable_capacity);
            shared.refresh(answer.allocations.front());
          }
        }
      }
    }
  }
}

TEST_CASE("searches-never-pass-the-quick-bound") {
  for (const Flavour& flavour : kFlavours) {
    Dice dice(13);
    for (int i = 0; i < 300; ++i) {
      const DraQuestion question = random_question(dice, flavour);
      const AllocationAnswer counted = test::ask(question, {.max_calls = 60'000});
      if (counted.steps_at_least || counted.steps < 2) continue;
      INFO(flavour.name << " question " << i << " steps " << to_string(counted.steps));
      const auto limit = static_cast<std::uint64_t>(counted.steps) - 1;
      // Were the bound below the limit, nothing would be counted and nothing time out.
      CHECK(test::ask(question, {.count_steps = false, .timeout_steps = limit}).times_out);
    }
  }
}

TEST_CASE("steps-of-questions-with-a-formula") {
  SECTION("one request for more than there are: every subset is tried") {
    for (const std::size_t n : {1U, 5U, 12U, 31U}) {
      DraQuestion question;
      question.slices = {test::slice("s", test::devices("d", n))};
      question.claims = {test::claim_of({static_cast<std::int64_t>(n) + 1})};
      CHECK(to_string(test::ask(question).steps) == to_string(Steps{1} << n));
    }
  }
  SECTION("requests for one device each: every order is tried") {
    for (const std::size_t n : {1U, 4U, 8U, 20U}) {
      DraQuestion question;
      question.slices = {test::slice("s", test::devices("d", n))};
      question.claims = {test::claim_of(std::vector<std::int64_t>(n + 1, 1))};
      Steps expected = 1, orders = 1;
      for (std::size_t filled = 0; filled < n; ++filled) {
        orders *= n - filled;
        expected += 2 * orders;
      }
      CHECK(to_string(test::ask(question).steps) == to_string(expected));
    }
  }
}

TEST_CASE("a-search-that-gives-up-is-undecided") {
  DraQuestion question;
  question.slices = test::mig_slices(8);
  question.claims = {
      test::claim("c", {test::request("any", test::exactly(9)), test::request("whole", test::exactly(8, {"g=7"}))})};
  SECTION("the answer may still be known") {
    const AllocationAnswer answer = test::ask(question, {.max_calls = 4000});
    CHECK(test::summary(answer) == "does-not-fit");
    CHECK(answer.steps_at_least);
    CHECK(answer.steps >= 2000U);
  }
  SECTION("never a wrong no") {
    CHECK(test::summary(test::ask(question, {.max_calls = 10})) == "undecided");
  }
}

}  // namespace gpusched::dra
