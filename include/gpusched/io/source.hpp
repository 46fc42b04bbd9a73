#pragma once

#include <cstddef>
#include <iosfwd>
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

  /// All arguments in their order; reports the errors of every one of them.
  [[nodiscard]] Result<std::vector<Source>> read_all(std::span<const std::string> arguments);

 private:
  ReadOptions options_;
  std::istream& standard_input_;
  bool standard_input_used_ = false;
};

}  // namespace gpusched::io
