#pragma once

#include <span>

#include "gpusched/chain/admission.hpp"

namespace gpusched::chain {

/// What Kueue sees: nodes with their labels and keys as the chain leaves them, queues and flavors, and the workloads
/// that passed Gate 1 with the requests and affinities that the webhooks gave them. `dump` is the question's own.
[[nodiscard]] objects::KueueObjects kueue_world(const AdmissionQuestion& question, objects::KueueObjects dump,
                                                std::span<const JudgedWorkload> judged);

}  // namespace gpusched::chain
