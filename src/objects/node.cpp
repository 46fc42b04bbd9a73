#include "gpusched/objects/node.hpp"

#include <charconv>
#include <optional>

namespace gpusched::objects {

namespace {

std::optional<std::int64_t> to_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

bool tolerates(const Toleration& toleration, const Taint& taint, bool compare_numbers) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) {
    return false;
  }
  if (!toleration.key.empty() && toleration.key != taint.key) {
    return false;
  }
  if (toleration.op.empty() || toleration.op == "Equal") {
    return toleration.value == taint.value;
  }
  if (toleration.op == "Exists") {
    return true;
  }
  if (!compare_numbers || (toleration.op != "Lt" && toleration.op != "Gt")) {
    return false;
  }
  const auto wanted = to_number(toleration.value);
  const auto found = to_number(taint.value);
  return wanted && found && (toleration.op == "Lt" ? *found < *wanted : *found > *wanted);
}

}  // namespace gpusched::objects
