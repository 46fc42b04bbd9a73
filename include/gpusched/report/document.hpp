#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

namespace gpusched::report {

/// A finished report: a JSON document with its keys in order, ready for every renderer. Opaque, so that only the rooms
/// that make and render documents depend on the JSON library.
struct Document {
  std::shared_ptr<const nlohmann::ordered_json> json;
};

}  // namespace gpusched::report
