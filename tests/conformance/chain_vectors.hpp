#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace gpusched::conformance {

/// What the chain answers to the input of one vector, in the vector's own shape; null for an area that is not known.
[[nodiscard]] nlohmann::json chain_answer(std::string_view area, const nlohmann::json& vector);

}  // namespace gpusched::conformance
