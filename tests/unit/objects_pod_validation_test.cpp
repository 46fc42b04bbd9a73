#include "gpusched/objects/pod_validation.hpp"

#include <catch2/catch.hpp>

#include "gpusched/objects/pod_defaults.hpp"

namespace gpusched::objects {

namespace {

ResourceList amounts(std::vector<std::pair<std::string, std::string>> texts) {
  ResourceList list;
  for (const auto& [name, text] : texts) {
    list.emplace_back(name, parse_quantity(text).value());
  }
  return list;
}

struct Case {
  std::string name;
  ResourceList requests, limits;
  std::vector<std::string> errors;
};

}  // namespace

// The texts were recorded from an API server 1.37.2.
TEST_CASE("the API server refuses what extended resources cannot be") {
  const std::vector<Case> cases = {
      {"request-equals-limit", amounts({{"nvidia.com/gpu", "2"}}), amounts({{"nvidia.com/gpu", "2"}}), {}},
      {"equal-however-written", amounts({{"nvidia.com/gpu", "2000m"}}), amounts({{"nvidia.com/gpu", "2"}}), {}},
      {"limit-alone", {}, amounts({{"example.com/gpu", "2"}}), {}},
      {"fraction",
       {},
       amounts({{"example.com/gpu", "500m"}}),
       {"spec.containers[0].resources.limits[example.com/gpu]: Invalid value: \"500m\": must be an integer",
        "spec.containers[0].resources.requests[example.com/gpu]: Invalid value: \"500m\": must be an integer"}},
      {"request-below-limit",
       amounts({{"example.com/gpu", "1"}}),
       amounts({{"example.com/gpu", "2"}}),
       {"spec.containers[0].resources.requests: Invalid value: \"1\": must be equal to example.com/gpu limit of 2"}},
      {"request-alone",
       amounts({{"example.com/gpu", "1"}}),
       {},
       {"spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources"}},
      {"huge-pages-too",
       amounts({{"hugepages-2Mi", "2Mi"}}),
       amounts({{"hugepages-2Mi", "4Mi"}}),
       {"spec.containers[0].resources.requests: Invalid value: \"2Mi\": must be equal to hugepages-2Mi limit of 4Mi"}},
      {"cpu-may-be-over-committed", amounts({{"cpu", "500m"}}), amounts({{"cpu", "2"}}), {}},
  };
  for (const Case& test : cases) {
    INFO(test.name);
    Pod pod;
    pod.spec.edit().containers.emplace_back();
    pod.spec.edit().containers[0].resources.requests = test.requests;
    pod.spec.edit().containers[0].resources.limits = test.limits;
    set_defaults(pod);
    CHECK(extended_resource_errors(pod) == test.errors);
  }
}

}  // namespace gpusched::objects
