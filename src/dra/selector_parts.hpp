#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/cel/program.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// What `&&` joins in a selector, each compiled by itself.
struct SelectorPart {
  std::string text;
  std::optional<cel::Program> program;  ///< none: it does not compile alone
};
[[nodiscard]] std::vector<SelectorPart> parts_of(std::string_view expression);

/// What of a device an expression looks at: `model is "L4", memory is 24Gi`; "" when it is not a few named values.
[[nodiscard]] std::string observed_values(const cel::Program& program, std::string_view driver,
                                          const objects::Device& device);

/// Says why devices do not match selectors.
class SelectorReasons {
 public:
  /// The values that made the first false part false, or the error: `model is "L4"`. Of a device that does not match.
  [[nodiscard]] std::string reason(const std::string& expression, std::string_view driver,
                                   const objects::Device& device);

 private:
  std::map<std::string, std::vector<SelectorPart>, std::less<>> parts_;
  cel::Scratch scratch_;
};

}  // namespace gpusched::dra
