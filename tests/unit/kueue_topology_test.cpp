#include "gpusched/kueue/topology.hpp"

#include <catch2/catch.hpp>

#include "support/topology_builders.hpp"

namespace gpusched::kueue {
namespace {

using testing::kBlock;
using testing::kHost;
using testing::kRack;
using testing::preferred;
using testing::required;
using testing::sliced;
using testing::TopologyFixture;
using testing::unconstrained;

TEST_CASE("best fit takes the smallest domain that is enough") {
  TopologyFixture cluster({kRack, kHost});
  cluster.host("", "r1", "n1", 3);
  cluster.host("", "r2", "n2", 8);
  const auto pods = cluster.needs(1, preferred(kRack));
  CHECK(cluster.place(pods, 3) == "n1=3");
  CHECK(cluster.place(pods, 4) == "n2=4");
  CHECK(cluster.place(pods, 9) == "n1=1 n2=8");
  CHECK(cluster.place(pods, 11) == "n1=3 n2=8");
  CHECK(cluster.place(pods, 0).empty());
}

TEST_CASE("least free capacity fills small hosts first") {
  TopologyFixture cluster({kHost});
  cluster.host("", "", "n1", 8);
  cluster.host("", "", "n2", 2);
  cluster.host("", "", "n3", 4);
  const auto pods = cluster.needs(1, unconstrained());
  CHECK(cluster.place(pods, 3) == "n3=3");
  CHECK(cluster.place(pods, 10) == "n1=4 n2=2 n3=4");
}

TEST_CASE("without the mixed profile unconstrained pods go by best fit") {
  TopologyFixture cluster({kHost}, {.mixed_profile = false});
  cluster.host("", "", "n1", 8);
  cluster.host("", "", "n2", 2);
  cluster.host("", "", "n3", 4);
  CHECK(cluster.place(cluster.needs(1, unconstrained()), 10) == "n1=8 n2=2");
}

TEST_CASE("a required level is not left, a preferred one is") {
  TopologyFixture cluster;
  cluster.host("b1", "r1", "n1", 4);
  cluster.host("b1", "r2", "n2", 4);
  cluster.host("b2", "r1", "n3", 4);
  CHECK(cluster.place(cluster.needs(1, required(kRack)), 5) == R"(topology "dc" allows to fit only 4 out of 5 pod(s))");
  CHECK(cluster.place(cluster.needs(1, preferred(kRack)), 5) == "n1=4 n2=1");
  CHECK(cluster.place(cluster.needs(1, required(kBlock)), 8) == "n1=4 n2=4");
  CHECK(cluster.place(cluster.needs(1, preferred(kHost)), 12) == "n1=4 n2=4 n3=4");
  CHECK(cluster.place(cluster.needs(1, preferred(kHost)), 13) ==
        R"(topology "dc" allows to fit only 12 out of 13 pod(s))");
}

TEST_CASE("slices stay together") {
  TopologyFixture cluster;
  cluster.host("b1", "r1", "n1", 3);
  cluster.host("b1", "r1", "n2", 3);
  cluster.host("b1", "r2", "n3", 4);
  CHECK(cluster.place(cluster.needs(1, sliced(required(kBlock), kHost, 2)), 8) == "n1=2 n2=2 n3=4");
  CHECK(cluster.place(cluster.needs(1, sliced(required(kBlock), kHost, 2)), 10) ==
        R"(topology "dc" allows to fit only 4 out of 5 slice(s))");
  CHECK(cluster.place(cluster.needs(1, sliced(required(kBlock), kRack, 5)), 5) == "n1=3 n2=2");
  CHECK(cluster.place(cluster.needs(1, sliced(required(kHost), kRack, 2)), 2) ==
        "podset slice topology example.com/rack is above the podset topology kubernetes.io/hostname");
}

TEST_CASE("inner layers of slices nest in outer ones") {
  TopologyFixture cluster({kBlock, kRack, kHost}, {.multi_layer = true});
  cluster.host("b1", "r1", "n1", 3);
  cluster.host("b1", "r1", "n2", 3);
  cluster.host("b1", "r2", "n3", 4);
  objects::PodSetTopologyRequest request = required(kBlock);
  request.slice_constraints = {{kRack, 4}, {kHost, 2}};
  CHECK(cluster.place(cluster.needs(1, request), 8) == "n1=2 n2=2 n3=4");
  CHECK(cluster.place(cluster.needs(1, request), 12) ==
        "topology \"dc\" doesn't allow to fit; 2/3 slice(s) fit on level example.com/rack; 4/6 slice(s) fit on level "
        "kubernetes.io/hostname");
  request.slice_constraints = {{kRack, 4}, {kHost, 3}};
  CHECK(cluster.place(cluster.needs(1, request), 12) ==
        "additional slice layer size 3 must evenly divide parent layer size 4");
}

TEST_CASE("leader and workers share the required domain") {
  TopologyFixture cluster;
  cluster.host("b1", "r1", "n1", 2);
  cluster.host("b1", "r1", "n2", 2);
  cluster.host("b1", "r2", "n3", 4);
  cluster.host("b1", "r2", "n4", 4);
  auto request = required(kRack);
  request.pod_set_group = "set";
  CHECK(cluster.place({{cluster.needs(1, request), 1}, {cluster.needs(2, request), 3}}) == "n3=1; n3=1 n4=2");
  CHECK(cluster.place({{cluster.needs(2, request), 4}, {cluster.needs(1, request), 1}}) ==
        R"(topology "dc" allows to fit only 4 out of 4 pod(s))");
}

TEST_CASE("balanced placement spreads evenly over as few domains as possible") {
  TopologyFixture cluster({kRack, kHost}, {.balanced_placement = true});
  for (const char* const host : {"n1", "n2", "n3"}) cluster.host("", "r1", host, 8);
  CHECK(cluster.place(cluster.needs(1, preferred(kHost)), 12) == "n1=6 n2=6");
  CHECK(cluster.place(cluster.needs(1, required(kRack)), 12) == "n1=8 n2=4");
}

TEST_CASE("pod sets of one workload do not share room") {
  TopologyFixture cluster({kHost});
  cluster.host("", "", "n1", 4);
  cluster.host("", "", "n2", 4);
  CHECK(cluster.place({{cluster.needs(1, required(kHost)), 3}, {cluster.needs(1, required(kHost)), 3}}) ==
        "n1=3; n2=3");
}

TEST_CASE("the sentence tells why nodes are out") {
  TopologyFixture cluster({kHost});
  cluster.host("", "", "n1", 8).spec.taints = {{"maintenance", "soon", "NoSchedule"}, {"spot", "", "PreferNoSchedule"}};
  cluster.host("", "", "n2", 8);
  cluster.host("", "", "n3", 8).meta.labels.edit().emplace_back("disk", "nvme");
  cluster.host("", "", "n4", 1).meta.labels.edit().emplace_back("disk", "nvme");
  PodSetNeeds needs = cluster.needs(2, required(kHost));
  needs.node_selector = {{"disk", "nvme"}};
  CHECK(cluster.place(needs, 5) ==
        "topology \"dc\" allows to fit only 4 out of 5 pod(s). Total nodes: 4; excluded: nodeSelector: 1, resource "
        "\"nvidia.com/gpu\": 1, taint \"maintenance=soon:NoSchedule\": 1");
  needs.affinity = objects::NodeAffinity{objects::NodeSelector{{{{{"disk", "DoesNotExist", {}}}, {}}}}, {}};
  CHECK(cluster.place(needs, 5) ==
        "topology \"dc\" doesn't allow to fit any of 5 pod(s). Total nodes: 4; excluded: affinity: 2, nodeSelector: 1, "
        "taint \"maintenance=soon:NoSchedule\": 1");
}

/// Prefers hosts with model=cached by 10 and with disk=nvme by 1.
PodSetNeeds preferring(PodSetNeeds needs) {
  needs.affinity.emplace();
  needs.affinity->preferred = {{10, {{{"model", "In", {"cached"}}}, {}}}, {1, {{{"disk", "In", {"nvme"}}}, {}}}};
  return needs;
}

TEST_CASE("preferred node affinity goes before capacity when it is respected") {
  const bool respected = GENERATE(false, true);
  TopologyFixture cluster({kRack, kHost}, {.preferred_affinity = respected});
  cluster.host("", "r1", "n1", 4);
  cluster.host("", "r1", "n2", 4).meta.labels.edit().emplace_back("disk", "nvme");
  cluster.host("", "r2", "n3", 8).meta.labels.edit().emplace_back("model", "cached");
  cluster.host("", "r2", "n4", 2);
  const auto needs = [&](objects::PodSetTopologyRequest request) {
    return preferring(cluster.needs(1, std::move(request)));
  };
  SECTION("among hosts that are enough") {
    CHECK(cluster.place(needs(required(kHost)), 3) == (respected ? "n3=3" : "n1=3"));
    CHECK(cluster.place(needs(unconstrained()), 2) == (respected ? "n3=2" : "n4=2"));
  }
  SECTION("racks count the sum of their hosts") {
    CHECK(cluster.place(needs(required(kRack)), 3) == (respected ? "n3=3" : "n1=3"));
  }
  SECTION("several domains are taken in the order of preference") {
    CHECK(cluster.place(needs(unconstrained()), 10) == (respected ? "n2=2 n3=8" : "n1=4 n2=4 n4=2"));
  }
}

TEST_CASE("a preferred domain that is too small does not stop a required one") {
  TopologyFixture cluster({kRack, kHost}, {.preferred_affinity = true});
  cluster.host("", "r1", "n1", 2).meta.labels.edit().emplace_back("model", "cached");
  cluster.host("", "r2", "n2", 8);
  cluster.host("", "r3", "n3", 4);
  CHECK(cluster.place(preferring(cluster.needs(1, required(kRack))), 3) == "n3=3");
  CHECK(cluster.place(preferring(cluster.needs(1, preferred(kRack))), 3) == "n1=2 n3=1");
  CHECK(cluster.place(preferring(cluster.needs(1, required(kRack))), 9) ==
        R"(topology "dc" allows to fit only 2 out of 9 pod(s))");
}

TEST_CASE("tolerations of the flavor count") {
  TopologyFixture cluster({kHost}, {}, {{"maintenance", "Exists", "", "", {}}});
  cluster.host("", "", "n1", 8).spec.taints = {{"maintenance", "soon", "NoSchedule"}};
  CHECK(cluster.place(cluster.needs(1, required(kHost)), 8) == "n1=8");
}

TEST_CASE("nodes that are not ready or cordoned and other pods take room") {
  TopologyFixture cluster({kHost});
  cluster.host("", "", "n1", 8).status.conditions = {{"Ready", "Unknown", ""}};
  cluster.host("", "", "n2", 8).spec.unschedulable = true;
  cluster.host("", "", "n3", 8);
  cluster.other_pods("n3", 3);
  CHECK(cluster.place(cluster.needs(1, preferred(kHost)), 5) == "n3=5");
  CHECK(cluster.place(cluster.needs(1, preferred(kHost)), 6) ==
        R"(topology "dc" allows to fit only 5 out of 6 pod(s))");
}

TEST_CASE("usage counts until it is removed, on hosts that come back too") {
  TopologyFixture cluster({kHost});
  objects::Node& node = cluster.host("", "", "n1", 8);
  cluster.host("", "", "n2", 2);
  const auto pods = cluster.needs(1, required(kHost));
  cluster.hold("n1", 3, 2);
  CHECK(cluster.place(pods, 3) == R"(topology "dc" allows to fit only 2 out of 3 pod(s))");
  CHECK(cluster.place(pods, 3, true) == "n1=3");
  node.spec.unschedulable = true;
  cluster.nodes_changed();
  CHECK(cluster.place(pods, 2) == "n2=2");
  node.spec.unschedulable = false;
  cluster.nodes_changed();
  CHECK(cluster.place(pods, 2) == "n1=2");
  cluster.release("n1", 3, 2);
  CHECK(cluster.place(pods, 3) == "n1=3");
}

TEST_CASE("the last check of a cycle looks at each domain alone") {
  TopologyFixture cluster({kHost});
  cluster.host("", "", "n1", 4);
  const ResourceRow row = cluster.gpus(2);
  FlavorTopology& topology = cluster.topology();
  CHECK(topology.fits({topology.domain(std::vector<std::string>{"n1"}), 2, &row}));
  CHECK_FALSE(topology.fits({topology.domain(std::vector<std::string>{"n1"}), 3, &row}));
  CHECK_FALSE(topology.fits({topology.domain(std::vector<std::string>{"gone"}), 1, &row}));
  const ResourceRow nothing;
  CHECK_FALSE(topology.fits({topology.domain(std::vector<std::string>{"n1"}), 1, &nothing}));
}

TEST_CASE("levels above the host name their domains in full") {
  TopologyFixture cluster({kBlock, kRack});
  cluster.host("b1", "r1", "n1", 2).spec.taints = {{"maintenance", "", "NoSchedule"}};
  cluster.host("b1", "r1", "n2", 2);
  cluster.host("b2", "r1", "n3", 1);
  CHECK(cluster.place(cluster.needs(1, unconstrained()), 5) == "b1,r1=4 b2,r1=1");
}

TEST_CASE("what a pod set asks of the topology is recognised") {
  CHECK_FALSE(asks_topology(std::nullopt));
  CHECK_FALSE(asks_topology(objects::PodSetTopologyRequest{}));
  CHECK(asks_topology(unconstrained()));
  CHECK(asks_topology(sliced({}, kHost, 2)));
  TopologyFixture cluster({kRack, kHost});
  CHECK(cluster.topology().has_level(required(kRack)));
  CHECK_FALSE(cluster.topology().has_level(required(kBlock)));
  CHECK_FALSE(cluster.topology().has_level(sliced(required(kRack), kBlock, 2)));
  CHECK(cluster.topology().has_level(sliced({}, kHost, 2)));
}

TEST_CASE("pods that the topology does not manage are recognised") {
  CHECK(is_other_pod({}, "n1", "Running"));
  CHECK_FALSE(is_other_pod({}, "", "Pending"));
  CHECK_FALSE(is_other_pod({}, "n1", "Succeeded"));
  CHECK_FALSE(is_other_pod({{"kueue.x-k8s.io/podset-required-topology", kRack}}, "n1", "Running"));
  CHECK(is_other_pod({{"kueue.x-k8s.io/podset-slice-required-topology", kRack}}, "n1", "Running"));
}

}  // namespace
}  // namespace gpusched::kueue
