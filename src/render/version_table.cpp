#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "render/tables.hpp"

namespace gpusched::render {

void version_table(const nlohmann::ordered_json& document, const TableOptions& options, std::string& out) {
  out += fmt::format("gpusched {}\n", document.at("version").get<std::string>());
  if (!options.wide) {
    return;
  }
  for (const auto& [system, name] : {std::pair{"kubernetes", "Kubernetes"}, std::pair{"kueue", "Kueue"}}) {
    const auto releases = document.at(system).at("exact").get<std::vector<std::string>>();
    out += fmt::format("{} {}\n", name, fmt::join(releases, ", "));
  }
  const nlohmann::ordered_json& build = document.at("build");
  out += fmt::format("built by {}, {}\n", build.at("compiler").get<std::string>(), build.at("type").get<std::string>());
}

}  // namespace gpusched::render
