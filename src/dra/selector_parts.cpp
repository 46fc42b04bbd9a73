#include "dra/selector_parts.hpp"

#include <fmt/format.h>

#include "dra/cel_device.hpp"
#include "dra/device_values.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/cel/anatomy.hpp"

namespace gpusched::dra {

namespace {

constexpr std::size_t kMaxPartBytes = 120;

/// A name as its driver would write it.
std::string short_name(const cel::ObservedName& name, std::string_view driver) {
  return name.domain == driver ? name.name : name.domain + "/" + name.name;
}

}  // namespace

std::vector<SelectorPart> parts_of(std::string_view expression) {
  std::vector<SelectorPart> parts;
  for (std::string& text : cel::conjuncts(expression)) {
    auto program = cel::compile(text);
    SelectorPart& part = parts.emplace_back();
    part.text = std::move(text);
    if (program) part.program = std::move(*program);
  }
  return parts;
}

std::string observed_values(const cel::Program& program, std::string_view driver, const objects::Device& device) {
  const cel::Observed& look = cel::observed(program);
  if (look.all_attributes || look.all_capacities) return "";
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  if (look.driver) add(fmt::format("driver is {}", driver));
  if (look.allow_multiple_allocations) {
    add(device.allow_multiple_allocations.value_or(false) ? "allows multiple allocations"
                                                          : "allows one allocation only");
  }
  for (const cel::ObservedName& name : look.attributes) {
    const auto* const value = attribute_of(device, driver, name.domain + "/" + name.name);
    add(fmt::format("{} is {}", short_name(name, driver), value != nullptr ? text_of(*value) : "not there"));
  }
  for (const cel::ObservedName& name : look.capacities) {
    const auto* const value = capacity_of(device, driver, name.domain + "/" + name.name);
    add(fmt::format("{} is {}", short_name(name, driver), value != nullptr ? value->value.to_string() : "not there"));
  }
  return text;
}

std::string SelectorReasons::reason(const std::string& expression, std::string_view driver,
                                    const objects::Device& device) {
  auto known = parts_.find(expression);
  if (known == parts_.end()) known = parts_.emplace(expression, parts_of(expression)).first;
  const cel::Device asked = cel_device(driver, device);
  for (const SelectorPart& part : known->second) {
    if (!part.program) break;
    const cel::Outcome outcome = cel::evaluate(*part.program, asked, scratch_);
    if (outcome.ok() && outcome.match) continue;
    if (!outcome.ok()) return fmt::format("{} fails: {}", shorten(part.text, kMaxPartBytes), outcome.error);
    std::string values = observed_values(*part.program, driver, device);
    return values.empty() ? shorten(part.text, kMaxPartBytes) + " is false" : values;
  }
  return "it is not true";
}

}  // namespace gpusched::dra
