#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/tables.hpp"

namespace gpusched::render {

void verification_table(const nlohmann::ordered_json& report, const TableOptions&, std::string& out) {
  const auto text = [](const nlohmann::ordered_json& value) {
    return escape_control(value.get_ref<const std::string&>());
  };
  for (const auto& difference : report.at("differences")) {
    out += fmt::format("{}: {}\n", text(difference.at("pod")), text(difference.at("cause")));
    out += fmt::format("  recorded:  {}\n", text(difference.at("recorded")));
    const std::string message = text(difference.at("message"));
    out += fmt::format("  predicted: {}\n", message.empty() ? text(difference.at("verdict")) : message);
  }
  const auto without = report.at("withoutCondition").get<std::size_t>();
  out += fmt::format(
      "{} of {} recorded messages are equal{}\n", report.at("equal").get<std::size_t>(),
      report.at("compared").get<std::size_t>(),
      without == 0 ? "" : fmt::format("; {} Pending pod{} none", without, without == 1 ? " has" : "s have"));
}

}  // namespace gpusched::render
