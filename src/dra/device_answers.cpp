#include "gpusched/dra/device_answers.hpp"

#include <utility>

#include "dra/cel_device.hpp"
#include "dra/near_misses.hpp"
#include "dra/selector_parts.hpp"

namespace gpusched::dra {

namespace {

/// What is behind the usual errors of compilation. The first index of attributes and capacity is a domain; amounts and
/// versions are objects that have methods in place of operators.
std::string compile_hint(std::string_view error) {
  const auto has = [&](std::string_view text) { return error.find(text) != std::string_view::npos; };
  if (!has("found no matching overload")) return "";
  if (has("applied to '(map(") || has("applied to 'map(")) {
    return "the first index is the domain, the second the name, as in "
           "device.attributes[\"gpu.example.com\"].model and device.capacity[\"gpu.example.com\"].memory";
  }
  if (has("kubernetes.Quantity")) {
    return "amounts are compared with compareTo: "
           "device.capacity[\"gpu.example.com\"].memory.compareTo(quantity(\"80Gi\")) >= 0";
  }
  if (has("kubernetes.Semver")) {
    return "versions are compared with compareTo, isLessThan and isGreaterThan: "
           "device.attributes[\"gpu.example.com\"].driverVersion.isGreaterThan(semver(\"550.0.0\"))";
  }
  return "";
}

}  // namespace

DeviceAnswers ask_devices(std::string_view expression, std::span<const objects::ResourceSlice> slices,
                          const Features& features) {
  DeviceAnswers answers;
  answers.expression = expression;
  cel::CompileOptions options;
  options.features.consumable_capacity = features.consumable_capacity;
  options.features.list_type_attributes = features.list_type_attributes;
  answers.admission = cel::admit(expression, options.features);
  const auto program = cel::compile(expression, options);
  if (!program) {
    answers.compile_error = program.error().text;
    answers.compile_error_kind = program.error().kind;
    answers.hint = compile_hint(answers.compile_error);
    return answers;
  }
  answers.output_type = program->output_type();
  answers.max_cost = program->max_cost();
  cel::Scratch scratch;
  SelectorReasons reasons;
  bool any_match = false;
  for (const objects::ResourceSlice& slice : slices) {
    for (const objects::Device& device : slice.spec.devices) {
      DeviceAnswer& answer = answers.devices.emplace_back();
      answer.device = {slice.spec.driver, slice.spec.pool.name, device.name};
      answer.outcome = cel::evaluate(*program, cel_device(slice.spec.driver, device), scratch);
      any_match |= answer.outcome.match;
      if (answer.outcome.match || !answer.outcome.ok()) continue;
      answer.reason = reasons.reason(answers.expression, slice.spec.driver, device);
    }
  }
  if (any_match) return answers;
  const std::string selectors[] = {answers.expression};
  if (auto miss = NearMisses(slices).of_selectors(selectors)) answers.hint = std::move(miss->text);
  return answers;
}

}  // namespace gpusched::dra
