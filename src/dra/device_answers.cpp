#include "gpusched/dra/device_answers.hpp"

#include <utility>

#include "dra/cel_device.hpp"

namespace gpusched::dra {

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
    return answers;
  }
  answers.output_type = program->output_type();
  answers.max_cost = program->max_cost();
  cel::Scratch scratch;
  for (const objects::ResourceSlice& slice : slices) {
    for (const objects::Device& device : slice.spec.devices) {
      answers.devices.push_back({{slice.spec.driver, slice.spec.pool.name, device.name},
                                 cel::evaluate(*program, cel_device(slice.spec.driver, device), scratch)});
    }
  }
  return answers;
}

}  // namespace gpusched::dra
