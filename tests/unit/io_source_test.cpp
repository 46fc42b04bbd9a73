#include "gpusched/io/source.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace gpusched;
using namespace gpusched::io;

namespace fs = std::filesystem;

namespace {

/// A folder that is removed at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(fs::temp_directory_path() / ("gpusched-source-" + std::to_string(std::random_device{}()))) {
    fs::create_directories(path_);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] std::string path(const std::string& name = "") const {
    return name.empty() ? path_.generic_string() : (path_ / name).generic_string();
  }
  std::string write(const std::string& name, std::string_view bytes) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path(name);
  }

 private:
  fs::path path_;
};

/// gzip -9n of {"a":1}\n and {"b":2}\n; zstd of {"a":1}\n; gzip of 100,000 zeros.
const std::string kGzipA(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x4a\x54\xb2\x32\xac\xe5\x02\x00\x46\xa3\xe8\x74\x08\x00\x00\x00",
    28);
const std::string kGzipB(
    "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x4a\x52\xb2\x32\xaa\xe5\x02\x00\xb1\x6f\x3a\xf0\x08\x00\x00\x00",
    28);
const std::string kZstdA("\x28\xb5\x2f\xfd\x00\x58\x41\x00\x00\x7b\x22\x61\x22\x3a\x31\x7d\x0a", 17);

std::string zeros_in_gzip() {
  std::string bytes(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xed\xc1\x31\x01\x00\x00\x00\xc2\xa0\x4a\xeb\x9f\xce\x1a\x1e\x40\x01",
      27);
  bytes.append(96, '\0');
  return bytes + std::string("\xaf\x06\x85\xc2\x4d\xc5\xa0\x86\x01\x00", 10);
}

Result<std::vector<Source>> read_text(std::string bytes, ReadOptions options = {}) {
  std::istringstream input(std::move(bytes));
  return SourceReader(options, input).read("-");
}

Result<std::vector<Source>> read_path(const std::string& path, ReadOptions options = {}) {
  std::istringstream nothing;
  return SourceReader(options, nothing).read(path);
}

std::string error_of(const Result<std::vector<Source>>& sources) {
  if (sources) return "no error";
  return sources.error().front().code + ": " + sources.error().front().message;
}

std::vector<std::string> names_below(const TemporaryFolder& folder, const Result<std::vector<Source>>& sources) {
  std::vector<std::string> names;
  for (const Source& source : sources.value()) names.push_back(source.name.substr(folder.path().size() + 1));
  return names;
}

std::string wide(std::string_view text, std::size_t width, bool little) {
  std::string out;
  for (const char c : text) {
    std::string unit(width, '\0');
    unit[little ? 0 : width - 1] = c;
    out += unit;
  }
  return out;
}

}  // namespace

