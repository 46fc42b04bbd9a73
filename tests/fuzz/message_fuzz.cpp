// Scheduler messages and label selectors as people paste them: any text.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "gpusched/explain/message.hpp"
#include "gpusched/objects/selector_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const gpusched::explain::SchedulingMessage message = gpusched::explain::parse_message(text);
  const auto findings = gpusched::explain::explain_message(message);
  // Somebody wrote it, and there is always a verdict and a next step.
  if (message.source.empty() || findings.size() < 2 || findings.back().verdict != "gather") {
    std::abort();
  }
  if (const auto selector = gpusched::objects::parse_label_selector(text); selector) {
    for (const auto& requirement : selector->match_expressions) {
      if (requirement.key.empty() || requirement.op.empty()) {
        std::abort();
      }
    }
  }
  return 0;
}
