#include "cli/k8s_message.hpp"

#include <algorithm>
#include <array>

#include "cli/answer.hpp"
#include "cli/command.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/explain/message.hpp"
#include "gpusched/report/message.hpp"

namespace gpusched::cli {

int answer_message(const Arguments& arguments, Inputs& inputs, Terminal& terminal) {
  constexpr std::array<std::string_view, 7> kOthers = {"pod",  "all-pending", "CLUSTER",         "nodes",
                                                       "pods", "objects",     "scheduler-config"};
  const auto given = std::ranges::find_if(kOthers, [&](std::string_view name) { return arguments.has(name); });
  if (given != kOthers.end()) {
    return cannot_answer(
        bad_usage("--message explains a text alone, without a cluster", "with a dump, --pod tells more").error(),
        terminal);
  }
  const Result<std::string> text = inputs.text("message");
  if (!text) {
    return cannot_answer(text.error(), terminal);
  }
  const explain::SchedulingMessage message = explain::parse_message(*text);
  const std::vector<explain::Finding> findings = explain::explain_message(message);
  return answer(report::message_report(*text, message, findings), arguments, terminal, kNo);
}

}  // namespace gpusched::cli
