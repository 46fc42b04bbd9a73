#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpusched/base/diagnostic.hpp"
#include "gpusched/mig/creation.hpp"
#include "gpusched/mig/layout_text.hpp"
#include "gpusched/mig/repartition.hpp"
#include "gpusched/mig/strategy.hpp"
#include "gpusched/model/cluster_usage.hpp"

namespace gpusched::frag {

/// A list of profiles that is created one after another by one rule.
struct CreationAnswer {
  mig::StartRule rule = mig::StartRule::kLowest;
  mig::Creation listed;        ///< in the order of the list
  mig::CreationOrders orders;  ///< in all orders
};

/// What becomes of one GPU that is to get the layout.
struct GpuRepartition {
  NodeId node;
  std::uint16_t gpu = 0;
  bool mode_changes = false;           ///< MIG mode has to be switched on or off
  std::vector<std::uint16_t> current;  ///< indices into NodeClass::instances; the plan's indices count these
  mig::RepartitionPlan plan;
  std::vector<PodId> drain;          ///< who has to go when it is done by hand or with dynamic MIG
  std::vector<PodId> manager_drain;  ///< who has to go so that the MIG manager can do it
};

/// Whether one board can be cut like that, how, and what it takes.
struct MigLayoutAnswer {
  const mig::Board* board = nullptr;
  mig::WantedLayout wanted;
  Diagnostics refused;                  ///< why not; empty: the layout is legal and the rest is filled in
  std::vector<mig::Instance> layout;    ///< in the order of the list
  std::uint32_t compute_slices = 0;     ///< that it uses
  std::uint32_t memory_slices = 0;      ///< likewise
  mig::CouldAdd could_add;              ///< what still fits beside it
  std::vector<CreationAnswer> created;  ///< by rule; empty when the list gives starts or has fewer than two entries
  mig::PluginResources mixed;           ///< what the device plugin advertises of one such GPU with `mixed`
  Result<mig::PluginResources> single;  ///< with `single`: resources, or why the plugin refuses
  std::vector<GpuRepartition> gpus;
};

/// Answers for a board alone.
[[nodiscard]] MigLayoutAnswer mig_layout(const mig::Board& board, mig::WantedLayout wanted);

/// Adds what it takes to cut one GPU of a cluster like that; the answer must be a legal one for the GPU's board. In MIG
/// mode the pods on instances that go have to leave, out of it all pods on the GPU. The MIG manager needs every pod of
/// the GPU gone, unless the profiles are the same already.
void add_gpu(MigLayoutAnswer& answer, const ClusterUsage& usage, NodeId node, std::uint16_t gpu);

}  // namespace gpusched::frag
