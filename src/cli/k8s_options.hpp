#pragma once

#include <optional>
#include <string_view>

#include "cli/inputs.hpp"
#include "gpusched/kubescheduler/predict.hpp"

namespace gpusched::cli {

/// "1.37", "v1.36.5", "v1.34.1-gke.2000"; none for anything else.
[[nodiscard]] std::optional<kubescheduler::SchedulerVersion> parse_scheduler_version(std::string_view text);

/// The release, feature gates and scheduler configuration that --k8s-version, --features and --scheduler-config ask
/// for. Without --k8s-version the newest kubelet of the nodes tells the release, else the texts of recorded conditions,
/// else it is 1.37. `warnings` gets what is read but not simulated. `selectors` of the result is left to the caller.
[[nodiscard]] Result<kubescheduler::PredictOptions> predict_options(const Arguments& arguments, Inputs& inputs,
                                                                    const objects::ClusterObjects& cluster,
                                                                    Diagnostics& warnings);

}  // namespace gpusched::cli
