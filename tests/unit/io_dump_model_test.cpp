// What the nodes and pods of a dump hold once they are a cluster.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "gpusched/base/text.hpp"
#include "gpusched/io/cluster_input.hpp"
#include "gpusched/io/hardware_file.hpp"
#include "gpusched/io/model_reader.hpp"

using namespace gpusched;
using namespace gpusched::io;

namespace {

Result<Model> try_model(const std::string& text, DumpOptions options = {}) {
  std::istringstream stream(text);
  SourceReader source({}, stream);
  const std::vector<std::string> arguments = {"-"};
  const Result<ClusterInput> input = read_cluster_input(source, arguments, 1);
  if (!input) return std::unexpected(input.error());
  ModelReader reader(std::move(options));
  reader.read_pending(input->dump);
  reader.read_dump(input->dump);
  return std::move(reader).finish();
}

Model model_of(const std::string& text, DumpOptions options = {}) {
  Result<Model> model = try_model(text, std::move(options));
  if (!model) FAIL(model.error().front().message);
  return std::move(*model);
}

std::string node(const std::string& name, const std::string& allocatable, const std::string& capacity = "",
                 const std::string& labels = "") {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"(","labels":{)" + labels +
         R"(}},"spec":{},"status":{"capacity":{)" + (capacity.empty() ? allocatable : capacity) +
         R"(},"allocatable":{)" + allocatable + "}}}\n";
}

std::string pod(const std::string& name, const std::string& on, const std::string& gpus, const std::string& rest = "") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + R"(","namespace":"ml"},"spec":{)" +
         (on.empty() ? std::string() : R"("nodeName":")" + on + R"(",)") +
         R"("containers":[{"name":"c","resources":{"requests":{"nvidia.com/gpu":)" + gpus + "}}}]}" + rest + "}\n";
}

std::int64_t free_gpus(const Model& model, std::size_t node = 0) {
  std::int64_t free = 0;
  for (const std::int32_t milli : model.usage.free_milli(NodeId{node})) free += milli / kWholeGpuMilli;
  return free;
}

std::int64_t unused(const Model& model, std::string_view resource) {
  const ResourceId id = model.usage.shape().find_resource(resource);
  return model.usage.node_class(NodeId{0}).allocatable[id.index()] - model.usage.used(NodeId{0}, id);
}

std::string codes(const Model& model, Severity severity) {
  std::vector<std::string> codes;
  for (const Diagnostic& note : model.notes) {
    if (note.severity == severity) codes.push_back(note.code);
  }
  return join(codes, " ");
}

const std::string kFour = R"("cpu":"8","memory":"64Gi","pods":"110","nvidia.com/gpu":"4")";

/// A slice of whole GPUs of one node.
std::string slice(const std::string& name, const std::string& node, const std::vector<std::string>& devices,
                  const std::string& driver = "gpu.nvidia.com", int generation = 1, int count = 1) {
  std::string list;
  for (const std::string& device : devices) {
    list += (list.empty() ? "" : ",") +
            (R"({"name":")" + device +
             R"(","attributes":{"type":{"string":"gpu"},"productName":{"string":"NVIDIA H100 80GB HBM3"}},)"
             R"("capacity":{"memory":{"value":"81559Mi"}}})");
  }
  return R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":")" + name +
         R"("},"spec":{"driver":")" + driver + R"(","nodeName":")" + node + R"(","pool":{"name":")" + node +
         R"(","generation":)" + std::to_string(generation) + R"(,"resourceSliceCount":)" + std::to_string(count) +
         R"(},"devices":[)" + list + "]}}\n";
}

}  // namespace

TEST_CASE("bound pods hold GPUs until they are finished") {
  struct Case {
    std::string name, status;
    std::int64_t free;
  };
  const std::vector<Case> cases = {
      {"running", R"(,"status":{"phase":"Running"})", 2},
      {"bound-not-started", R"(,"status":{"phase":"Pending"})", 2},
      {"no-status", "", 2},
      {"unknown", R"(,"status":{"phase":"Unknown"})", 2},
      {"succeeded", R"(,"status":{"phase":"Succeeded"})", 4},
      {"failed", R"(,"status":{"phase":"Failed"})", 4},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(free_gpus(model_of(node("n", kFour) + pod("p", "n", "2", c.status))) == c.free);
  }
  const std::string terminating = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"ml",
    "deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"nodeName":"n","containers":[{"name":"c","resources":
    {"requests":{"nvidia.com/gpu":"3"}}}]},"status":{"phase":"Running"}})";
  CHECK(free_gpus(model_of(node("n", kFour) + terminating)) == 1);
}

