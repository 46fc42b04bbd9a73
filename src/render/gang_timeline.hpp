#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gpusched::render {

/// A GangReport on a line of time, in characters: a row per job when there are few, else the GPUs in use.
void gang_timeline(const nlohmann::ordered_json& report, std::string& out);

}  // namespace gpusched::render
