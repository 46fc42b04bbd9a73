#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gpusched/base/quantity.hpp"
#include "gpusched/kueue/topology.hpp"
#include "gpusched/model/string_table.hpp"
#include "gpusched/objects/resources.hpp"

/// Amounts as Kueue counts them. Source: Kueue v0.17.0, pkg/resources/requests.go.
namespace gpusched::kueue {

/// Milli-CPU for cpu, whole units for everything else, rounded up.
[[nodiscard]] std::int64_t amount_of(std::string_view resource, const Quantity& quantity);
/// The way back: cpu with milli, memory, ephemeral-storage and hugepages binary where that is exact.
[[nodiscard]] Quantity quantity_of(std::string_view resource, std::int64_t amount);
[[nodiscard]] std::string amount_text(std::string_view resource, std::int64_t amount);

/// A list as a row in the order of the names.
[[nodiscard]] ResourceRow to_row(const objects::ResourceList& list, StringTable& names);
/// The amount, or nullptr.
[[nodiscard]] const std::int64_t* find_amount(const ResourceRow& row, StringId resource);

}  // namespace gpusched::kueue
