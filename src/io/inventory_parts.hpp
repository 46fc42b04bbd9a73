#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/io/gpu_inventory.hpp"
#include "io/hardware_tables.hpp"

// The pieces of infer_gpus.
namespace gpusched::io {

/// A node with more GPUs gets no islands, NUMA nodes and layouts: the number is a mistake (model: kMaxGpusPerNode).
inline constexpr std::int64_t kMostGpus = 1024;

struct Units {
  std::int64_t capacity = 0, allocatable = 0;
};

/// A node as the object of a diagnostic; a fragment of documentation may leave its name out.
[[nodiscard]] std::string node_title(std::string_view name);

/// Look-ups in a node and what was concluded of it so far.
class Inventory {
 public:
  explicit Inventory(const NodeFacts& node) : node_(node) {}

  [[nodiscard]] const NodeFacts& node() const { return node_; }
  /// "" when there is none.
  [[nodiscard]] std::string_view label(std::string_view key) const;
  [[nodiscard]] bool has_label(std::string_view key) const;
  [[nodiscard]] std::optional<std::int64_t> number_label(std::string_view key) const;
  /// "" when there is none.
  [[nodiscard]] std::string_view annotation(std::string_view key) const;
  /// A resource that is in allocatable only counts as capacity too.
  [[nodiscard]] Units units(std::string_view resource) const;
  /// Names in capacity or allocatable with one of them above 0, sorted.
  [[nodiscard]] std::vector<std::string_view> resources() const;

  void infer(std::string what, std::string from);
  void warn(Severity severity, std::string code, std::string message, std::string hint = {});

  GpuInventory result;

 private:
  const NodeFacts& node_;
};

[[nodiscard]] std::optional<std::int64_t> parse_number(std::string_view text);
/// "24Gi", "24576MiB" or "24576" (MiB) -> MiB.
[[nodiscard]] std::optional<std::int64_t> parse_mib(std::string_view text);

/// A resource by which a scheduler of its own gives out parts of GPUs.
struct PartsOfGpus {
  std::string_view resource;
  std::int64_t of_each = 0;    ///< of which a GPU has so many
  std::string_view gpus = {};  ///< or: the resource that counts the GPUs
};
[[nodiscard]] std::span<const PartsOfGpus> parts_of_gpus();

/// The GPUs that a sharing plugin registered with its scheduler, and how many units of its resource they count for.
struct Register {
  std::string from;
  std::int64_t gpus = 0;
  std::int64_t units = 0;          ///< of all GPUs
  std::int64_t units_of_each = 0;  ///< 0 when they differ
  std::int64_t memory_mib = 0;     ///< of each for pods to ask for, perhaps more than there is; 0 when they differ
  std::string model;               ///< "" when they differ
};

/// What labels and the instance type say of the GPUs of one vendor, before resources are looked at.
struct Hints {
  std::string model, model_from;
  std::vector<const Product*> products;  ///< that the model leaves open
  std::int64_t memory_mib = 0;  ///< as reported; of an instance when mig_profile is set, of a vGPU when vgpu is
  std::string memory_from;
  bool memory_measured = false;  ///< by a driver; other labels round it or name the nominal size
  std::int64_t count = 0;  ///< of GPUs; of MIG instances when mig_profile is set by GPU Feature Discovery; 0 unknown
  std::string count_from;
  std::optional<std::int64_t> replicas;
  std::string replicas_from;
  std::optional<Register> registered;
  std::optional<Sharing> sharing;
  std::string mig_profile;  ///< strategy single
  bool mig_count_is_instances = false;
  bool mig_invalid = false, vgpu = false;
  bool present = false;  ///< a label says that there are GPUs, not which
  const Shape* shape = nullptr;
  std::string shape_from;
  std::string clique;

  /// The one product, or nullptr.
  [[nodiscard]] const Product* product() const { return products.size() == 1 ? products.front() : nullptr; }
  /// Whether any label tells of hardware.
  [[nodiscard]] bool hardware() const { return present || !model.empty() || count > 0; }
};

/// Labels of GPU Feature Discovery, then clouds and others, then the instance type.
[[nodiscard]] Hints nvidia_hints(Inventory& inventory);
/// nullopt when there is none, or one that cannot be read.
[[nodiscard]] std::optional<Register> read_register(const Inventory& inventory);
/// Notes a resource that counts parts of GPUs, and how many GPUs that makes.
void read_parts(Hints& hints, Inventory& inventory);
/// The product and memory of a model name that another source gave.
void resolve_model(Hints& hints, Inventory& inventory);

/// Model, memory, bandwidth, geometry of the group from the hints; needs its count and MIG state for the islands.
void describe(GpuGroup& group, const Hints& hints, Inventory& inventory);
/// Islands, NUMA nodes, bandwidth.
void lay_topology(GpuGroup& group, const Hints& hints, Inventory& inventory);

/// The board on which all the profiles exist, when there is only one.
[[nodiscard]] const mig::Board* board_of_profiles(const std::vector<MigCount>& instances);
/// Splits the counts of the instances over the group's GPUs (over as few as possible when `count` is not known) and
/// sets count, layouts and their basis.
void split_instances(GpuGroup& group, Inventory& inventory);

/// Takes the group's units as `replicas` of each GPU; a warning when they do not divide.
void set_replicas(GpuGroup& group, std::int64_t replicas, Inventory& facts);

void read_slices(Inventory& inventory, const InventoryOptions& options);
[[nodiscard]] std::vector<GpuGroup> nvidia_groups(Inventory& inventory);
[[nodiscard]] std::vector<GpuGroup> other_groups(Inventory& inventory);

}  // namespace gpusched::io
