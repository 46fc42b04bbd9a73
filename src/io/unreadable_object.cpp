#include "io/unreadable_object.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "gpusched/io/core_objects.hpp"

// The reader of dumps knows only that a field that it takes on its way has a wrong type; the decoders of whole objects
// say which field, what it is and what is allowed.
namespace gpusched::io {

namespace {

Diagnostics wrong_types(std::string_view text, std::string_view kind) {
  if (kind != "Pod" && kind != "Node") {
    return {};
  }
  Limits limits;
  limits.cut_out = true;
  const Result<std::vector<Document>> documents = parse_documents({"", std::string(text)}, limits);
  if (!documents || documents->size() != 1) {
    return {};
  }
  Decoder decoder(documents->front());
  if (kind == "Pod") {
    static_cast<void>(decode_pod(decoder, documents->front().root));
  } else {
    static_cast<void>(decode_node(decoder, documents->front().root));
  }
  Diagnostics found = decoder.take_diagnostics();
  std::erase_if(found, [](const Diagnostic& diagnostic) { return diagnostic.severity != Severity::kError; });
  return found;
}

}  // namespace

Diagnostics why_unreadable(std::string_view text, std::string_view kind, std::string_view otherwise) {
  Diagnostics found = wrong_types(text, kind);
  if (found.empty()) {
    Diagnostic& diagnostic = found.emplace_back();
    diagnostic.code = "syntax";
    diagnostic.message = fmt::format("the object cannot be read: {}", otherwise);
  }
  return found;
}

}  // namespace gpusched::io