TEST_CASE("amounts are numbers or texts, in every spelling of quantities") {
  struct Case {
    std::string amount;
    std::int64_t used;
  };
  for (const Case& c : {Case{"1", 1}, Case{"\"1\"", 1}, Case{"\"3000m\"", 3}, Case{"\"1k\"", 1000},
                        Case{"\"64k\"", 64'000}, Case{"\"8M\"", 8'000'000}, Case{"1e3", 1000}}) {
    INFO(c.amount);
    const Model model = model_of(node("n", kFour) + pod("p", "n", c.amount));
    CHECK(4 - unused(model, "nvidia.com/gpu") == c.used);
  }
}

TEST_CASE("allocatable below what is in use stays below zero") {
  const Model model = model_of(node("n", R"("pods":"9","nvidia.com/gpu":"3")", R"("pods":"9","nvidia.com/gpu":"4")") +
                               pod("p", "n", "4"));
  CHECK(unused(model, "nvidia.com/gpu") == -1);
  CHECK(free_gpus(model) == 0);
}

TEST_CASE("an unhealthy GPU is free for nobody, and nobody knows which it is") {
  const Model model = model_of(node("n", R"("pods":"9","nvidia.com/gpu":"3")", R"("pods":"9","nvidia.com/gpu":"4")") +
                               pod("p", "n", "1"));
  CHECK(free_gpus(model) == 2);
  CHECK(model.usage.assumed(NodeId{0}));
}

TEST_CASE("a device plugin and slices on one node count once") {
  const std::vector<std::string> devices = {"gpu-0", "gpu-1", "gpu-2", "gpu-3"};
  const Model both = model_of(node("n", kFour) + slice("s", "n", devices) + pod("p", "n", "1"));
  CHECK(both.usage.node_class(NodeId{0}).gpus.size() == 4);
  CHECK(free_gpus(both) == 3);
  CHECK(codes(both, Severity::kWarning).find("double-booking") != std::string::npos);

  const Model slices = model_of(node("n", R"("cpu":"8","pods":"110")") + slice("s", "n", devices));
  CHECK(free_gpus(slices) == 4);
  const ClusterShape& shape = slices.usage.shape();
  CHECK(shape.text(shape.board(slices.usage.node_class(NodeId{0}).gpus[0]).model) == "NVIDIA-H100-80GB-HBM3");
}

TEST_CASE("slices of other drivers hold GPUs when they are named") {
  const std::string text = node("n", R"("pods":"110")") + slice("s", "n", {"a", "b"}, "accelerator.example.org");
  CHECK(model_of(text).usage.node_class(NodeId{0}).gpus.empty());
  DumpOptions options;
  options.gpu_drivers = {"accelerator.example.org"};
  CHECK(free_gpus(model_of(text, options)) == 2);
}

TEST_CASE("of a pool the newest generation counts") {
  const std::string text = node("n", R"("pods":"110")") + slice("old", "n", {"gpu-0", "gpu-1", "gpu-2"}) +
                           slice("new", "n", {"gpu-0"}, "gpu.nvidia.com", 2);
  CHECK(free_gpus(model_of(text)) == 1);
  const Model part = model_of(node("n", R"("pods":"1")") + slice("s", "n", {"gpu-0"}, "gpu.nvidia.com", 1, 2));
  CHECK(codes(part, Severity::kWarning).find("incomplete-pool") != std::string::npos);
}

TEST_CASE("claims say which GPUs their pods hold") {
  const std::string claim = R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c",
    "namespace":"ml"},"spec":{"devices":{"requests":[{"name":"r"}]}},"status":{"allocation":{"devices":{"results":[
    {"request":"r","driver":"gpu.nvidia.com","pool":"n","device":"gpu-2"}]}},"reservedFor":[{"resource":"pods","name":"p",
    "uid":"u"}]}})";
  const std::string user =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ml"},"spec":{"nodeName":"n",
    "resourceClaims":[{"name":"g","resourceClaimName":"c"}],"containers":[{"name":"c"}]}})";
  const std::string nodes = node("n", R"("pods":"110")") + slice("s", "n", {"gpu-0", "gpu-1", "gpu-2"});
  for (const std::string& pods : {user, std::string()}) {
    const Model model = model_of(nodes + claim + pods);
    CHECK(model.usage.free_milli(NodeId{0})[2] == 0);
    CHECK(free_gpus(model) == 2);
    CHECK_FALSE(model.usage.assumed(NodeId{0}));
    CHECK(model.usage.shape().text(model.usage.pod_name(model.usage.first_pod(NodeId{0}))) ==
          (pods.empty() ? "claim ml/c" : "ml/p"));
  }
}

