#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gpusched/base/text.hpp"
#include "gpusched/io/core_objects.hpp"
#include "gpusched/kubescheduler/predict.hpp"
#include "gpusched/objects/pod_defaults.hpp"
#include "support/fuzz_checks.hpp"

using gpusched::testing::require;
using gpusched::testing::require_readable;

namespace {

namespace io = gpusched::io;

/// Whatever was read, the pod's requests can be counted and it can be scheduled on whatever node was read.
void schedule(const io::Value& value, io::Decoder& decoder) {
  gpusched::kubescheduler::ClusterObjects objects;
  objects.nodes.push_back(io::decode_node(decoder, value));
  if (objects.nodes.back().meta.name.empty()) {
    objects.nodes.back().meta.name = "n";
  }
  objects.pods.push_back(io::decode_pod(decoder, value));
  objects.pods.back().spec.edit().resource_claims.clear();
  gpusched::objects::set_defaults(objects.pods.back());
  const gpusched::objects::Pod pod = objects.pods.back();
  const auto prediction = predict(gpusched::kubescheduler::Snapshot(std::move(objects)), pod, {});
  require(prediction.verdict == gpusched::kubescheduler::Verdict::kScheduled ? !prediction.node.empty()
                                                                             : prediction.node.empty());
}

}  // namespace

/// One document is read as every kind of object: nothing crashes and every error has a text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto documents = io::parse_documents({"fuzz", std::string(reinterpret_cast<const char*>(data), size)});
  if (!documents) {
    return 0;
  }
  const io::Document& document = documents->front();
  const io::Value& value = document.root;
  io::Decoder decoder(document);
  schedule(value, decoder);
  (void)io::decode_namespace(decoder, value);
  (void)io::decode_priority_class(decoder, value);
  (void)io::decode_pod_disruption_budget(decoder, value);
  (void)io::decode_service(decoder, value);
  (void)io::decode_pod_controller(decoder, value, "ReplicaSet");
  (void)io::decode_pod_controller(decoder, value, "ReplicationController");
  (void)io::decode_persistent_volume_claim(decoder, value);
  (void)io::decode_persistent_volume(decoder, value);
  (void)io::decode_storage_class(decoder, value);
  (void)io::decode_csi_node(decoder, value);
  (void)io::decode_csi_driver(decoder, value);
  (void)io::decode_csi_storage_capacity(decoder, value);
  require_readable(decoder.take_diagnostics());
  return 0;
}
