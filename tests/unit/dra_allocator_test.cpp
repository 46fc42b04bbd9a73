#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

#include "support/dra_builders.hpp"

namespace gpusched::dra {
namespace {

using test::DraQuestion;

DraQuestion question(std::vector<objects::Device> devices, std::vector<objects::ResourceClaim> claims) {
  DraQuestion question;
  question.slices = {test::slice("s", std::move(devices))};
  question.claims = std::move(claims);
  return question;
}

struct Case {
  std::string name;
  DraQuestion question;
  std::string expected;
  std::uint64_t steps;
};

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    DYNAMIC_SECTION(c.name) {
      const AllocationAnswer answer = test::ask(c.question);
      CHECK(test::summary(answer) == c.expected);
      CHECK(to_string(answer.steps) == std::to_string(c.steps));
    }
  }
}

/// The question with something changed.
DraQuestion changed(DraQuestion question, const std::function<void(DraQuestion&)>& change) {
  change(question);
  return question;
}

objects::Device on_island(std::string name, std::int64_t island) {
  return test::device(std::move(name), {{"island", island}});
}

objects::ResourceClaim pair_on_one_island() {
  objects::ResourceClaim claim = test::claim_of({2});
  claim.devices.constraints = {test::match("island")};
  return claim;
}

}  // namespace

TEST_CASE("allocator-counts") {
  check({
      {"no-claims", question(test::devices("d", 1), {}), "", 1},
      {"first-devices-in-order", question(test::devices("d", 3), {test::claim_of({2})}), "r0=d0,d1", 5},
      {"two-requests", question(test::devices("d", 3), {test::claim_of({1, 2})}), "r0=d0 r1=d1,d2", 7},
      {"two-claims-share-nothing",
       question(test::devices("d", 2), {test::claim_of({1}), test::claim("e", {test::request("x", test::exactly(1))})}),
       "r0=d0 | x=d1", 7},
      {"too-few", question(test::devices("d", 2), {test::claim_of({3})}), "does-not-fit", 4},
      {"thirty-two-at-most", question(test::devices("d", 40), {test::claim_of({33})}),
       "error: claim default/c, request r0: adding 33 devices exceeds the claim limit of 32, with 0 already accounted "
       "for",
       0},
  });
}

TEST_CASE("allocator-constraints") {
  const std::vector<objects::Device> islands = {on_island("a", 0), on_island("b", 1), on_island("c", 1)};
  objects::ResourceClaim apart = test::claim_of({2});
  apart.devices.constraints = {test::distinct("island")};
  objects::ResourceClaim of_other_request = test::claim_of({2});
  of_other_request.devices.constraints = {test::match("island", {"elsewhere"})};
  check({
      {"match-attribute", question(islands, {pair_on_one_island()}), "r0=b,c", 6},
      {"distinct-attribute", question(islands, {apart}), "r0=a,b", 5},
      {"a-constraint-of-another-request", question(islands, {of_other_request}), "r0=a,b", 5},
      {"attribute-missing", question(test::devices("d", 3), {pair_on_one_island()}), "does-not-fit", 1},
      {"all-that-breaks-a-constraint",
       changed(question(islands, {pair_on_one_island()}),
               [](DraQuestion& q) { q.claims[0].devices.requests = {test::request("r0", test::all())}; }),
       "error: claim default/c, request r0: cannot add device d.example.com/s/b because a claim constraint would not "
       "be "
       "satisfied",
       2},
  });
}

TEST_CASE("allocator-first-available") {
  objects::ResourceClaim claim = test::claim(
      "c", {test::first_available("gpus",
                                  {{"pair", test::exactly(2)}, {"two", test::exactly(2)}, {"one", test::exactly(1)}})});
  claim.devices.constraints = {test::match("island", {"gpus/pair"})};
  check({
      {"the-first-that-works", question({on_island("a", 0), on_island("b", 0)}, {claim}), "gpus/pair=a,b", 6},
      {"the-second", question({on_island("a", 0), on_island("b", 1)}, {claim}), "gpus/two=a,b", 9},
      {"the-last", question({on_island("a", 0)}, {claim}), "gpus/one=a", 9},
  });
}

