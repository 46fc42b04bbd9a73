#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gpusched/chain/card.hpp"

/// Stage 3: labels that tell schedulers what one node can still give.
namespace gpusched::chain {

using LabelMap = std::map<std::string, std::string, std::less<>>;

/// The per-card fit labels of one model with a ledger: the most units that one accelerator can still give a slice, and
/// how many accelerators can still grant a share. A label is missing when the model has no accelerator of that
/// population; 0 means that all of them are full. Nothing for a key that no label can have.
[[nodiscard]] LabelMap fit_labels(const CardGroup& group);

/// Bus distances, near to far.
enum class Distance : std::uint8_t { kSelf, kLink, kPix, kPxb, kPhb, kNode, kSys, kUnknown };
[[nodiscard]] std::string_view name_of(Distance distance);
/// Between two devices of one node; what is not known counts as farther.
[[nodiscard]] Distance distance_between(const objects::BusPlace& a, const objects::BusPlace& b);

/// Whether an endpoint can carry traffic: its link has not failed, or, when nobody looked at the link, it says rdma.
[[nodiscard]] bool is_usable(const objects::RdmaEndpoint& endpoint);
/// The smallest distance between an accelerator and a usable endpoint; none when there is no such pair.
[[nodiscard]] std::optional<Distance> nearest(const objects::Devices& devices);
/// feature.gpustack.ai/rdma.capable, rdma.distance (when given) and rdma.numa; nothing without a usable endpoint.
[[nodiscard]] LabelMap rdma_labels(std::span<const objects::RdmaInterface> interfaces,
                                   std::optional<Distance> distance);

}  // namespace gpusched::chain
