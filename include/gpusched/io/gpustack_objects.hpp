#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/cluster_dump.hpp"
#include "gpusched/io/decode.hpp"
#include "gpusched/objects/gpustack.hpp"
#include "gpusched/objects/policy.hpp"

/// Objects that GPUStack's scheduling chain reads, as `kubectl get -o json|yaml` prints them. docs/formats/gpustack.md
namespace gpusched::io {

/// Errors: negative amounts, modes that no ledger stores, more than a whole accelerator left, two groups or two
/// accelerators of one name.
[[nodiscard]] objects::Devices decode_devices(Decoder& decoder, const Value& value);
[[nodiscard]] objects::InstanceType decode_instance_type(Decoder& decoder, const Value& value);
[[nodiscard]] objects::TopologySource decode_topology_source(Decoder& decoder, const Value& value);
[[nodiscard]] objects::OperatorQueue decode_operator_queue(Decoder& decoder, const Value& value);

/// Everything of some dumps that the chain starts from, in input order.
struct GpustackObjects {
  std::vector<objects::Devices> devices;
  std::vector<objects::InstanceType> types;
  std::vector<objects::TopologySource> topology_sources;
  std::vector<objects::GpustackSetting> settings;         ///< of Setting objects
  std::vector<objects::GpustackSetting> secret_settings;  ///< of the Secret gpustack-settings
  std::vector<objects::OperatorQueue> queues;
  std::vector<objects::OperatorCheck> checks;
  std::vector<objects::OperatorTopology> topologies;
  std::vector<objects::Namespace> namespaces;
  std::map<std::string, std::size_t> other_kinds;  ///< how many objects of each kind were left alone
  Diagnostics warnings;
};

/// Reads the objects of a dump. Errors: those of decoding, a second object of one kind and name ("duplicate-object").
[[nodiscard]] Result<GpustackObjects> read_gpustack_objects(const ClusterDump& dump);

/// Base64 as Secrets carry it; none for anything else.
[[nodiscard]] std::optional<std::string> decode_base64(std::string_view text);

}  // namespace gpusched::io
