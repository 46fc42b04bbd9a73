#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gpusched::explain {

enum class Rounding : std::uint8_t { kDown, kUp };

/// An amount for a sentence: as whatif::amount_text, but bytes that need more than four digits get the largest binary
/// unit with one decimal, "80.6Gi" for 84541928Ki. What is asked for or missing is rounded up and what is there down,
/// so that no sentence promises too much. Fixes name exact values instead.
[[nodiscard]] std::string prose_amount(std::string_view resource, std::int64_t amount, Rounding rounding);

}  // namespace gpusched::explain
