#include "kueue/amounts.hpp"

#include <algorithm>

namespace gpusched::kueue {

std::int64_t amount_of(std::string_view resource, const Quantity& quantity) {
  return resource == "cpu" ? quantity.milli_value() : quantity.value();
}

Quantity quantity_of(std::string_view resource, std::int64_t amount) {
  if (resource == "cpu") {
    return Quantity::from_milli(amount);
  }
  if (resource != "memory" && resource != "ephemeral-storage" && !resource.starts_with("hugepages-")) {
    return Quantity::from_int64(amount);
  }
  // A round trip through the text: 128000 stays binary (125Ki), 100000 becomes decimal.
  const Quantity binary = Quantity::from_int64(amount, QuantityFormat::kBinarySi);
  return try_parse_quantity(binary.to_string()).value_or(binary);
}

std::string amount_text(std::string_view resource, std::int64_t amount) {
  return quantity_of(resource, amount).to_string();
}

ResourceRow to_row(const objects::ResourceList& list, StringTable& names) {
  ResourceRow row;
  for (const auto& [name, quantity] : list) {
    row.push_back({names.intern(name), amount_of(name, quantity)});
  }
  std::ranges::sort(
      row, [&](const ResourceAmount& a, const ResourceAmount& b) { return names[a.resource] < names[b.resource]; });
  return row;
}

const std::int64_t* find_amount(const ResourceRow& row, StringId resource) {
  const auto found = std::ranges::find(row, resource, &ResourceAmount::resource);
  return found == row.end() ? nullptr : &found->amount;
}

}  // namespace gpusched::kueue
