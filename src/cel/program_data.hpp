#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cel/evaluation.hpp"
#include "cel/heap.hpp"
#include "cel/plan.hpp"
#include "gpusched/cel/program.hpp"

namespace gpusched::cel {

/// What of the device an expression looks at.
[[nodiscard]] Observed find_observed(const Ast& ast);

/// Evaluates; the value lives in `scratch` until the next run. None after an error, which `outcome` then has.
[[nodiscard]] std::optional<Value> run(const Program& program, const Device& device, Scratch& scratch,
                                       Outcome& outcome);

/// Whether a derived attribute may have this type; `lists`: also lists of it.
[[nodiscard]] bool is_derived_type(const Type& type, bool lists);

namespace detail {

struct ProgramData {
  std::string expression;
  std::string output_type;
  std::uint64_t max_cost = 0;
  std::uint64_t cost_limit = kMaxCost;
  const ZoneTable* zones = nullptr;
  Plan plan;
  Observed observed;
};

struct ScratchData {
  Heap heap;
  RegexCache regexes;
  std::vector<Slot> slots;
};

}  // namespace detail
}  // namespace gpusched::cel
