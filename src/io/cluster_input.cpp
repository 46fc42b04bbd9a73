#include "gpusched/io/cluster_input.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

#include "gpusched/io/trace.hpp"
#include "gpusched/io/value_json.hpp"
#include "io/dump_stream.hpp"
#include "io/seen_objects.hpp"

namespace gpusched::io {

namespace {

/// Whether a JSON text starts like Kubernetes objects: the first key of its first object is one of theirs. A fixture
/// starts with "nodes", "pods" or "jobs".
bool starts_like_kubernetes(std::string_view head) {
  static constexpr std::array<std::string_view, 6> kKeys = {"apiVersion", "kind", "metadata",
                                                            "items",      "spec", "status"};
  const std::size_t start = head.find_first_not_of("\xEF\xBB\xBF \t\r\n[");
  if (start == std::string_view::npos || head[start] != '{') {
    return false;
  }
  const std::size_t quote = head.find_first_not_of(" \t\r\n", start + 1);
  if (quote == std::string_view::npos || head[quote] != '"') {
    return false;
  }
  const std::size_t end = head.find('"', quote + 1);
  return end != std::string_view::npos &&
         std::ranges::find(kKeys, head.substr(quote + 1, end - quote - 1)) != kKeys.end();
}

/// An object with a kind, or a list or object that lost it: our own formats have no such keys.
bool is_kubernetes(const Document& document) {
  const Value& root = document.root;
  const Value* const kind = root.find("kind");
  const Value* const items = root.find("items");
  return (kind != nullptr && kind->is_string() && root.find("apiVersion") != nullptr) ||
         (items != nullptr && items->is_array()) ||
         (root.find("metadata") != nullptr && (root.find("spec") != nullptr || root.find("status") != nullptr));
}

/// Where a JSON pointer leads in a document, or the last value on its way that is there.
const Value& value_at(const Value& root, std::string_view pointer) {
  const Value* value = &root;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    std::string key(pointer.substr(0, end));
    pointer.remove_prefix(end);
    for (const auto& [escape, character] : {std::pair("~1", '/'), std::pair("~0", '~')}) {
      for (std::size_t at = key.find(escape); at != std::string::npos; at = key.find(escape, at + 1)) {
        key.replace(at, 2, 1, character);
      }
    }
    std::size_t index = value->items().size();
    std::from_chars(key.data(), key.data() + key.size(), index);
    const Value* const next =
        value->is_array() ? (index < value->items().size() ? &value->items()[index] : nullptr) : value->find(key);
    if (next == nullptr) {
      break;
    }
    value = next;
  }
  return *value;
}

/// Gives errors about a document that was read as reduced JSON the lines of the text that people wrote.
void add_lines(const Document& document, std::span<Diagnostic> errors) {
  for (Diagnostic& error : errors) {
    const Position position = position_of(document.text(), value_at(document.root, error.pointer).offset());
    error.line = position.line;
    error.column = position.column;
  }
}

/// Objects that are decoded later keep the text that people wrote, too: of a YAML document those from `first` on.
void keep_originals(const Document& document, ClusterDump& dump, std::size_t first) {
  for (std::size_t i = first; i < dump.others.size(); ++i) {
    Document& reduced = dump.others[i];
    reduced.cut_out = true;
    const ObjectPlace& place = dump.other_places[i].place;
    const Value* original = &document.root;
    if (place.in_list) {
      const Value* const items = document.root.find("items");
      const bool there = items != nullptr && items->is_array() && place.index < items->items().size();
      original = there ? &items->items()[place.index] : nullptr;
    }
    // An item may owe its kind to its list, or be a list itself.
    if (original == nullptr || original->find("kind") == nullptr || original->find("apiVersion") == nullptr ||
        original->find("items") != nullptr) {
      continue;
    }
    reduced = {document.storage, *original, document.format, reduced.index, reduced.item, false};
  }
}

class InputReader {
 public:
  InputReader(std::size_t jobs, bool traces) : jobs_(jobs), traces_(traces), collector_(input_.dump) {}

  Result<bool> read(SourceReader& reader, InputStream& stream) {
    Diagnostics errors;
    if (starts_like_kubernetes(stream.head)) {
      collector_.start_source(stream.name);
      read_dump_stream(*stream.stream, jobs_, collector_, errors);
    } else if (Result<Source> source = reader.read_rest(stream)) {
      if (traces_ && looks_like_trace(source->bytes)) {
        input_.traces.push_back(std::move(*source));
        return true;
      }
      return read_source(std::move(*source));
    } else {
      errors = std::move(source.error());
    }
    return finished(std::move(errors), stream.name);
  }

  ClusterInput take() { return std::move(input_); }

 private:
  Result<bool> read_source(Source source) {
    const std::string name = source.name;
    Result<std::vector<Document>> documents = parse_documents(std::move(source));
    if (!documents) {
      return std::unexpected(std::move(documents.error()));
    }
    Diagnostics errors;
    bool started = false;
    for (Document& document : *documents) {
      if (!is_kubernetes(document)) {
        input_.fixtures.push_back(std::move(document));
        continue;
      }
      if (!std::exchange(started, true)) {
        collector_.start_source(name);
      }
      const std::string json = to_json(document.root);
      const std::size_t before = errors.size();
      const std::size_t others = input_.dump.others.size();
      read_dump_stream(*stream_of(json), 1, collector_, errors);
      add_lines(document, std::span(errors).subspan(before));
      keep_originals(document, input_.dump, others);
    }
    return finished(std::move(errors), name);
  }

  static Result<bool> finished(Diagnostics errors, const std::string& name) {
    if (errors.empty()) {
      return true;
    }
    for (Diagnostic& error : errors) {
      error.source = error.source.empty() ? name : error.source;
    }
    return std::unexpected(std::move(errors));
  }

  std::size_t jobs_;
  bool traces_;
  ClusterInput input_;
  DumpCollector collector_;
};

}  // namespace

Result<ClusterInput> read_cluster_input(SourceReader& reader, std::span<const std::string> arguments, std::size_t jobs,
                                        bool traces) {
  InputReader input(jobs, traces);
  Diagnostics errors;
  for (const std::string& argument : arguments) {
    Result<bool> done = reader.visit(argument, [&](InputStream& stream) { return input.read(reader, stream); });
    if (!done) {
      std::ranges::move(done.error(), std::back_inserter(errors));
    }
  }
  if (!errors.empty()) {
    return std::unexpected(fold_duplicates(std::move(errors)));
  }
  return input.take();
}

}  // namespace gpusched::io
