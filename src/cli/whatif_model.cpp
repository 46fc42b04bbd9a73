#include "cli/whatif_model.hpp"

#include <utility>

#include "gpusched/report/whatif.hpp"
#include "gpusched/whatif/model_edit.hpp"

namespace gpusched::cli {

Result<Answer> ask_what_if(const Arguments& arguments, std::span<const whatif::ClusterEdit> edits, io::Model model,
                           const placement::Options& options, const std::function<Result<Answer>(io::Model&)>& ask) {
  if (edits.empty()) {
    return ask(model);
  }
  Result<whatif::EditedCluster> edited = whatif::apply(edits, model, options);
  if (!edited) {
    return std::unexpected(naming_flags(std::move(edited.error()), edits, arguments));
  }
  Result<Answer> before = ask(model);
  if (!before) {
    return before;
  }
  io::Model changed{std::move(edited->cluster), {}};
  Result<Answer> after = ask(changed);
  if (after) {
    after->document = report::with_what_if(after->document, edited->effects, before->document);
  }
  return after;
}

}  // namespace gpusched::cli
