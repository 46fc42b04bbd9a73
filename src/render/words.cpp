#include "render/words.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace gpusched::render {

std::string all_reduce_text(const nlohmann::ordered_json& bound) {
  return fmt::format("all-reduce of {:g} GB over {} at {:g} GB/s: at least {:.2g} s per step",
                     bound.at("gradientGB").get<double>(), bound.at("link") == "nvlink" ? "NVLink" : "PCIe",
                     bound.at("bandwidthGBps").get<double>(), bound.at("seconds").get<double>());
}

}  // namespace gpusched::render
