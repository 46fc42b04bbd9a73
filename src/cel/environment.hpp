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

  /// A type by the name that an expression can use, or null.
  [[nodiscard]] static const Type* named_type(std::string_view name);
  /// A type that a message literal can name, or null; may turn out to be no message.
  [[nodiscard]] static const Type* message_type(std::string_view name);
  /// Whether type names of this kind exist for the checker only: using one fails when the program is made.
  [[nodiscard]] static bool only_checked(std::string_view name);

  /// The fields of a struct type (the device, a message); null when there is no such type.
  [[nodiscard]] const std::vector<Field>* fields(std::string_view type_name) const;

 private:
  Environment environment_;
  bool includes_ = true;
  const Type* attribute_type_ = &types::kDyn;
  std::vector<Field> device_fields_;
};

}  // namespace gpusched::cel
