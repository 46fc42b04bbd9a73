#include "io/config_map.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/io/decode.hpp"

namespace gpusched::io {

bool is_config_map(const Document& document) {
  const Value* const kind = document.root.find("kind");
  return kind != nullptr && kind->is_string() && kind->text() == "ConfigMap";
}

Result<std::vector<ConfigMapEntry>> config_map_entries(const Document& config_map) {
  std::vector<ConfigMapEntry> entries;
  Diagnostics errors;
  const Value* const data = config_map.root.find("data");
  for (const Member& member : data == nullptr ? std::span<const Member>() : data->members()) {
    Result<std::vector<Document>> documents =
        parse_documents({.name = fmt::format("{}: data/{}", config_map.source_name(), escape_control(member.key())),
                         .bytes = std::string(member.value.text())});
    if (!documents) {
      std::ranges::move(documents.error(), std::back_inserter(errors));
      continue;
    }
    for (Document& document : *documents) {
      entries.push_back({std::string(member.key()), std::move(document)});
    }
  }
  if (entries.empty() && errors.empty()) {
    Decoder decoder(config_map);
    decoder.error(config_map.root, "missing-key", "the ConfigMap has no data");
    return std::unexpected(decoder.take_diagnostics());
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return entries;
}

}  // namespace gpusched::io
