#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/cel/program.hpp"
#include "gpusched/dra/features.hpp"
#include "gpusched/dra/in_use.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// What a selector says to one device.
struct DeviceAnswer {
  DeviceId device;
  cel::Outcome outcome;
  std::string reason;  ///< of a device that does not match without an error: the values that made it so
};

/// A selector, what the API server and the allocator think of it, and its answers.
struct DeviceAnswers {
  std::string expression;
  std::string compile_error;  ///< in the stored environment, which the allocator uses; "" when it compiles
  cel::CompileErrorKind compile_error_kind = cel::CompileErrorKind::kSyntax;
  std::string output_type;  ///< "" when it does not compile
  std::uint64_t max_cost = 0;
  cel::Admission admission;
  std::vector<DeviceAnswer> devices;  ///< in the order of the slices; empty when it does not compile
  std::string hint;                   ///< for an expression that does not compile, or that no device matches; or ""
};

[[nodiscard]] DeviceAnswers ask_devices(std::string_view expression, std::span<const objects::ResourceSlice> slices,
                                        const Features& features);

}  // namespace gpusched::dra
