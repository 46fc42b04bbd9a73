#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpusched::chain {

/// A maker of accelerators that the operator knows.
struct Manufacturer {
  std::string_view name;            ///< lower case: "nvidia"
  std::string_view resource;        ///< extended resource of a whole accelerator: "nvidia.com/gpu"
  std::string_view pci_vendor;      ///< hexadecimal
  std::string_view partition_kind;  ///< "mig"; "" when it has no hardware partitions
  std::int64_t slices_per_card;     ///< that the device manager records; 0 where the sources disagree or say nothing
  bool cores_overcommit;
};

/// All of them, by name.
[[nodiscard]] std::span<const Manufacturer> manufacturers();
/// The one of that name, or nullptr.
[[nodiscard]] const Manufacturer* find_manufacturer(std::string_view name);
/// The one that an accelerator key ("nvidia-tesla-t4") starts with, or nullptr.
[[nodiscard]] const Manufacturer* manufacturer_of_key(std::string_view accelerator_key);

/// How a request wants an accelerator.
enum class Family : std::uint8_t { kExclusive, kShared, kSliced, kPartitioned };
[[nodiscard]] std::string_view name_of(Family family);

/// What an extended resource of an accelerator is.
struct AcceleratorResource {
  const Manufacturer* manufacturer;
  Family family;
  std::string_view part;  ///< "" for the card key itself, "units", "memory-mib", …, or a profile's published name
  bool profile = false;   ///< `part` is a profile's name
};

/// None for any other resource, visibility and RDMA tokens among them. ".partitioned.units" is never a profile.
[[nodiscard]] std::optional<AcceleratorResource> classify(std::string_view resource);

/// A profile's name as Pod specs, InstanceTypes and node keys have it: T-Head's "4g48gb" becomes "4g.48gb", all others
/// stay what the driver says.
[[nodiscard]] std::string published_profile(std::string_view manufacturer, std::string_view name);
/// Back to the spelling that the library of the manufacturer and the ledger use.
[[nodiscard]] std::string vendor_profile(std::string_view manufacturer, std::string_view name);
/// "nvidia.com/gpu.partitioned.mig-3g.40gb".
[[nodiscard]] std::string profile_key(const Manufacturer& manufacturer, std::string_view published);
/// Whether a profile can be offered: its key is a qualified name ("1g.10gb+me" is none).
[[nodiscard]] bool can_be_offered(const Manufacturer& manufacturer, std::string_view published);

/// Whether a key is a Kubernetes qualified name: an optional DNS prefix, and 1 to 63 characters of name.
[[nodiscard]] bool is_qualified_name(std::string_view key);
/// Whether a text can be a label's value.
[[nodiscard]] bool is_label_value(std::string_view text);

}  // namespace gpusched::chain
