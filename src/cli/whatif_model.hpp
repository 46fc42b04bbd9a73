#pragma once

#include <functional>
#include <span>

#include "cli/inputs.hpp"
#include "cli/whatif_options.hpp"
#include "gpusched/placement/options.hpp"
#include "gpusched/report/document.hpp"

namespace gpusched::cli {

/// An answer that is not printed yet, and its exit code.
struct Answer {
  report::Document document;
  int code = 0;
};

/// Asks about the model, or, with edits, about it as it is and about an edited copy; then the answer is that of the
/// copy with both in it. Pods that edits make leave are placed again by `options`. Errors: those of the edits and of
/// asking.
[[nodiscard]] Result<Answer> ask_what_if(const Arguments& arguments, std::span<const whatif::ClusterEdit> edits,
                                         io::Model model, const placement::Options& options,
                                         const std::function<Result<Answer>(io::Model&)>& ask);

}  // namespace gpusched::cli
