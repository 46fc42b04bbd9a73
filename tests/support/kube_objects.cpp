#include "support/kube_objects.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "gpusched/io/core_objects.hpp"
#include "gpusched/io/dra_objects.hpp"

namespace gpusched::testing {

namespace {

std::vector<io::Document> parse(std::string_view text) {
  auto documents = io::parse_documents({"test", std::string(text)});
  if (!documents) {
    FAIL(documents.error().front().message);
  }
  return *std::move(documents);
}

void check(io::Decoder& decoder) {
  if (decoder.failed()) {
    FAIL(decoder.take_diagnostics().front().message);
  }
}

template <class T>
T read_one(std::string_view text, T (*decode)(io::Decoder&, const io::Value&)) {
  const std::vector<io::Document> documents = parse(text);
  io::Decoder decoder(documents.front());
  T object = decode(decoder, documents.front().root);
  check(decoder);
  return object;
}

void read_into(io::Decoder& decoder, const io::Value& value, kubescheduler::ClusterObjects& objects) {
  const std::string kind(value.find("kind")->text());
  constexpr io::ResourceApi kApi = io::ResourceApi::kV1;
  if (kind == "Pod") {
    objects.pods.push_back(io::decode_pod(decoder, value));
  } else if (kind == "Node") {
    objects.nodes.push_back(io::decode_node(decoder, value));
  } else if (kind == "Namespace") {
    objects.namespaces.push_back(io::decode_namespace(decoder, value));
  } else if (kind == "PodDisruptionBudget") {
    objects.disruption_budgets.push_back(io::decode_pod_disruption_budget(decoder, value));
  } else if (kind == "PersistentVolumeClaim") {
    objects.volume_claims.push_back(io::decode_persistent_volume_claim(decoder, value));
  } else if (kind == "PersistentVolume") {
    objects.volumes.push_back(io::decode_persistent_volume(decoder, value));
  } else if (kind == "StorageClass") {
    objects.storage_classes.push_back(io::decode_storage_class(decoder, value));
  } else if (kind == "CSIStorageCapacity") {
    objects.storage_capacities.push_back(io::decode_csi_storage_capacity(decoder, value));
  } else if (kind == "CSIDriver") {
    objects.csi_drivers.push_back(io::decode_csi_driver(decoder, value));
  } else if (kind == "CSINode") {
    objects.csi_nodes.push_back(io::decode_csi_node(decoder, value));
  } else if (kind == "ResourceClaim") {
    objects.resource_claims.push_back(io::decode_resource_claim(decoder, value, kApi));
  } else if (kind == "ResourceSlice") {
    objects.resource_slices.push_back(io::decode_resource_slice(decoder, value, kApi));
  } else if (kind == "DeviceClass") {
    objects.device_classes.push_back(io::decode_device_class(decoder, value));
  } else {
    FAIL("no reader for " << kind);
  }
}

}  // namespace

objects::Pod pod_from(std::string_view text) {
  return read_one(text, io::decode_pod);
}
objects::Node node_from(std::string_view text) {
  return read_one(text, io::decode_node);
}

objects::Node simple_node(std::string_view name, int gpus) {
  objects::Node node;
  node.meta.name = name;
  node.meta.labels.edit() = {{"kubernetes.io/hostname", std::string(name)}};
  node.status.allocatable = {{"cpu", Quantity::from_int64(4)},
                             {"memory", Quantity::from_int64(std::int64_t{8} << 30)},
                             {"pods", Quantity::from_int64(10)}};
  if (gpus != 0) {
    node.status.allocatable.emplace_back("nvidia.com/gpu", Quantity::from_int64(gpus));
  }
  return node;
}

objects::Pod simple_pod(std::string_view name, std::string_view node, int gpus, int priority) {
  objects::Pod pod;
  pod.meta.name = name;
  pod.meta.namespace_name = "default";
  pod.meta.uid = fmt::format("uid-{}", name);
  pod.node_name = node;
  pod.spec.edit().priority = priority;
  objects::Container& container = pod.spec.edit().containers.emplace_back();
  container.name = "main";
  container.image = "image:1";
  container.resources.requests = {{"cpu", Quantity::from_milli(500)}};
  if (gpus != 0) {
    container.resources.requests.emplace_back("nvidia.com/gpu", Quantity::from_int64(gpus));
  }
  return pod;
}

kubescheduler::ClusterObjects cluster_from(std::string_view text) {
  kubescheduler::ClusterObjects objects;
  for (const io::Document& document : parse(text)) {
    io::Decoder decoder(document);
    read_into(decoder, document.root, objects);
    check(decoder);
  }
  return objects;
}

}  // namespace gpusched::testing
