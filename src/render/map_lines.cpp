#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "gpusched/base/text.hpp"
#include "render/tables.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxSlices = 32;  // of a GPU; no board has as many

/// "#|==|###|..": instances along the memory slices, # held, = free, and slices of none.
std::string mig_bar(const Json& gpu) {
  std::string bar;
  std::size_t at = 0;
  const auto add = [&](std::size_t until, char sign) {
    if (until > at) {
      bar += (bar.empty() ? "" : "|") + std::string(std::min(until - at, kMaxSlices), sign);
      at = until;
    }
  };
  for (const Json& instance : gpu.at("instances")) {
    const auto start = instance.at("start").get<std::size_t>();
    add(start, '.');
    add(start + instance.at("slices").get<std::size_t>(), instance.contains("pod") ? '#' : '=');
  }
  add(gpu.at("slices").get<std::size_t>(), '.');
  return fmt::format("<{}>", bar);
}

std::string gpu_cell(const Json& gpu) {
  if (gpu.contains("instances")) {
    return mig_bar(gpu);
  }
  if (gpu.contains("replicas")) {
    return fmt::format("({}/{})", gpu.at("free").dump(), gpu.at("replicas").dump());
  }
  const double free = gpu.at("free").get<double>();
  return free >= 1 ? "." : free > 0 ? "+" : "#";
}

std::string islands(const Json& node) {
  const bool known = !node.contains("islandsUnknown");
  std::map<std::int64_t, std::string> cells;
  for (const Json& gpu : node.at("gpus")) {
    cells[known ? gpu.at("island").get<std::int64_t>() : 0] += gpu_cell(gpu);
  }
  std::string line;
  for (const auto& [island, gpus] : cells) {
    const bool framed = gpus.find_first_of("(<") != std::string::npos;
    line += framed ? gpus : known ? fmt::format("[{}]", gpus) : fmt::format("?{}?", gpus);
  }
  return line;
}

/// What the signs that occur mean.
std::string legend(const std::string& cells) {
  static constexpr std::array<std::pair<char, std::string_view>, 7> kSigns = {{{'#', "# held"},
                                                                               {'+', "+ held in part"},
                                                                               {'.', ". free"},
                                                                               {'[', "[] NVLink island"},
                                                                               {'?', "?? links unknown"},
                                                                               {'(', "(free/replicas)"},
                                                                               {'<', "<MIG slices: = free instance>"}}};
  std::vector<std::string_view> words;
  for (const auto& [sign, word] : kSigns) {
    if (cells.find(sign) != std::string::npos) {
      words.push_back(word);
    }
  }
  return join(words, ", ");
}

}  // namespace

void cluster_map_lines(const Json& report, std::string& out) {
  const auto cluster = report.find("cluster");
  if (cluster == report.end()) {
    return;
  }
  Columns columns({"node", "GPUs"});
  std::size_t nodes = 0;
  std::string all;
  for (const Json& node : cluster->at("nodes")) {
    if (!node.at("gpus").empty() && ++nodes <= kMaxRows) {
      std::string cells = islands(node);
      all += cells;
      columns.add({escape_control(node.at("name").get_ref<const std::string&>()), std::move(cells)});
    }
  }
  if (nodes == 0 || nodes > kMaxRows) {
    return;
  }
  out += fmt::format("map: {}\n", legend(all));
  columns.write(out, {false, false}, false, 2);
}

}  // namespace gpusched::render
