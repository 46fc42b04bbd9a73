#pragma once

#include "gpusched/io/decode.hpp"
#include "gpusched/objects/pod_policy.hpp"

namespace gpusched::io {

/// The objects by which the API server changes or refuses pods, as an API server returns them. Errors go to the
/// decoder.
[[nodiscard]] objects::LimitRange decode_limit_range(Decoder& decoder, const Value& value);
[[nodiscard]] objects::RuntimeClass decode_runtime_class(Decoder& decoder, const Value& value);
[[nodiscard]] objects::ResourceQuota decode_resource_quota(Decoder& decoder, const Value& value);

}  // namespace gpusched::io
