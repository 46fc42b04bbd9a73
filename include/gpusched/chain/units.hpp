#pragma once

#include <cstdint>
#include <string_view>

/// Amounts and names that every part of GPUStack's scheduling chain uses.
/// Source: GPUStack operator v0.9.0-rc2, "Scheduling Chain" and "Admission".
namespace gpusched::chain {

/// Credits of one whole accelerator, so chosen that shares and per cents are whole numbers.
inline constexpr std::int64_t kUnitsPerCard = 1'600'000;
inline constexpr std::int64_t kSharesPerCard = 10;
inline constexpr std::int64_t kUnitsPerShare = kUnitsPerCard / kSharesPerCard;
inline constexpr std::int64_t kUnitsPerPercent = kUnitsPerCard / 100;

/// How an accelerator is in use, as the ledger stores it.
enum class Mode : std::uint8_t { kNone = 0, kExclusive = 1, kShared = 2, kSliced = 3, kPartitioned = 4 };

// Labels and annotations.
inline constexpr std::string_view kManaged = "gpustack.ai/managed";
inline constexpr std::string_view kFeature = "feature.gpustack.ai/";
inline constexpr std::string_view kAcceleratable = "feature.gpustack.ai/acceleratable";
inline constexpr std::string_view kCpuOnly = "feature.gpustack.ai/cpu-only";
inline constexpr std::string_view kAcceleratorPrefix = "acceleratable.feature.gpustack.ai/";
inline constexpr std::string_view kGeneralPrefix = "general.feature.gpustack.ai/";
inline constexpr std::string_view kProfile = "topology.gpustack.ai/profile";
inline constexpr std::string_view kObjectType = "resource.gpustack.ai/type";
inline constexpr std::string_view kCreditsPrefix = "credits.gpustack.ai/";
inline constexpr std::string_view kSlicedFitPrefix = "sliced-max-free-units.fit.gpustack.ai/";
inline constexpr std::string_view kSharedFitPrefix = "shared-free-cards.fit.gpustack.ai/";
inline constexpr std::string_view kQueueEntrance = "schedule.gpustack.ai/queue-entrance";
inline constexpr std::string_view kDerivedFromNode = "schedule.gpustack.ai/derived-from-node";
inline constexpr std::string_view kScheduleQueue = "schedule.gpustack.ai/queue";
inline constexpr std::string_view kQueueName = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kOs = "kubernetes.io/os";
inline constexpr std::string_view kArch = "kubernetes.io/arch";
inline constexpr std::string_view kHostname = "kubernetes.io/hostname";

inline constexpr std::string_view kTasQueue = "topology.gpustack.ai/tas-queue";
inline constexpr std::string_view kMigrationPhase = "topology.gpustack.ai/migration-phase";
inline constexpr std::string_view kMigrationStopPolicy = "topology.gpustack.ai/migration-stop-policy";
inline constexpr std::string_view kEmptyPlanHold = "topology.gpustack.ai/empty-plan-hold";

inline constexpr std::string_view kNodeDevicesCheck = "gpustack-node-devices";
inline constexpr std::string_view kJointCheck = "gpustack-model-deployment-joint";

/// The group that stands for every CPU when pools are not aware of the CPU's manufacturer.
inline constexpr std::string_view kGenericGroup = "generic";

}  // namespace gpusched::chain
