#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

/// Sentences that tables and pages share: plain text that nothing is escaped in.
namespace gpusched::render {

/// "all-reduce of 26 GB over NVLink at 300 GB/s: at least 0.15 s per step" for the member `allReduce` of a pod.
[[nodiscard]] std::string all_reduce_text(const nlohmann::ordered_json& bound);

/// "nvidia.com/gpu: requested 2, free 1 of 4", "nvidia.com/gpu=present:NoSchedule" for an entry of a node's `detail`.
[[nodiscard]] std::string detail_text(const nlohmann::ordered_json& detail);

}  // namespace gpusched::render
