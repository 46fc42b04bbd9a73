#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched::mig {

/// Media and copy engines of a profile or of a whole GPU; kUnknownEngines where no source gives the number.
struct Engines {
  std::int8_t copy;
  std::int8_t decoder;
  std::int8_t encoder;
  std::int8_t jpeg;
  std::int8_t ofa;  ///< optical flow accelerators

  bool operator==(const Engines&) const = default;
};
inline constexpr std::int8_t kUnknownEngines = -1;

/// What a profile's suffix changes; it never changes slices or starts.
enum class Variant : std::uint8_t {
  kPlain,     ///< "1g.10gb"
  kMedia,     ///< "+me": also the JPEG and OFA engines
  kAllMedia,  ///< "+me.all": every media engine of the GPU
  kNoMedia,   ///< "-me": no media engine
  kGraphics,  ///< "+gfx": graphics APIs
};

/// One GPU instance profile of one board: a row of `nvidia-smi mig -lgip` and `-lgipp`.
/// The id, not the name, identifies a profile between drivers: names follow the memory that the driver reports.
struct Profile {
  std::string_view name;  ///< NVIDIA's spelling: "1g.10gb", "1g.10gb+me", "1g.24gb+me.all", "1g.24gb-me"
  Variant variant;
  bool double_memory;             ///< the one-slice profile with twice the memory of the plain one
  std::uint8_t compute_slices;    ///< the number before "g"
  std::uint8_t memory_slices;     ///< size on the memory axis; 0 unknown
  std::uint16_t starts;           ///< legal starts, bit i for memory slice i; 0 when the board's starts are unknown
  std::uint8_t max_instances;     ///< of this profile on one GPU
  std::int16_t gi_profile_id;     ///< the number that `nvidia-smi mig -cgi` takes; -1 unknown
  std::uint32_t memory_mib;       ///< of one instance, as printed by the driver of the capture; 0 unknown
  std::uint16_t multiprocessors;  ///< SMs of one instance, not proportional to the slices; 0 unknown
  Engines engines;

  /// The plain profile of its number of compute slices: what a person means by "1g, 2g, 3g, 4g, 7g".
  [[nodiscard]] constexpr bool base() const { return variant == Variant::kPlain && !double_memory; }
};

/// Index into Board::profiles.
using ProfileIndex = std::uint8_t;

/// No board takes more instances: one for each compute slice (NVIDIA MIG User Guide, "Supported MIG Profiles").
inline constexpr std::size_t kMaxInstancesPerGpu = 7;

/// The MIG geometry of one GPU product (or of several with the same one).
struct Board {
  std::string_view id;                         ///< "a100-80gb"
  std::span<const std::string_view> products;  ///< "NVIDIA A100-SXM4-80GB", ...; the first one is used in messages
  std::string_view architecture;               ///< "ampere", "hopper", "blackwell"
  std::uint8_t compute_slices;                 ///< that instances may use together: 7, not 8, on an eight-slice board
  std::uint8_t memory_slices;                  ///< length of the memory axis: 4, 8 or 12; 0 unknown
  std::uint32_t memory_total_mib;              ///< of a captured board; 0 unknown. Compare by range only
  std::uint16_t memory_nominal_gb;             ///< the figure of the name; 0 for a board with unified memory
  std::uint16_t multiprocessors;               ///< SMs of the whole GPU; 0 unknown
  std::uint8_t max_instances;                  ///< of all profiles together
  bool starts_known;                           ///< false: which layouts are legal is unknown, nothing can be placed
  Engines engine_budget;                       ///< that instances may use together
  std::span<const Profile> profiles;           ///< ascending by size; at most 16
};

/// Every board of the table, in a fixed order. Source of each row: src/mig/geometry_table.inc.
[[nodiscard]] std::span<const Board> boards();

/// The board that a product name means, or nullptr: no MIG on that product, a vGPU, an unknown name, or a name that
/// leaves several boards open.
///
/// Read are NVML names ("NVIDIA A100-SXM4-80GB"), GFD's `nvidia.com/gpu.product` with its suffixes
/// ("NVIDIA-H100-80GB-HBM3-MIG-1g.10gb-SHARED"), GKE and CoreWeave labels ("nvidia-h100-mega-80gb",
/// "A100_NVLINK_80GB") and short forms ("A100-PCIE-80GB"); case and the kind of separator do not matter, and a word
/// that is not understood means no match. The rules stand in src/mig/board_names.cpp.
///
/// memory_mib (0: unknown) is the GPU's total memory. It decides between the boards that the name leaves open ("A100"),
/// by range (drivers differ by a few per cent); a figure in the name wins over it, and it is not used when the name has
/// a -MIG- suffix, because GFD then reports the memory of one instance.
[[nodiscard]] const Board* find_board(std::string_view model, std::uint64_t memory_mib = 0);

/// The boards that a name leaves open without a memory size, for a message: "A100" -> a100-40gb, a100-80gb.
[[nodiscard]] std::vector<const Board*> board_candidates(std::string_view model);

}  // namespace gpusched::mig
