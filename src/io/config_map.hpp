#pragma once

#include <string>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/io/document.hpp"

namespace gpusched::io {

/// One entry of a ConfigMap's data, parsed; its source is named "<file>: data/<entry>".
struct ConfigMapEntry {
  std::string name;
  Document document;
};

[[nodiscard]] bool is_config_map(const Document& document);
/// The documents of a ConfigMap's entries. Errors: no data, an entry that is no JSON or YAML.
[[nodiscard]] Result<std::vector<ConfigMapEntry>> config_map_entries(const Document& config_map);

}  // namespace gpusched::io
