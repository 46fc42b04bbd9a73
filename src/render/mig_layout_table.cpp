#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/cells.hpp"
#include "render/tables.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

std::string words(const Json& list, std::string_view none, std::string_view separator = ", ") {
  std::string line;
  for (const Json& word : list) {
    line += (line.empty() ? "" : std::string(separator)) +
            (word.get_ref<const std::string&>().empty() ? "(unnamed)" : text(word));
  }
  return line.empty() ? std::string(none) : line;
}

std::string slices(const Json& layout, std::string_view key) {
  return fmt::format("{} of {}", layout.at(key).at("used").dump(), layout.at(key).at("total").dump());
}

void creation_lines(const Json& layout, std::string& out) {
  for (const Json& creation : layout.at("creation")) {
    const bool lowest = creation.at("starts") == "lowest";
    out += fmt::format("  one after another, {}: ",
                       lowest ? "each at the lowest start" : "as NVIDIA's driver chooses starts (inferred)");
    if (creation.contains("stopsAt")) {
      out += fmt::format("stops at {} beside {}; {} of {} orders work{}\n", text(creation.at("stopsAt")),
                         words(creation.at("created"), "nothing"), creation.at("workingOrders").dump(),
                         creation.at("orders").dump(),
                         creation.at("tries") == 0 ? "" : ", as " + words(creation.at("workingOrder"), ""));
    } else {
      out += fmt::format("works as listed, {}; {} of {} orders work\n", words(creation.at("created"), ""),
                         creation.at("workingOrders").dump(), creation.at("orders").dump());
    }
  }
}

std::string resource_words(const Json& resources) {
  std::string line;
  for (const auto& [name, count] : resources.items()) {
    line += fmt::format("{}{} x{}", line.empty() ? "" : ", ", escape_control(name), count.dump());
  }
  return line.empty() ? "nothing" : line;
}

void gpu_lines(const Json& gpu, std::string& out) {
  out += fmt::format("  {} GPU {}: keeps {}; removes {}; creates {}{}\n", text(gpu.at("node")), gpu.at("gpu").dump(),
                     words(gpu.at("kept"), "none"), words(gpu.at("removed"), "none"), words(gpu.at("created"), "none"),
                     gpu.at("modeChanges") == true ? "; MIG mode changes" : "");
  out += fmt::format(
      "    by hand or with dynamic MIG: {}; MIG manager: {}\n",
      gpu.at("drain").empty() ? "nobody has to go" : "drain " + words(gpu.at("drain"), ""),
      gpu.at("migManagerDrain").empty() ? "nobody has to go" : "drain " + words(gpu.at("migManagerDrain"), ""));
}

void layout_lines(const Json& layout, const TableOptions& options, std::string& out) {
  out += fmt::format("{} ({}): ", text(layout.at("target")), text(layout.at("product")));
  if (layout.at("fits") == false) {
    out += fmt::format("does not fit: {}\n", text(layout.at("message")));
    if (!layout.at("hint").get_ref<const std::string&>().empty()) {
      out += fmt::format("  {}\n", text(layout.at("hint")));
    }
    return;
  }
  out += fmt::format("{}\n", layout.at("migEnabled") == false ? "MIG mode off" : words(layout.at("layout"), "empty"));
  out += fmt::format("  {} memory and {} compute slices in use; could add {}\n", slices(layout, "memorySlices"),
                     slices(layout, "computeSlices"), words(layout.at("couldAdd"), "nothing"));
  if (options.wide && !layout.at("couldAddOther").empty()) {
    out += fmt::format("  other profiles: {}\n", words(layout.at("couldAddOther"), ""));
  }
  creation_lines(layout, out);
  const Json& resources = layout.at("resources");
  out += fmt::format("  advertised: strategy mixed {}; single {}\n", resource_words(resources.at("mixed")),
                     resources.contains("single") ? resource_words(resources.at("single"))
                                                  : "refuses: " + text(resources.at("singleRefused")));
  if (layout.contains("gpus")) {
    for (const Json& gpu : layout.at("gpus")) {
      gpu_lines(gpu, out);
    }
  }
}

}  // namespace

void mig_layout_table(const Json& report, const TableOptions& options, std::string& out) {
  for (const Json& layout : report.at("layouts")) {
    layout_lines(layout, options, out);
  }
}

}  // namespace gpusched::render
