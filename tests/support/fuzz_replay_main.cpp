// Stands in for libFuzzer: gives every file below the folders of the command line to the fuzz target once, so that any
// compiler can replay the corpus and the past crashes as tests. A crash, a sanitizer's report or a failed file ends it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;  // no crash found yet
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// The target must not keep or leak exceptions: one that arrives here is a finding.
bool replay(const std::string& name, const std::string& content) {
  // Announced first, so that the last line names the file when the target ends the process.
  std::printf("%s (%zu bytes)\n", name.c_str(), content.size());
  std::fflush(stdout);
  // An exact copy on the heap: reading past its end is seen by the address sanitizer.
  const std::vector<std::uint8_t> bytes(content.begin(), content.end());
  try {
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    return true;
  } catch (const std::exception& error) {
    std::printf("FAILED: exception %s\n", error.what());
  } catch (...) {
    std::printf("FAILED: unknown exception\n");
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  bool good = replay("empty input", "");
  std::size_t count = 1;
  for (int index = 1; index < argc; ++index) {
    for (const fs::path& path : files_below(argv[index])) {
      good = replay(path.string(), read_file(path)) && good;
      ++count;
    }
  }
  std::printf("%zu inputs replayed\n", count);
  return good ? 0 : 1;
}
