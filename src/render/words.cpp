#include "render/words.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace gpusched::render {

std::string all_reduce_text(const nlohmann::ordered_json& bound) {
  return fmt::format("all-reduce of {:g} GB over {} at {:g} GB/s: at least {:.2g} s per step",
                     bound.at("gradientGB").get<double>(), bound.at("link") == "nvlink" ? "NVLink" : "PCIe",
                     bound.at("bandwidthGBps").get<double>(), bound.at("seconds").get<double>());
}

std::string detail_text(const nlohmann::ordered_json& detail) {
  const auto text = [&](const char* key) {
    const nlohmann::ordered_json& value = detail.at(key);
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  std::string words;
  if (detail.contains("taints")) {
    for (const nlohmann::ordered_json& taint : detail.at("taints")) {
      words += (words.empty() ? "" : ", ") + taint.get<std::string>();
    }
    return words;
  }
  words = fmt::format("{}: requested {}, free {} of {}", text("resource"), text("requested"), text("free"),
                      text("allocatable"));
  if (detail.contains("nominated")) {
    words += fmt::format(", {} kept for nominated pods", text("nominated"));
  }
  if (detail.contains("overCommitted")) {
    words += fmt::format(", over-committed by {}", text("overCommitted"));
  }
  return words;
}

}  // namespace gpusched::render
