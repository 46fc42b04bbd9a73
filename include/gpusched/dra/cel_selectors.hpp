#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "gpusched/dra/features.hpp"
#include "gpusched/dra/selector_evaluator.hpp"

namespace gpusched::dra {

/// Selectors as CEL, compiled against the stored environment like the allocator's. Devices that look the same to an
/// expression are evaluated once.
class CelSelectors final : public SelectorEvaluator {
 public:
  explicit CelSelectors(const Features& features);
  ~CelSelectors() override;

  [[nodiscard]] std::size_t compile(std::string_view expression) override;
  [[nodiscard]] const std::string& compile_error(std::size_t selector) const override;
  [[nodiscard]] std::size_t add_device(std::string_view driver, const objects::Device& device) override;
  [[nodiscard]] const Outcome& evaluate(std::size_t selector, std::size_t device) override;

  [[nodiscard]] std::size_t compile_derived(std::string_view expression) override;
  [[nodiscard]] const std::string& derived_compile_error(std::size_t expression) const override;
  [[nodiscard]] const Derived& derive(std::size_t expression, std::size_t device) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpusched::dra
