#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gpusched::report {

/// Where an object of an answer stands in the input.
struct Location {
  std::string file;        ///< as the user gave it
  std::uint32_t line = 0;  ///< 1-based; 0: unknown
  std::string pointer;     ///< JSON pointer into the document; "" unknown
};

/// By "pod ml/train-8", "claim ml/pair": the kind, and the name as the document has it.
using Locations = std::map<std::string, Location, std::less<>>;

/// A finished report: a JSON document with its keys in order, ready for every renderer. Opaque, so that only the rooms
/// that make and render documents depend on the JSON library.
struct Document {
  std::shared_ptr<const nlohmann::ordered_json> json;
  Locations locations = {};  ///< of objects, where known; for reports that point into the input
};

}  // namespace gpusched::report
