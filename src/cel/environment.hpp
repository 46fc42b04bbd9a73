#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cel/function.hpp"
#include "cel/type.hpp"
#include "gpusched/cel/program.hpp"

namespace gpusched::cel {

/// A field of a message or of the device.
struct Field {
  std::string_view name;
  const Type* type = nullptr;
};

/// The declarations that an expression is checked against.
class Declarations {
 public:
  Declarations(Environment environment, const Features& features);

  [[nodiscard]] const Function* function(std::string_view name) const;
  /// Type of device.attributes[domain][name]: dyn or any.
  [[nodiscard]] const Type* attribute_type() const { return attribute_type_; }
  /// How many bytes or elements an attribute's value has at most.
  [[nodiscard]] std::uint64_t attribute_size() const { return 64; }

  /// A type by the name that an expression can use, also to make a message; null when there is none.
  [[nodiscard]] static const Type* named_type(std::string_view name);
  /// The message behind a type that CEL has made its own, whatever name it was given; "" for other types.
  [[nodiscard]] static std::string_view well_known_message(const Type& type);
  /// Whether type names of this kind exist for the checker only: using one fails when the program is made.
  [[nodiscard]] static bool only_checked(std::string_view name);

  /// The type of a field of a struct type (the device, a message): null when it has no such field, nothing when there
  /// is no such struct type.
  [[nodiscard]] std::optional<const Type*> field(std::string_view type_name, std::string_view name) const;

 private:
  Environment environment_;
  bool includes_ = true;
  const Type* attribute_type_ = &types::kDyn;
  std::vector<Field> device_fields_;
};

}  // namespace gpusched::cel
