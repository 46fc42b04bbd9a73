#pragma once

#include <vector>

#include "gpusched/mig/layout.hpp"

namespace gpusched::mig {

/// Instances of one GPU, ascending by start.
using Layout = std::vector<Instance>;

/// Every legal non-empty layout made of the given profiles, each once. At memory slice 0, then 1, ...: first the
/// layouts with an instance there, profiles in table order, then those without. Empty on a board whose starts are
/// unknown. Counts with the base profiles: 297 on the seven-slice boards, 25 on the others.
[[nodiscard]] std::vector<Layout> legal_layouts(const Board& board, ProfileSet profiles);

/// The legal layouts to which no instance of the given profiles can be added, in the same order. The 19 of a
/// seven-slice board with its base profiles are the rows of the layout diagram in NVIDIA's user guide.
[[nodiscard]] std::vector<Layout> maximal_layouts(const Board& board, ProfileSet profiles);

/// What the layouts consist of, without the starts: the distinct lists of profiles (ascending), sorted.
[[nodiscard]] std::vector<std::vector<ProfileIndex>> distinct_multisets(const std::vector<Layout>& layouts);

}  // namespace gpusched::mig
