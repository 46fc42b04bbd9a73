#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/io/document.hpp"
#include "support/fuzz_checks.hpp"

using gpusched::testing::require;

namespace {

namespace io = gpusched::io;

void walk(const io::Value& value, std::size_t text_size, std::size_t depth) {
  require(value.offset() <= text_size && depth <= 256);
  require(gpusched::valid_utf8(value.text()));
  for (const io::Value& item : value.items()) walk(item, text_size, depth + 1);
  for (const io::Member& member : value.members()) {
    require(member.key_offset < text_size && gpusched::valid_utf8(member.key()));
    walk(member.value, text_size, depth + 1);
  }
}

}  // namespace

/// The JSON reader never crashes, gives only values inside the text, and can say where every error is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.empty() || (bytes[0] != '{' && bytes[0] != '[')) bytes.insert(0, "[");
  const std::size_t text_size = bytes.size();
  const gpusched::Result<std::vector<io::Document>> documents = io::parse_documents({"fuzz", std::move(bytes)});
  if (documents) {
    for (const io::Document& document : *documents) walk(document.root, text_size, 1);
    return 0;
  }
  require(!documents.error().empty());
  for (const gpusched::Diagnostic& diagnostic : documents.error()) {
    require(diagnostic.line > 0 && diagnostic.column > 0 && gpusched::valid_utf8(diagnostic.message));
    require(diagnostic.message != "this is not valid JSON");  // only if simdjson and the error scan disagree
  }
  return 0;
}
