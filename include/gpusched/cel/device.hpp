#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "gpusched/base/quantity.hpp"

namespace gpusched::cel {

/// A semantic version as it stands in a ResourceSlice; read strictly (2.0.0) when it is added to a device.
struct VersionText {
  std::string_view text;
};

struct VersionTexts {
  std::span<const std::string_view> texts;
};

/// What one of the eight fields of a DeviceAttribute can hold; monostate is an attribute that has none of them.
using AttributeInput =
    std::variant<std::monostate, std::int64_t, bool, std::string_view, VersionText, std::span<const std::int64_t>,
                 const std::vector<bool>*, std::span<const std::string_view>, VersionTexts>;
static_assert(std::is_trivially_destructible_v<AttributeInput>);

/// Whether a version can be read; a device that has another fails every expression.
[[nodiscard]] bool is_version(std::string_view text);

/// The name of an attribute or capacity as an expression sees it.
struct QualifiedName {
  std::string_view domain, name;
};
/// "domain/name", split at the first slash; without one the driver is the domain.
[[nodiscard]] QualifiedName qualified(std::string_view published, std::string_view driver);

namespace detail {
struct DeviceData;
}

/// The variable `device` of a selector, for any number of expressions. It points to the texts and amounts that it is
/// given, which must outlive it; lists may go.
///
/// Rule: k8s.io/dynamic-resource-allocation/cel DeviceMatches. A device with an attribute that has no value or a
/// version that does not parse makes every expression fail; of several bad ones the first in order of names is reported
/// (the real one picks any).
class Device {
 public:
  Device(std::string_view driver, bool allow_multiple_allocations);
  ~Device();
  Device(Device&&) noexcept;
  Device& operator=(Device&&) noexcept;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// Starts anew with another device, in the same memory.
  void reset(std::string_view driver, bool allow_multiple_allocations);
  /// Of equal names the last counts; a bad value is reported by the published name.
  void add_attribute(const QualifiedName& name, const AttributeInput& value, std::string_view published);
  /// The same for a text, which cannot be bad.
  void add_text(const QualifiedName& name, std::string_view text);
  void add_capacity(const QualifiedName& name, const Quantity& amount);
  /// By their published names.
  void add_attribute(std::string_view published, const AttributeInput& value) {
    add_attribute(qualified(published, driver()), value, published);
  }
  void add_capacity(std::string_view published, const Quantity& amount) {
    add_capacity(qualified(published, driver()), amount);
  }
  void add_capacity(std::string_view published, Quantity&& amount) = delete;

  /// "attribute a: unsupported attribute value"; empty for a good device.
  [[nodiscard]] std::string_view error() const;

  [[nodiscard]] std::string_view driver() const;
  [[nodiscard]] const detail::DeviceData& data() const { return *data_; }

 private:
  std::unique_ptr<detail::DeviceData> data_;
};

}  // namespace gpusched::cel
