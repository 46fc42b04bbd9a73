#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>

namespace gpusched::report {

/// A finished report: a JSON document with its keys in order, ready for every renderer. Opaque, so that only the rooms
/// that make and render documents depend on the JSON library.
struct Document {
  std::shared_ptr<const nlohmann::ordered_json> json;
};

/// Whether a report has the member `cluster`, every GPU with its holders, which only drawings need.
enum class Cluster : std::uint8_t { kLeftOut, kShown };

}  // namespace gpusched::report
