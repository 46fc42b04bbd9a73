#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace gpusched::render {

/// The stays and events of a GangReport as a trace that Perfetto and chrome://tracing open: a process for each node, a
/// thread for each GPU, a complete event for each pod on it; counters of jobs and GPUs, and what went wrong as
/// instants. Times are the virtual clock's, in microseconds. Source of the format: "Trace Event Format", Google, 2016.
[[nodiscard]] std::string trace_events(const nlohmann::ordered_json& report);

}  // namespace gpusched::render
