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

/// By "pod ml/train-8", "claim ml/pair": the kind, and the name as the document has it. "" stands for all others.
using Locations = std::map<std::string, Location, std::less<>>;

/// A finished report: a JSON document with its keys in order, ready for every renderer. Opaque, so that only the rooms
/// that make and render documents depend on the JSON library.
struct Document {
  std::shared_ptr<const nlohmann::ordered_json> json;
  Locations locations = {};  ///< of objects, where known; for reports that point into the input
  /// What a table tells when that is less than the whole; null: all of it.
  std::shared_ptr<const nlohmann::ordered_json> brief = {};
};

/// Whether a report has the members that only drawings need: `cluster`, every GPU with its holders, and the `stays` of
/// a simulation.
enum class Cluster : std::uint8_t { kLeftOut, kShown };

/// The document without these members, as every form but a drawing has it.
[[nodiscard]] Document without_drawings(const Document& document);

}  // namespace gpusched::report