TEST_CASE("allocator-in-use") {
  const auto held = [](const char* device, bool share, bool admin) {
    objects::ResourceClaim claim;
    objects::DeviceRequestAllocationResult& result = claim.allocation.emplace().results.emplace_back();
    result.driver = test::kDriver;
    result.pool = "s";
    result.device = device;
    if (share) result.share_id = "u";
    if (admin) result.admin_access = true;
    return claim;
  };
  const DraQuestion plain = question(test::devices("d", 2), {test::claim_of({1})});
  check({
      {"held-by-a-claim", changed(plain, [&](DraQuestion& q) { q.allocated = {held("d0", false, false)}; }), "r0=d1",
       4},
      {"admin-access-holds-nothing", changed(plain, [&](DraQuestion& q) { q.allocated = {held("d0", false, true)}; }),
       "r0=d0", 4},
      {"a-share-holds-nothing-whole", changed(plain, [&](DraQuestion& q) { q.allocated = {held("d0", true, false)}; }),
       "r0=d0", 4},
      {"admin-access-takes-what-is-held",
       changed(plain,
               [&](DraQuestion& q) {
                 q.allocated = {held("d0", false, false)};
                 q.claims[0].devices.requests[0].exactly->admin_access = true;
               }),
       "r0=d0", 4},
  });
}

TEST_CASE("allocator-selectors") {
  const auto with = [](std::vector<std::string> selectors) {
    return test::claim("c", {test::request("r", test::exactly(1, std::move(selectors)))});
  };
  const std::vector<objects::Device> devices = {test::device("a", {{"n", std::int64_t{1}}}),
                                                test::device("b", {{"n", std::int64_t{2}}, {"flag", true}})};
  check({
      {"a-selector", question(devices, {with({"n=2"})}), "r=b", 4},
      {"an-error-that-is-reached", question(devices, {with({"flag"})}),
       "error: claim default/c: selector #0 on device d.example.com/s/a: CEL runtime error: no such key: flag. "
       "consider "
       "using CEL optional chaining (.? followed by orValue()) or guarding the check with has() for optional fields",
       1},
      {"a-false-selector-guards-the-next", question(devices, {with({"n=2", "flag"})}), "r=b", 4},
      {"does-not-compile", question(devices, {with({"bad"})}),
       "error: claim default/c: selector #0: CEL compile error: compilation failed", 1},
      {"no-device-no-error", question({}, {with({"bad"})}), "does-not-fit", 1},
  });
}

TEST_CASE("allocator-taints") {
  std::vector<objects::Device> devices = test::devices("d", 2);
  devices[0].taints = {{"broken", "", "NoSchedule", ""}};
  objects::ResourceClaim tolerant = test::claim_of({1});
  tolerant.devices.requests[0].exactly->tolerations = {{"broken", "Exists", "", "", {}}};
  std::vector<objects::Device> harmless = test::devices("d", 1);
  harmless[0].taints = {{"note", "", "None", ""}};
  check({
      {"untolerated", question(devices, {test::claim_of({1})}), "r0=d1", 4},
      {"tolerated", question(devices, {tolerant}), "r0=d0", 4},
      {"effect-none", question(harmless, {test::claim_of({1})}), "r0=d0", 4},
  });
}

TEST_CASE("allocator-partitions") {
  DraQuestion mig;
  mig.slices = test::mig_slices(1);
  const auto want = [](std::vector<std::pair<std::int64_t, std::string>> parts) {
    std::vector<objects::DeviceRequest> requests;
    for (auto& [count, selector] : parts) {
      requests.push_back(test::request("r" + std::to_string(requests.size()), test::exactly(count, {selector})));
    }
    return test::claim("c", std::move(requests));
  };
  const auto asks = [&](std::vector<std::pair<std::int64_t, std::string>> parts) {
    return changed(mig, [&](DraQuestion& q) { q.claims = {want(std::move(parts))}; });
  };
  CHECK(test::summary(test::ask(asks({{7, "g=1"}}))) ==
        "r0=gpu-0-mig-1g10gb-0,gpu-0-mig-1g10gb-1,gpu-0-mig-1g10gb-2,gpu-0-mig-1g10gb-3,gpu-0-mig-1g10gb-4,"
        "gpu-0-mig-1g10gb-5,gpu-0-mig-1g10gb-6");
  CHECK(test::summary(test::ask(asks({{1, "g=7"}, {1, "g=1"}}))) == "does-not-fit");
  CHECK(test::summary(test::ask(asks({{1, "g=3"}, {1, "g=4"}}))) == "r0=gpu-0-mig-3g40gb-4 r1=gpu-0-mig-4g40gb-0");
}