TEST_CASE("bytes that are no document are refused", "[io][source]") {
  struct Case {
    const char* name;
    std::string bytes;
    const char* expected;
  };
  const std::vector<Case> cases = {
      {"empty", "", "empty-input: the input is empty"},
      {"blanks", " \n\t\n", "empty-input: the input holds only blanks"},
      {"utf-16-mark", "\xFF\xFE{", "wide-encoding: the input is UTF-16 text; only UTF-8 is read"},
      {"utf-16-little-endian", wide("{\"a\"", 2, true), "wide-encoding: the input is UTF-16 text; only UTF-8 is read"},
      {"utf-16-big-endian", wide("{\"a\"", 2, false), "wide-encoding: the input is UTF-16 text; only UTF-8 is read"},
      {"utf-32-little-endian", wide("{\"a\"", 4, true), "wide-encoding: the input is UTF-32 text; only UTF-8 is read"},
      {"utf-32-big-endian", wide("{\"a\"", 4, false), "wide-encoding: the input is UTF-32 text; only UTF-8 is read"},
      {"binary",
       std::string("\x7f"
                   "ELF\x02\x01\0\0",
                   8),
       "binary-input: the input is binary data: byte 6 is zero"},
      {"html", "\n<!DOCTYPE html>\n<html>",
       "html-input: the input is an HTML or XML page: it starts with \"<!DOCTYPE html>\""},
      {"kubectl-error", "Error from server (Forbidden): nodes is forbidden\n",
       "kubectl-error: the input holds an error text of kubectl: \"Error from server (Forbidden): nodes is "
       "forbidden\""},
      {"kubectl-connection", "The connection to the server localhost:8080 was refused\n",
       "kubectl-error: the input holds an error text of kubectl: \"The connection to the server localhost:8080 was "
       "refused\""},
      {"kubectl-table", "NAME    STATUS   ROLES    AGE\nnode-1  Ready    <none>   3d\n",
       "kubectl-table: the input holds kubectl output for people: \"NAME    STATUS   ROLES    AGE\""},
      {"kubectl-describe", "Name:               node-1\nRoles:              <none>\nLabels:  a=b\n",
       "kubectl-table: the input holds kubectl output for people: \"Name:               node-1\""},
      {"xz",
       "\xFD"
       "7zXZ\x00",
       "compressed-format: the input is compressed with xz; only gzip and zstd are read"},
      {"cut-gzip", kGzipA.substr(0, 20), "cut-off: the gzip data ends too early"},
      {"damaged-gzip", kGzipA.substr(0, 21) + "x" + kGzipA.substr(22),
       "damaged: the gzip data is damaged: incorrect data check"},
      {"garbage-behind-gzip", kGzipA + "garbage", "damaged: the gzip data is damaged: incorrect header check"},
      {"cut-zstd", kZstdA.substr(0, 12), "cut-off: the zstd data ends too early"},
      {"damaged-zstd", kZstdA.substr(0, 4) + "\xff\xff\xff\xff" + kZstdA.substr(8),
       "damaged: the zstd data is damaged: Unsupported frame parameter"},
  };
  for (const Case& c : cases) {
    DYNAMIC_SECTION(c.name) {
      const auto sources = read_text(c.bytes);
      CHECK(error_of(sources) == c.expected);
      REQUIRE_FALSE(sources);
      CHECK(sources.error().front().source == "<stdin>");
    }
  }
  CHECK(read_text("\xFF\xFE{").error().front().hint == "convert it: iconv -f UTF-16 -t UTF-8 FILE");
}

TEST_CASE("gzip and zstd are read through, a byte order mark is removed", "[io][source]") {
  const auto [name, bytes, expected] = GENERATE(table<std::string, std::string, std::string>({
      {"plain", "{\"a\":1}\n", "{\"a\":1}\n"},
      {"byte-order-mark", "\xEF\xBB\xBF{}", "{}"},
      {"gzip", kGzipA, "{\"a\":1}\n"},
      {"gzip-members", kGzipA + kGzipB, "{\"a\":1}\n{\"b\":2}\n"},
      {"gzip-padded-with-zeros", kGzipA + std::string(512, '\0'), "{\"a\":1}\n"},
      {"zstd", kZstdA, "{\"a\":1}\n"},
      {"zstd-frames", kZstdA + kZstdA, "{\"a\":1}\n{\"a\":1}\n"},
  }));
  INFO(name);
  const auto sources = read_text(bytes);
  REQUIRE(sources);
  REQUIRE(sources->size() == 1);
  CHECK(sources->front().name == "<stdin>");
  CHECK(sources->front().bytes == expected);
}

