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

constexpr std::size_t kAliasValues = 10'000;

/// The number of values met, which the alias limit bounds.
std::size_t walk(const io::Value& value, std::size_t text_size, std::size_t depth) {
  require(value.offset() <= text_size && depth <= 256);
  require(gpusched::valid_utf8(value.text()));
  std::size_t count = 1;
  for (const io::Value& item : value.items()) count += walk(item, text_size, depth + 1);
  for (const io::Member& member : value.members()) {
    require(member.key_offset <= text_size && gpusched::valid_utf8(member.key()));
    count += walk(member.value, text_size, depth + 1);
  }
  return count;
}

}  // namespace

/// The YAML reader never crashes, its tree stays small whatever aliases say, and every error has a text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (!bytes.empty() && (bytes[0] == '{' || bytes[0] == '[')) bytes.insert(0, "# YAML\n");
  const std::size_t text_size = bytes.size();
  io::Limits limits;
  limits.max_alias_values = kAliasValues;
  const gpusched::Result<std::vector<io::Document>> documents = io::parse_documents({"fuzz", std::move(bytes)}, limits);
  if (!documents) {
    require(!documents.error().empty());
    for (const gpusched::Diagnostic& diagnostic : documents.error()) {
      require(!diagnostic.code.empty() && gpusched::valid_utf8(diagnostic.message));
    }
    return 0;
  }
  for (const io::Document& document : *documents) {
    require(walk(document.root, text_size, 1) <= text_size * 2 + kAliasValues + 1);
  }
  return 0;
}
