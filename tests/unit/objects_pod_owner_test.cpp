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

TEST_CASE("words name kinds as kubectl's do") {
  struct Case {
    std::string word, kind;
    bool expected;
  };
  const Case cases[] = {
      {"sts", "StatefulSet", true},
      {"StatefulSets", "StatefulSet", true},
      {"deployments.apps", "Deployment", true},
      {"deploy", "Deployment", true},
      {"po", "Pod", true},
      {"jobs", "Job", true},
      {"jobs", "CronJob", false},
      {"lws", "LeaderWorkerSet", true},
      {"rayclusters", "RayCluster", true},
      {"raycluster.ray.io", "RayCluster", true},
      {"rs", "Deployment", false},
      {"", "Job", false},
  };
  for (const Case& c : cases) {
    INFO(c.word << " " << c.kind);
    CHECK(names_kind(c.word, c.kind) == c.expected);
  }
  CHECK(kind_of_word("StatefulSets.apps") == "statefulset");
  CHECK(kind_of_word("PyTorchJob") == "pytorchjob");
}
