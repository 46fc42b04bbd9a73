#pragma once

#include <string>
#include <string_view>

#include "render/cases.hpp"

namespace gpusched::render {

/// JUnit's XML as Jenkins, GitLab and GitHub's actions read it: a case is a test case, kError a failure, kUndecided an
/// error; warnings and what became of the object are its output. Times are 0, so that equal answers are equal files.
[[nodiscard]] std::string junit(const Cases& cases);

/// SARIF 2.1.0: a result for each finding, all rules of the table.
[[nodiscard]] std::string sarif(const Cases& cases);

/// GitHub's Markdown: what is wrong as a table, what is right folded away, then `table`, the answer as it is printed.
/// Short enough for a comment on a pull request.
[[nodiscard]] std::string markdown(const Cases& cases, std::string_view table);

}  // namespace gpusched::render
