#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gpusched/base/quantity.hpp"

namespace gpusched::cel {

/// A semantic version as it stands in a ResourceSlice; read strictly (2.0.0) when the device is built.
struct VersionText {
  std::string_view text;
};

struct VersionTexts {
  std::span<const std::string_view> texts;
};

/// What one of the eight fields of a DeviceAttribute can hold; monostate is an attribute that has none of them.
using AttributeInput =
    std::variant<std::monostate, std::int64_t, bool, std::string_view, VersionText, std::span<const std::int64_t>,
                 std::vector<bool>, std::span<const std::string_view>, VersionTexts>;

struct NamedAttribute {
  std::string_view name;  ///< "domain/name"; without a slash the driver is the domain
  AttributeInput value;
};

struct NamedCapacity {
  std::string_view name;  ///< as for attributes
  Quantity value;
};

namespace detail {
struct DeviceData;
}

/// The variable `device` of a selector, made ready once for any number of expressions: names split into domain and
/// name, versions parsed, names hashed. It copies what it is given, except that nothing is shared with the caller.
///
/// Rule: k8s.io/dynamic-resource-allocation/cel DeviceMatches. A device with an attribute that has no value or a
/// version that does not parse makes every expression fail; of several bad ones the first in order of names is reported
/// (the real one picks any).
class Device {
 public:
  Device(std::string_view driver, bool allow_multiple_allocations, std::span<const NamedAttribute> attributes,
         std::span<const NamedCapacity> capacities);
  ~Device();
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// "attribute a: unsupported attribute value"; empty for a good device.
  [[nodiscard]] std::string_view error() const;

  [[nodiscard]] const detail::DeviceData& data() const { return *data_; }

 private:
  std::unique_ptr<detail::DeviceData> data_;
};

}  // namespace gpusched::cel