TEST_CASE("allocator-shares") {
  std::vector<objects::Device> devices = test::devices("d", 2);
  devices[0].allow_multiple_allocations = true;
  devices[0].capacity = {{"mem", {Quantity::from_int64(4), {}}}};
  const auto asks = [&](std::vector<std::int64_t> amounts) {
    std::vector<objects::DeviceRequest> requests;
    for (const std::int64_t amount : amounts) {
      objects::DeviceRequirements wanted = test::exactly(1);
      wanted.capacity.emplace().requests = {{"mem", Quantity::from_int64(amount)}};
      requests.push_back(test::request("r" + std::to_string(requests.size()), std::move(wanted)));
    }
    return question(devices, {test::claim("c", std::move(requests))});
  };
  const AllocationAnswer shared = test::ask(asks({1, 3}), {.seed = 7});
  REQUIRE(test::summary(shared) == "r0=d0 r1=d0");
  const std::vector<objects::DeviceRequestAllocationResult>& results = shared.allocations[0].results;
  CHECK(results[0].share_id->size() == 36);
  CHECK(results[0].share_id != results[1].share_id);
  REQUIRE(results[1].consumed_capacity->size() == 1);
  CHECK(results[1].consumed_capacity->front().second.to_string() == "3");
  CHECK(test::summary(test::ask(asks({2, 3}))) == "does-not-fit");
  // The same seed, the same ids.
  CHECK(test::ask(asks({1, 3}), {.seed = 7}).allocations == shared.allocations);
}

TEST_CASE("allocator-pools") {
  const DraQuestion plain = question(test::devices("d", 1), {test::claim_of({1})});
  check({
      {"incomplete", changed(plain, [](DraQuestion& q) { q.slices[0].spec.pool.resource_slice_count = 2; }),
       "does-not-fit", 1},
      {"incomplete-and-all",
       changed(plain,
               [](DraQuestion& q) {
                 q.slices[0].spec.pool.resource_slice_count = 2;
                 q.claims[0].devices.requests = {test::request("r0", test::all())};
               }),
       "error: claim default/c, request r0: asks for all devices, but resource pool d.example.com/s is currently being "
       "updated",
       0},
      {"invalid", changed(plain, [](DraQuestion& q) { q.slices[0].spec.devices.push_back(test::device("d0")); }),
       "node-error: invalid resource pools were encountered", 1},
      {"other-node", changed(plain, [](DraQuestion& q) { q.slices[0].spec.node_name = "n2"; }), "does-not-fit", 1},
      {"newer-generation",
       changed(plain,
               [](DraQuestion& q) {
                 q.slices.push_back(q.slices[0]);
                 q.slices[1].name = "t";
                 q.slices[1].spec.pool.generation = 2;
                 q.slices[1].spec.devices = test::devices("new", 1);
               }),
       "r0=new0", 4},
      {"node-selector",
       changed(plain,
               [](DraQuestion& q) {
                 q.slices[0].spec.node_name.reset();
                 q.slices[0].spec.node_selector = objects::NodeSelector{{{{{"zone", "In", {"z1"}}}, {}}}};
               }),
       "r0=d0", 4},
      {"bad-node-selector",
       changed(plain,
               [](DraQuestion& q) {
                 q.slices[0].spec.node_name.reset();
                 q.slices[0].spec.node_selector = objects::NodeSelector{{{{{"zone", "Foo", {"z1"}}}, {}}}};
               }),
       "error: gather pool information: failed to perform node selection for slice s: failed to parse node selector "
       "&NodeSelector{NodeSelectorTerms:[]NodeSelectorTerm{NodeSelectorTerm{MatchExpressions:[]NodeSelectorRequirement{"
       "NodeSelectorRequirement{Key:zone,Operator:Foo,Values:[z1],},},MatchFields:[]NodeSelectorRequirement{},},},}: "
       "nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: \"Foo\": supported values: \"In\", "
       "\"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", \"Lt\"",
       0},
  });
}

TEST_CASE("implementation-of-features") {
  Features features;
  CHECK(name_of(select_implementation(features)) == "incubating");
  CHECK(set_feature(features, "DRAListTypeAttributes", true));
  CHECK(name_of(select_implementation(features)) == "experimental");
  features = {};
  for (const char* name : {"ConsumableCapacity", "FractionalCapacityRange", "DeviceBindingAndStatus"}) {
    CHECK(set_feature(features, name, false));
  }
  CHECK(name_of(select_implementation(features)) == "stable");
  CHECK_FALSE(set_feature(features, "NoSuchFeature", true));
}

}  // namespace gpusched::dra