TEST_CASE("the devices of a claim of several pods are no single pod's") {
  const auto claim = [](const std::string& users) {
    return R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c","namespace":"ml"},
      "spec":{"devices":{"requests":[{"name":"r"}]}},"status":{"allocation":{"devices":{"results":[{"request":"r",
      "driver":"gpu.nvidia.com","pool":"n","device":"gpu-1"}]}},"reservedFor":[)" +
           users + "]}}";
  };
  const std::string p = R"({"resource":"pods","name":"p","uid":"u"})";
  const std::string q = R"({"resource":"pods","name":"q","uid":"v"})";
  const auto user = [](const std::string& name) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name +
           R"(","namespace":"ml"},"spec":{"nodeName":"n","containers":[{"name":"c"}]}})";
  };
  const std::string nodes = node("n", R"("pods":"110")") + slice("s", "n", {"gpu-0", "gpu-1"});
  const Model both = model_of(nodes + claim(p + "," + q) + user("p") + user("q"));
  CHECK(free_gpus(both) == 1);
  REQUIRE(both.shared_claims.size() == 1);
  CHECK(both.shared_claims[0].users.size() == 2);
  for (const PodId pod : both.shared_claims[0].users) {
    CHECK(both.usage.shares(pod).empty());
    CHECK(both.pod_facts[pod.index()].shares_claim);
  }
  CHECK(both.usage.shares(both.shared_claims[0].holder).size() == 1);
  // Of one that is not there nobody knows when it goes.
  const Model one = model_of(nodes + claim(p + "," + q) + user("p"));
  CHECK(free_gpus(one) == 1);
  CHECK(one.shared_claims.empty());
  const Model alone = model_of(nodes + claim(p) + user("p"));
  CHECK(alone.shared_claims.empty());
  CHECK(free_gpus(alone) == 1);
}

TEST_CASE("versions that the API server would refuse are said") {
  std::string text = slice("s", "n", {"gpu-0"});
  text.replace(text.find("\"type\""), 0, R"("driverVersion":{"version":"550.127.08"},)");
  const Model model = model_of(node("n", R"("pods":"110")") + text);
  CHECK(codes(model, Severity::kWarning).find("invalid-version") != std::string::npos);
}

TEST_CASE("what is missing or only a part of a cluster is said first") {
  struct Case {
    std::string name, text, first;
  };
  const std::string system = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"s","namespace":"kube-system",
    "ownerReferences":[{"kind":"DaemonSet","name":"d","controller":true}]},"spec":{"nodeName":"n","containers":[{"name":"c"}]}})";
  const std::string plain = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"s","namespace":"kube-system"},
    "spec":{"nodeName":"n","containers":[{"name":"c"}]}})";
  std::string served = pod("p", "n", "1");
  served.replace(served.find(R"("name")"), 0, R"("creationTimestamp":"2026-03-02T10:00:00Z",)");
  std::string many;
  for (int i = 0; i < 10; ++i) {
    many += pod(fmt::format("p{}", i), i < 4 ? "n" : "", "1");
  }
  const std::vector<Case> cases = {
      {"whole", node("n", kFour) + pod("p", "n", "1") + system, "units-only"},  // no sign of a part
      {"no-pods", node("n", kFour), "no-pods"},
      {"one-namespace", node("n", kFour) + served, "partial-dump"},
      {"no-daemon-sets", node("n", kFour) + served + plain, "partial-dump"},
      {"small-example", node("n", kFour) + pod("p", "n", "1"), "units-only"},
      {"many-by-hand", node("n", kFour) + many, "partial-dump"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const Model model = model_of(c.text);
    const std::string all = codes(model, Severity::kWarning);
    CHECK(all.substr(0, all.find(' ')) == c.first);
  }
  const Model others = model_of(node("n", kFour) + system +
                                R"({"kind":"Lease","apiVersion":"c/v1","metadata":{"name":"x"}})"
                                R"({"kind":"Lease","apiVersion":"c/v1","metadata":{"name":"y"}})");
  CHECK(codes(others, Severity::kNote).find("left-alone") != std::string::npos);
}

