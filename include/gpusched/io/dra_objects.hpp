#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/io/decode.hpp"
#include "gpusched/io/document.hpp"
#include "gpusched/objects/device_class.hpp"
#include "gpusched/objects/device_taint_rule.hpp"
#include "gpusched/objects/resource_claim.hpp"
#include "gpusched/objects/resource_slice.hpp"

/// Objects of the group resource.k8s.io, as `kubectl get -o json|yaml` prints them. Keys that nothing reads are
/// skipped, wrong types and unreadable quantities are errors of the decoder; nothing is defaulted or validated.
namespace gpusched::io {

/// The shapes that differ: v1beta1 keeps a device's fields in `basic` and has no `exactly`. Others read like v1.
enum class ResourceApi : std::uint8_t { kV1, kV1beta1 };
/// Of an object's apiVersion; none for another group.
[[nodiscard]] std::optional<ResourceApi> resource_api(std::string_view api_version);

[[nodiscard]] objects::ResourceSlice decode_resource_slice(Decoder& decoder, const Value& value, ResourceApi api);
[[nodiscard]] objects::DeviceClass decode_device_class(Decoder& decoder, const Value& value);
[[nodiscard]] objects::DeviceTaintRule decode_device_taint_rule(Decoder& decoder, const Value& value);
[[nodiscard]] objects::ResourceClaim decode_resource_claim(Decoder& decoder, const Value& value, ResourceApi api);
[[nodiscard]] objects::ResourceClaimTemplate decode_resource_claim_template(Decoder& decoder, const Value& value,
                                                                            ResourceApi api);

/// status.allocation of a claim, on its own.
[[nodiscard]] objects::AllocationResult decode_allocation_result(Decoder& decoder, const Value& value);

/// What the API server fills into a claim that a file holds: the allocation mode, the count, operators of
/// tolerations. Source: k8s.io/kubernetes v1.37, pkg/apis/resource/v1/defaults.go.
void set_defaults(objects::DeviceClaim& claim);

/// The DRA objects of some documents, in input order.
struct DraObjects {
  std::vector<objects::ResourceSlice> slices;
  std::vector<objects::DeviceClass> classes;
  std::vector<objects::DeviceTaintRule> taint_rules;
  std::vector<objects::ResourceClaim> claims;
  std::vector<objects::ResourceClaimTemplate> templates;
  std::map<std::string, std::size_t> other_kinds;  ///< how many objects of each kind were left alone
  Diagnostics warnings;                            ///< about objects that are legal and seldom meant
};

/// Reads the objects of documents; a List of any depth is taken apart. Errors: those of decoding, and a second object
/// of one kind and name ("duplicate-object").
[[nodiscard]] Result<DraObjects> read_dra_objects(std::span<const Document> documents);

}  // namespace gpusched::io
