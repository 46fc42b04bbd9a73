#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/base/diagnostic.hpp"

namespace gpusched::io {

/// The text of one input: gzip and zstd are already expanded, a UTF-8 byte order mark is already removed.
struct Source {
  std::string name;  ///< as the user gave it, "<stdin>" for standard input, "folder/file" for a file of a folder
  std::string bytes;
};

class ByteStream;

/// One input that is open and not read yet; its content is expanded like that of a Source.
struct InputStream {
  std::string name;
  std::string head;  ///< its first bytes, still to come from the stream as well
  std::shared_ptr<ByteStream> stream;
};

struct ReadOptions {
  bool recursive = false;                        ///< descend into the folders of a folder argument
  std::size_t max_bytes = 512U * 1024U * 1024U;  ///< of one input after decompression: the guard against bombs
};

/// Reads the inputs of one run of the program; remembers that standard input can be read only once.
class SourceReader {
 public:
  /// `standard_input` answers the argument "-"; it must outlive the reader.
  SourceReader(ReadOptions options, std::istream& standard_input);

  /// A path, "-", or a folder: then its .json, .yaml and .yml files, sorted by name. Folders that are symbolic links
  /// are not entered below the argument itself, so a loop of links ends. Errors: missing or unreadable file, folder
  /// without documents, empty file, binary data, UTF-16 or UTF-32, an HTML page, an error text of kubectl, too many
  /// bytes. Every bad file of a folder is reported.
  [[nodiscard]] Result<std::vector<Source>> read(std::string_view argument);

  /// Opens the inputs of an argument one after the other, without reading them, and calls `body` for each. The errors
  /// of opening and of `body`, those of every input.
  [[nodiscard]] Result<bool> visit(std::string_view argument, const std::function<Result<bool>(InputStream&)>& body);

  /// Reads what is left of an input.
  [[nodiscard]] Result<Source> read_rest(InputStream& input) const;

  /// All arguments in their order; reports the errors of every one of them.
  [[nodiscard]] Result<std::vector<Source>> read_all(std::span<const std::string> arguments);

 private:
  [[nodiscard]] Result<std::vector<std::string>> files_of(const std::string& name) const;

  ReadOptions options_;
  std::istream& standard_input_;
  bool standard_input_used_ = false;
};

}  // namespace gpusched::io
