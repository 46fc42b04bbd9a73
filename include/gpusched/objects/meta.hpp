#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/shared.hpp"
#include "gpusched/objects/resource_slice.hpp"

/// What all Kubernetes objects carry, as far as scheduling reads it. Source: k8s.io/apimachinery v0.37.2, meta/v1.
namespace gpusched::objects {

/// A point in time; the API writes whole seconds in UTC.
struct Timestamp {
  std::int64_t seconds = 0;  ///< since 1970-01-01T00:00:00Z
  std::int32_t nanoseconds = 0;

  auto operator<=>(const Timestamp&) const = default;
};

/// RFC 3339 with any offset and fraction; none when the text is something else.
[[nodiscard]] std::optional<Timestamp> parse_timestamp(std::string_view text);

/// "2026-11-28T09:15:00Z", without the fraction.
[[nodiscard]] std::string to_text(const Timestamp& time);

using Labels = Named<std::string>;

/// The value of that name, or nullptr.
template <class T>
[[nodiscard]] const T* find(const Shared<Named<T>>& values, std::string_view name) {
  return find(*values, name);
}

struct OwnerReference {
  std::string api_version, kind, name, uid;
  bool controller = false;

  bool operator==(const OwnerReference&) const = default;
};

struct ObjectMeta {
  std::string name, namespace_name, uid;
  Shared<Labels> labels;
  Shared<Labels> annotations;  ///< without kubectl's copy of the object
  Shared<std::vector<OwnerReference>> owner_references;
  std::optional<Timestamp> creation_timestamp;
  std::optional<Timestamp> deletion_timestamp;  ///< the object is being deleted

  bool operator==(const ObjectMeta&) const = default;
};

/// The owner that manages the object, or nullptr.
[[nodiscard]] const OwnerReference* controller_of(const ObjectMeta& meta);

}  // namespace gpusched::objects
