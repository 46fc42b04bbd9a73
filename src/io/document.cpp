#include "gpusched/io/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "io/document_json.hpp"
#include "io/document_yaml.hpp"
#include "io/excerpt.hpp"
#include "io/syntax_error.hpp"

namespace gpusched::io {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// More than this many errors of one source are noise.
constexpr std::size_t kMaxReportedErrors = 50;

bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

Diagnostics locate(std::vector<SyntaxError> errors, const DocumentStorage& storage, bool lines) {
  std::ranges::sort(errors, {}, &SyntaxError::offset);
  Diagnostics diagnostics;
  for (SyntaxError& error : errors) {
    if (diagnostics.size() == kMaxReportedErrors) break;
    Diagnostic& diagnostic = diagnostics.emplace_back();
    diagnostic.code = std::move(error.code);
    diagnostic.message = std::move(error.message);
    diagnostic.hint = std::move(error.hint);
    diagnostic.source = storage.name;
    if (lines) {
      const Position position = position_of(storage.text, error.offset);
      diagnostic.line = position.line;
      diagnostic.column = position.column;
    }
  }
  return diagnostics;
}

Diagnostics error_of_source(const std::string& name, std::string code, std::string message, std::string hint) {
  Diagnostics diagnostics = std::move(fail(std::move(code), std::move(message), std::move(hint)).error());
  diagnostics.front().source = name;
  return diagnostics;
}

/// Errors of JSON at which the text may still be a YAML flow collection.
bool worth_reading_as_yaml(const std::vector<SyntaxError>& errors) {
  return !errors.empty() && errors.front().maybe_yaml;
}

struct ParsedRoots {
  ParseOutcome outcome;
  Format format = Format::kJson;
};

ParsedRoots parse_roots(DocumentStorage& storage, const Limits& limits) {
  if (!looks_like_json(storage.text)) return {parse_yaml(storage.text, storage.arena, limits), Format::kYaml};
  ParsedRoots json{parse_json(storage.text, storage.arena, limits), Format::kJson};
  if (!worth_reading_as_yaml(json.outcome.errors)) return json;
  ParsedRoots yaml{parse_yaml(storage.text, storage.arena, limits), Format::kYaml};
  const bool duplicates_only =
      std::ranges::all_of(yaml.outcome.errors, [](const SyntaxError& error) { return error.code == "duplicate-key"; });
  return duplicates_only ? std::move(yaml) : std::move(json);
}

}  // namespace

Value::Value(std::span<const Member> members, std::uint32_t offset)
    : Value(Kind::kObject, members.data(), members.size(), offset) {}

std::string_view Value::text() const {
  if (!is_string() && !is_number()) return {};
  return {static_cast<const char*>(data_), size()};
}

std::span<const Value> Value::items() const {
  if (!is_array()) return {};
  return {static_cast<const Value*>(data_), size()};
}

std::span<const Member> Value::members() const {
  if (!is_object()) return {};
  return {static_cast<const Member*>(data_), size()};
}

const Value* Value::find(std::string_view key) const {
  for (const Member& member : members()) {
    if (member.key() == key) return &member.value;
  }
  return nullptr;
}

Position position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const std::size_t last_break = before.rfind('\n');
  const std::size_t line_start = last_break == std::string_view::npos ? 0 : last_break + 1;
  const auto breaks = std::count(before.begin(), before.end(), '\n');
  return {static_cast<std::uint32_t>(breaks + 1), static_cast<std::uint32_t>(before.size() - line_start + 1)};
}

const std::string& Document::source_name() const {
  return storage->name;
}

std::string_view Document::text() const {
  return storage->text;
}

Result<std::vector<Document>> parse_documents(Source source, const Limits& limits) {
  if (source.bytes.size() > std::min(limits.max_bytes, kMaxDocumentBytes)) {
    return std::unexpected(
        error_of_source(source.name, "too-large",
                        fmt::format("{} bytes are more than the limit of {} bytes", source.bytes.size(),
                                    std::min(limits.max_bytes, kMaxDocumentBytes)),
                        "split the input into several files"));
  }
  auto storage = std::make_shared<DocumentStorage>(source.bytes.size());
  storage->name = std::move(source.name);
  storage->bytes = std::move(source.bytes);
  const std::size_t size = storage->bytes.size();
  storage->bytes.append(kPaddingBytes, '\0');
  storage->text = std::string_view(storage->bytes).substr(0, size);
  if (storage->text.starts_with(kByteOrderMark)) storage->text.remove_prefix(kByteOrderMark.size());

  Limits used = limits;
  used.max_depth = std::min(used.max_depth, kMaxDepth);
  ParsedRoots parsed = parse_roots(*storage, used);
  if (!parsed.outcome.errors.empty())
    return std::unexpected(locate(std::move(parsed.outcome.errors), *storage, !limits.cut_out));
  if (parsed.outcome.roots.empty()) {
    return std::unexpected(error_of_source(storage->name, "no-document", "there is no document in this input",
                                           "it holds only blanks, comments or empty YAML documents"));
  }
  std::vector<Document> documents;
  documents.reserve(parsed.outcome.roots.size());
  for (const Value& root : parsed.outcome.roots) {
    documents.push_back(
        {storage, root, parsed.format, static_cast<std::uint32_t>(documents.size()), {}, limits.cut_out});
  }
  return documents;
}

std::optional<std::int64_t> to_int64(std::string_view number_text) {
  std::int64_t number = 0;
  const char* end = number_text.data() + number_text.size();
  const auto [stop, error] = std::from_chars(number_text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

std::string describe(const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kFalse:
      return "false";
    case Kind::kTrue:
      return "true";
    case Kind::kNumber:
      return fmt::format("the number {}", shorten(value.text()));
    case Kind::kString:
      return fmt::format("the string {}", quote(value.text()));
    case Kind::kArray:
      return value.items().empty() ? "an empty list" : "a list";
    case Kind::kObject:
      return value.members().empty() ? "an empty object" : "an object";
  }
  return "an unknown value";
}

}  // namespace gpusched::io
