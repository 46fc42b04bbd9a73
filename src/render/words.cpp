#include "render/words.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

std::string_view link_text(const Json& link) {
  return link == "nvlink"   ? "NVLink"
         : link == "pcie"   ? "PCIe"
         : link == "uplink" ? "the links of racks"
                            : "the network";
}

/// "between 2 nodes".
std::string between(const Json& level) {
  return fmt::format("between {} {}", level.at("members").dump(),
                     level.at("level") == "gpus" ? "GPUs" : level.at("level").get_ref<const std::string&>());
}

}  // namespace

std::string all_reduce_text(const Json& bound) {
  const double gradient = bound.at("gradientGB").get<double>();
  const Json levels = bound.value("levels", Json::array());
  std::string unknown;
  std::string where;
  for (const Json& level : levels) {
    if (level.at("seconds").is_null()) {
      unknown += fmt::format("{}{}", unknown.empty() ? "" : ", ", between(level));
    } else if (levels.size() > 1 && level.at("seconds") == bound.at("seconds") && where.empty()) {
      where = " " + between(level);
    }
  }
  if (!unknown.empty()) {
    unknown = fmt::format("the bandwidth {} is unknown", unknown);
  }
  if (bound.at("seconds").is_null()) {
    return fmt::format("all-reduce of {:g} GB: {}", gradient, unknown);
  }
  return fmt::format("all-reduce of {:g} GB over {} at {:g} GB/s{}: at least {:.2g} s per step{}{}", gradient,
                     link_text(bound.at("link")), bound.at("bandwidthGBps").get<double>(), where,
                     bound.at("seconds").get<double>(), unknown.empty() ? "" : "; ", unknown);
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
