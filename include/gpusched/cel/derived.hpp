#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "gpusched/cel/program.hpp"

namespace gpusched::cel {

/// What an expression for a derived attribute gives for a device. Versions are printed as semver does.
struct DerivedValue {
  struct Version {
    std::string text;
  };
  std::variant<std::monostate, std::int64_t, bool, std::string, Version, std::vector<std::int64_t>, std::vector<bool>,
               std::vector<std::string>, std::vector<Version>>
      value;
  std::string error;  ///< as EvaluateDerivedAttribute words it; empty without an error
};

/// Of a program that was compiled for Output::kDerivedAttribute.
/// Rule: k8s.io/dynamic-resource-allocation v0.37.2, cel, EvaluateDerivedAttribute.
[[nodiscard]] DerivedValue evaluate_derived(const Program& program, const Device& device, Scratch& scratch);

}  // namespace gpusched::cel
