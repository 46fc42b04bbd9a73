#include "gpusched/io/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <istream>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

#include "gpusched/base/text.hpp"
#include "io/byte_stream.hpp"
#include "io/excerpt.hpp"
#include "io/sniff.hpp"

namespace gpusched::io {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::array<std::string_view, 3> kDocumentExtensions = {".json", ".yaml", ".yml"};

std::unexpected<Diagnostics> at_source(const std::string& name, Diagnostics diagnostics) {
  for (Diagnostic& diagnostic : diagnostics) diagnostic.source = name;
  return std::unexpected(std::move(diagnostics));
}

bool is_document_name(const fs::path& path) {
  return std::ranges::find(kDocumentExtensions, path.extension().string()) != kDocumentExtensions.end();
}

/// "did you mean …?" out of the names in the missing file's folder, or what is wrong with that folder.
std::string missing_file_hint(const fs::path& path) {
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) return fmt::format("the folder {} does not exist", quote(folder.string(), 160));
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);  // a folder has no order of its own
  const std::vector<std::string_view> allowed(names.begin(), names.end());
  const std::string similar = suggest(path.filename().string(), allowed);
  return similar.empty() ? "" : fmt::format("did you mean {}?", (path.parent_path() / similar).generic_string());
}

// Enough to recognise what is no document, and which keys a document starts with.
constexpr std::size_t kHeadBytes = std::size_t{64} * 1024;

Result<InputStream> open_stream(std::string name, std::unique_ptr<ByteStream> raw) {
  Result<std::unique_ptr<ByteStream>> stream = expand(std::move(raw));
  if (!stream) return at_source(name, std::move(stream.error()));
  Result<std::string> head = read_head(**stream, kHeadBytes);
  if (!head) return at_source(name, std::move(head.error()));
  if (std::optional<Diagnostic> refused = refuse_bytes(*head)) return at_source(name, {std::move(*refused)});
  return InputStream{std::move(name), *head, put_back(std::move(*head), std::move(*stream))};
}

template <class Iterator>
std::error_code collect(Iterator entry, std::error_code error, std::vector<std::string>& names) {
  for (; !error && entry != Iterator(); entry.increment(error)) {
    std::error_code ignored;  // a broken link is no folder; opening it then tells what is wrong
    if (is_document_name(entry->path()) && !entry->is_directory(ignored)) {
      names.push_back(entry->path().generic_string());
    }
  }
  return error;
}

/// The document files of a folder. Links to folders are not followed.
Result<std::vector<std::string>> list_documents(const std::string& folder, bool recursive) {
  std::vector<std::string> names;
  std::error_code error;
  if (recursive) {
    fs::recursive_directory_iterator entries(folder, error);
    error = collect(std::move(entries), error, names);
  } else {
    fs::directory_iterator entries(folder, error);
    error = collect(std::move(entries), error, names);
  }
  if (error) return fail("unreadable", fmt::format("the folder cannot be read: {}", error.message()));
  if (names.empty()) {
    return fail("no-documents", "the folder has no .json, .yaml or .yml file",
                recursive ? "" : "the folders in it are read with -R");
  }
  std::ranges::sort(names);
  return names;
}

void append(Diagnostics& all, Diagnostics more) {
  std::ranges::move(more, std::back_inserter(all));
}

}  // namespace

SourceReader::SourceReader(ReadOptions options, std::istream& standard_input)
    : options_(options), standard_input_(standard_input) {}

Result<std::vector<std::string>> SourceReader::files_of(const std::string& name) const {
  std::error_code error;
  const fs::file_status status = fs::status(fs::path(name), error);
  if (status.type() == fs::file_type::not_found) {
    return at_source(name, fail("no-such-file", "the file does not exist", missing_file_hint(fs::path(name))).error());
  }
  if (error) {
    return at_source(name, fail("unreadable", fmt::format("the file cannot be opened: {}", error.message())).error());
  }
  if (!fs::is_directory(status)) return std::vector{name};
  Result<std::vector<std::string>> files = list_documents(name, options_.recursive);
  if (!files) return at_source(name, std::move(files.error()));
  return files;
}

Result<bool> SourceReader::visit(std::string_view argument, const std::function<Result<bool>(InputStream&)>& body) {
  Diagnostics errors;
  const auto visit_one = [&](const std::string& name, Result<std::unique_ptr<ByteStream>> raw) {
    Result<InputStream> input = raw ? open_stream(name, std::move(*raw)) : at_source(name, std::move(raw.error()));
    Result<bool> done = input ? body(*input) : std::unexpected(std::move(input.error()));
    if (!done) append(errors, std::move(done.error()));
  };
  if (argument == "-") {
    if (standard_input_used_) {
      return at_source("<stdin>", fail("stdin-twice", "standard input can be read only once",
                                       "write it to a file and name the file twice")
                                      .error());
    }
    standard_input_used_ = true;
    visit_one("<stdin>", wrap_istream(standard_input_));
  } else {
    const Result<std::vector<std::string>> files = files_of(std::string(argument));
    if (!files) return std::unexpected(files.error());
    for (const std::string& file : *files) visit_one(file, open_file(file));
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return true;
}

Result<Source> SourceReader::read_rest(InputStream& input) const {
  Result<std::string> bytes = io::read_all(*input.stream, options_.max_bytes);
  if (!bytes) return at_source(input.name, std::move(bytes.error()));
  if (std::optional<Diagnostic> refused = refuse_bytes(*bytes)) return at_source(input.name, {std::move(*refused)});
  if (bytes->starts_with(kByteOrderMark)) bytes->erase(0, kByteOrderMark.size());
  return Source{input.name, std::move(*bytes)};
}

Result<std::vector<Source>> SourceReader::read(std::string_view argument) {
  std::vector<Source> sources;
  const Result<bool> done = visit(argument, [&](InputStream& input) -> Result<bool> {
    Result<Source> source = read_rest(input);
    if (!source) return std::unexpected(std::move(source.error()));
    sources.push_back(std::move(*source));
    return true;
  });
  if (!done) return std::unexpected(done.error());
  return sources;
}

Result<std::vector<Source>> SourceReader::read_all(std::span<const std::string> arguments) {
  Result<std::vector<Source>> all;
  for (const std::string& argument : arguments) {
    Result<std::vector<Source>> sources = read(argument);
    if (!sources) {
      if (all) all = std::unexpected(Diagnostics{});
      std::ranges::move(sources.error(), std::back_inserter(all.error()));
    } else if (all) {
      std::ranges::move(*sources, std::back_inserter(*all));
    }
  }
  return all;
}

}  // namespace gpusched::io
