#include "gpusched/objects/pod_owner.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace gpusched::objects;

TEST_CASE("pods of a deployment are its own, not those of its replica set") {
  struct Case {
    std::string name, kind, controller;
    Labels labels;
    std::string expected;
  };
  const Case cases[] = {
      {"job", "Job", "train-6f", {{"pod-template-hash", "6f"}}, "Job train-6f"},
      {"deployment", "ReplicaSet", "web-6f", {{"app", "web"}, {"pod-template-hash", "6f"}}, "Deployment web"},
      {"replica-set-of-its-own", "ReplicaSet", "web-6f", {}, "ReplicaSet web-6f"},
      {"other-hash", "ReplicaSet", "web-6f", {{"pod-template-hash", "f"}}, "ReplicaSet web-6f"},
      {"empty-hash", "ReplicaSet", "web-", {{"pod-template-hash", ""}}, "ReplicaSet web-"},
      {"nothing-left", "ReplicaSet", "-6f", {{"pod-template-hash", "6f"}}, "ReplicaSet -6f"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const PodOwner owner = pod_owner(c.kind, c.controller, c.labels);
    CHECK(std::string(owner.kind).append(" ").append(owner.name) == c.expected);
  }
}
