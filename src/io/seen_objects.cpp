#include "io/seen_objects.hpp"

#include <fmt/format.h>

#include <utility>

namespace gpusched::io {

void finish_object(Decoder& decoder, const Document& document, const std::string& name, SeenObjects& seen,
                   Diagnostics& found) {
  if (!name.empty()) {
    const auto [first, added] = seen.try_emplace(name, document.source_name());
    if (!added) {
      decoder.error(document.root, "duplicate-object",
                    fmt::format("the object is there twice; the first is in {}", first->second));
    }
  }
  for (Diagnostic& diagnostic : decoder.take_diagnostics()) {
    diagnostic.object = name;
    found.push_back(std::move(diagnostic));
  }
}

Diagnostics fold_duplicates(Diagnostics errors) {
  constexpr std::size_t kShown = 3;
  std::size_t duplicates = 0;
  std::erase_if(errors,
                [&](const Diagnostic& error) { return error.code == "duplicate-object" && ++duplicates > kShown; });
  if (duplicates > kShown) {
    Diagnostic& rest = errors.emplace_back();
    rest.code = "duplicate-object";
    rest.message = fmt::format("… and {} more objects are there twice", duplicates - kShown);
    rest.hint = "files of one folder are read as one cluster: name those that belong together";
  }
  return errors;
}

}  // namespace gpusched::io
