#pragma once

#include <span>
#include <string>
#include <vector>

#include "dra/near_misses.hpp"
#include "dra/node_funnel.hpp"
#include "dra/trials.hpp"

namespace gpusched::dra {

/// A selector with one word changed that some device matches.
struct Replacement {
  LeafPlace place;
  std::size_t selector = 0;  ///< of the request's own
  std::string expression;
};

/// Single changes that make the claims fit, each tried: fewer devices, a changed selector, a toleration, a constraint
/// less, less capacity, a claim or a pod that gives its devices back, a selector less, one more node.
[[nodiscard]] std::vector<Fix> find_fixes(Trials& trials, Trials::Claims claims, const Evidence& evidence,
                                          std::span<const Replacement> replacements);

/// "matchAttribute gpu.example.com/nvlinkIsland"
[[nodiscard]] std::string text_of(const objects::DeviceConstraint& constraint);
/// What a place asks for.
[[nodiscard]] const objects::DeviceRequirements& requirements_of(const objects::ResourceClaim& claim,
                                                                 const LeafPlace& place);

}  // namespace gpusched::dra
