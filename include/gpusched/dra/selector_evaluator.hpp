#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// Answers CEL device selectors. An expression is compiled once and a device made ready once; both are then known by a
/// number, so that an implementation can remember outcomes. Not for several threads at once.
class SelectorEvaluator {
 public:
  struct Outcome {
    bool match = false;
    std::string error;  ///< the runtime error as DeviceMatches words it, without the hint on missing keys; "" if none
  };
  struct Derived {
    objects::AttributeValue value;
    std::string error;
  };

  virtual ~SelectorEvaluator() = default;

  /// The number of an expression; the same text has the same number.
  [[nodiscard]] virtual std::size_t compile(std::string_view expression) = 0;
  /// As DRA's compiler words it; "" for an expression that compiles.
  [[nodiscard]] virtual const std::string& compile_error(std::size_t selector) const = 0;
  /// The device must stay where it is as long as its number is used; then it may go, whatever was asked about it.
  [[nodiscard]] virtual std::size_t add_device(std::string_view driver, const objects::Device& device) = 0;
  [[nodiscard]] virtual const Outcome& evaluate(std::size_t selector, std::size_t device) = 0;

  /// The same for expressions of derived attributes, which have numbers of their own.
  [[nodiscard]] virtual std::size_t compile_derived(std::string_view expression) = 0;
  [[nodiscard]] virtual const std::string& derived_compile_error(std::size_t expression) const = 0;
  [[nodiscard]] virtual const Derived& derive(std::size_t expression, std::size_t device) = 0;
};

}  // namespace gpusched::dra
