#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gpusched::explain {

enum class Rounding : std::uint8_t { kDown, kUp };

/// An amount for a sentence: as whatif::amount_text, but bytes that need more than four digits get the largest binary
/// unit with one decimal, "80.6Gi" for 84541928Ki. What is asked for or missing is rounded up and what is there down,
/// so that no sentence promises too much.
[[nodiscard]] std::string prose_amount(std::string_view resource, std::int64_t amount, Rounding rounding);

/// An amount to ask for where so much is free: bytes in whole units of which there are at least a hundred, "165Gi" for
/// 173407768Ki; others as they are.
[[nodiscard]] std::int64_t rounded_down(std::string_view resource, std::int64_t amount);

}  // namespace gpusched::explain
