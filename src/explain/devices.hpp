#pragma once

#include "explain/findings.hpp"
#include "gpusched/whatif/trial.hpp"

namespace gpusched::explain {

/// Whether devices are in the way on the nearest nodes.
[[nodiscard]] bool lacks_devices(const Survey& survey);

/// kube-scheduler says the same of devices that others hold and of devices that do not exist.
[[nodiscard]] Finding verdict_on_devices(const Question& question, whatif::Trial& trial);

/// Where the devices of the nodes go on the way to the pod's claims, and changes of the claims with which a node that
/// nothing else shuts has devices.
void find_devices(const Question& question, std::vector<Finding>& findings, std::vector<Fix>& fixes);

}  // namespace gpusched::explain