TEST_CASE("the dump's own Pending pods are those that the scheduler may place") {
  const std::string gated = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"gated","namespace":"ml"},"spec":{
    "schedulingGates":[{"name":"g"}],"containers":[{"name":"c"}]},"status":{"phase":"Pending"}})";
  const Model model = model_of(node("n", kFour) + pod("bound", "n", "1") + pod("waits", "", "1") +
                               pod("done", "", "1", R"(,"status":{"phase":"Failed"})") + gated);
  REQUIRE(model.pods.size() == 1);
  CHECK(model.usage.shape().text(model.usage.pod_name(model.pods[0])) == "ml/waits");
}

TEST_CASE("annotations are never parsed") {
  std::string text = node("n", kFour);
  text.replace(text.find("\"labels\""), 0,
               R"("annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"broken\": [}"},)");
  CHECK(free_gpus(model_of(text)) == 4);
}

TEST_CASE("islands are numbered list by list, then GPU by GPU") {
  const auto documents = parse_documents({"hardware.yaml", "hardware: [{count: 4, islands: [[1, 2]]}]"});
  REQUIRE(documents);
  const Result<HardwareFile> hardware = read_hardware(documents->front());
  REQUIRE(hardware);
  DumpOptions options;
  options.hardware = *hardware;
  const Model model = model_of(node("n", kFour), std::move(options));
  std::vector<std::uint16_t> islands;
  for (const Gpu& gpu : model.usage.node_class(NodeId{0}).gpus) islands.push_back(gpu.island);
  CHECK(islands == std::vector<std::uint16_t>{1, 0, 0, 2});
}

TEST_CASE("a node has no more MIG instances than its GPUs can hold") {
  struct Case {
    std::string name, resources, labels;
    std::size_t gpus, instances;
    std::string warnings;
  };
  const std::string amd = R"("nvidia.com/gpu.product":"NVIDIA-X1000","nvidia.com/mig.strategy":"mixed")";
  const Case cases[] = {
      {"fourteen-need-two", R"("cpu":"8","pods":"110","nvidia.com/mig-1g.99gb":"14")", amd, 2, 14, ""},
      {"a-billion", R"("cpu":"8","pods":"110","nvidia.com/mig-1g.99gb":"1000000000")",
       amd + R"(,"nvidia.com/gpu.count":"2")", 2, 14, "too-many-instances"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const Model model = model_of(node("n", c.resources, "", c.labels));
    CHECK(model.usage.node_class(NodeId{0}).gpus.size() == c.gpus);
    CHECK(model.usage.node_class(NodeId{0}).instances.size() == c.instances);
    const std::string warnings = codes(model, Severity::kWarning);
    CHECK((warnings.find("too-many-instances") != std::string::npos) == !c.warnings.empty());
  }
}

TEST_CASE("items of a raw API list take their type from the list") {
  const std::string slices = slice("s", "n", {"gpu-0", "gpu-1"});
  const std::string bare = slices.substr(slices.find("\"metadata\""));
  const Model model = model_of(
      node("n", R"("cpu":"8","memory":"64Gi","pods":"110")") +
      R"({"kind":"ResourceSliceList","apiVersion":"resource.k8s.io/v1","metadata":{},"items":[{)" + bare + "]}");
  CHECK(free_gpus(model) == 2);
}

TEST_CASE("the owner of a pod is what people made") {
  struct Case {
    std::string name, owner, labels, expected;
  };
  const Case cases[] = {
      {"no-owner", "", "", "ml/Pod/p"},
      {"job", R"("kind":"Job","name":"train")", "", "ml/Job/train"},
      {"deployment", R"("kind":"ReplicaSet","name":"web-6f")", R"("pod-template-hash":"6f")", "ml/Deployment/web"},
      {"replica-set-of-its-own", R"("kind":"ReplicaSet","name":"web-6f")", "", "ml/ReplicaSet/web-6f"},
      {"other-hash", R"("kind":"ReplicaSet","name":"web-6f")", R"("pod-template-hash":"f")", "ml/ReplicaSet/web-6f"},
      {"nothing-left", R"("kind":"ReplicaSet","name":"-6f")", R"("pod-template-hash":"6f")", "ml/ReplicaSet/-6f"},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    const std::string owner =
        c.owner.empty() ? "" : R"(,"ownerReferences":[{"apiVersion":"v1","controller":true,)" + c.owner + "}]";
    const Model model = model_of(
        node("n", kFour) + R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ml","labels":{)" +
        c.labels + "}" + owner + R"(},"spec":{"nodeName":"n","containers":[{"name":"c"}]}})");
    REQUIRE(model.pod_facts.size() == 1);
    CHECK(model.usage.shape().text(model.pod_facts[0].owner) == c.expected);
  }
}
