#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gpusched/base/quantity.hpp"
#include "gpusched/cel/program.hpp"

namespace gpusched::cel::test {

/// A device with an attribute of every scalar type and one capacity.
inline const Device& device() {
  static const Quantity kMemory = *try_parse_quantity("40Gi");
  static const Device kDevice = [] {
    Device made("gpu.example.com", false);
    made.add_attribute("model", "A100");
    made.add_attribute("index", std::int64_t{7});
    made.add_attribute("shared", true);
    made.add_attribute("version", VersionText{"1.2.3-rc.1"});
    made.add_attribute("other.example.com/model", "H100");
    made.add_attribute("blank", "");
    made.add_capacity("memory", kMemory);
    return made;
  }();
  return kDevice;
}

inline Outcome run(std::string_view expression) {
  const auto program = compile(expression);
  if (!program) {
    Outcome failed;
    failed.error_kind = ErrorKind::kRuntime;
    failed.error = program.error().text;
    return failed;
  }
  Scratch scratch;
  return evaluate(*program, device(), scratch);
}

/// "true", "false" or the error's text.
inline std::string answer(std::string_view expression) {
  const Outcome outcome = run(expression);
  return outcome.ok() ? (outcome.match ? "true" : "false") : outcome.error;
}

inline std::string compile_error(std::string_view expression) {
  const auto program = compile(expression);
  return program ? std::string() : program.error().text.substr(0, program.error().text.find('\n'));
}

}  // namespace gpusched::cel::test