TEST_CASE("an input that expands to too much is refused", "[io][source]") {
  CHECK(read_text(zeros_in_gzip(), {.max_bytes = 100'000}).value().front().bytes == std::string(100'000, '0'));
  CHECK(error_of(read_text(zeros_in_gzip(), {.max_bytes = 99'999})) ==
        "too-large: the input holds more than the limit of 99999 bytes");
  CHECK(error_of(read_text("123456", {.max_bytes = 5})) == "too-large: the input holds more than the limit of 5 bytes");
}

TEST_CASE("standard input is read once", "[io][source]") {
  std::istringstream input("{}");
  SourceReader reader({}, input);
  CHECK(reader.read("-").value().front().bytes == "{}");
  CHECK(error_of(reader.read("-")) == "stdin-twice: standard input can be read only once");
}

TEST_CASE("a folder gives its documents sorted by name", "[io][source]") {
  const TemporaryFolder folder;
  for (const char* name :
       {"b.yaml", "a.json", "c.yml", "notes.txt", "sub/d.json", "sub/deeper/e.yaml", "other/x.txt"}) {
    folder.write(name, "{}");
  }
  CHECK(names_below(folder, read_path(folder.path())) == std::vector<std::string>{"a.json", "b.yaml", "c.yml"});
  CHECK(names_below(folder, read_path(folder.path(), {.recursive = true})) ==
        std::vector<std::string>{"a.json", "b.yaml", "c.yml", "sub/d.json", "sub/deeper/e.yaml"});

  const auto none = read_path(folder.path("other"));
  CHECK(error_of(none) == "no-documents: the folder has no .json, .yaml or .yml file");
  CHECK(none.error().front().hint == "the folders in it are read with -R");
}

TEST_CASE("every bad file of a folder is reported", "[io][source]") {
  const TemporaryFolder folder;
  folder.write("a.json", "");
  folder.write("b.json", "{}");
  folder.write("c.json", "<html>");
  const auto sources = read_path(folder.path());
  REQUIRE_FALSE(sources);
  REQUIRE(sources.error().size() == 2);
  CHECK(sources.error()[0].source == folder.path("a.json"));
  CHECK(sources.error()[1].code == "html-input");
}

TEST_CASE("a loop of links ends", "[io][source]") {
  const TemporaryFolder folder;
  folder.write("sub/a.json", "{}");
  std::error_code error;
  fs::create_directory_symlink(folder.path(), folder.path("sub/up"), error);
  if (error) return;  // a file system without links
  fs::create_symlink(folder.path("sub/a.json"), folder.path("linked.json"));
  CHECK(names_below(folder, read_path(folder.path(), {.recursive = true})) ==
        std::vector<std::string>{"linked.json", "sub/a.json"});

  fs::create_symlink(folder.path("self.json"), folder.path("self.json"));
  const auto self = read_path(folder.path("self.json"));
  REQUIRE_FALSE(self);
  CHECK(self.error().front().code == "unreadable");
  CHECK_FALSE(read_path(folder.path(), {.recursive = true}));
}

TEST_CASE("a missing file gets a suggestion", "[io][source]") {
  const TemporaryFolder folder;
  folder.write("cluster.json", "{}");
  folder.write("pods.yaml", "a: 1");
  const auto typo = read_path(folder.path("clutser.json"));
  CHECK(error_of(typo) == "no-such-file: the file does not exist");
  CHECK(typo.error().front().hint == "did you mean " + folder.path("cluster.json") + "?");
  CHECK(typo.error().front().source == folder.path("clutser.json"));
  CHECK(read_path(folder.path("completely-different")).error().front().hint.empty());
  CHECK(read_path(folder.path("nope/x.json")).error().front().hint ==
        "the folder \"" + folder.path("nope") + "\" does not exist");
}

TEST_CASE("the errors of all arguments are collected", "[io][source]") {
  const TemporaryFolder folder;
  const std::string good = folder.write("good.json", "{}");
  std::istringstream input("[]");
  const auto sources = SourceReader({}, input).read_all(std::vector<std::string>{good, "-"});
  REQUIRE(sources);
  CHECK(sources->size() == 2);
  const auto bad =
      SourceReader({}, input).read_all(std::vector<std::string>{folder.path("x"), good, folder.path("yyyyyy"), "-"});
  REQUIRE_FALSE(bad);
  CHECK(bad.error().size() == 3);
}
