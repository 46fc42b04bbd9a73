#include "cli/golden_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "gpusched/io/source.hpp"

namespace gpusched::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = io::ReadOptions{}.max_bytes;

bool is_below(const fs::path& folder, const fs::path& path) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

/// Whether the file is in the suite's folder when all links are followed. The suite itself may be a link: then the
/// folder that it leads to will do, too.
bool is_beside(const check::Suite& suite, const fs::path& path) {
  std::error_code error;
  // Made absolute first: a relative path that does not begin in an existing folder would stay relative.
  const fs::path target = fs::weakly_canonical(fs::absolute(path), error);
  const fs::path named = fs::weakly_canonical(fs::absolute(suite.file()).parent_path(), error);
  if (fs::is_symlink(fs::symlink_status(path, error)) && !fs::exists(path, error)) {
    return false;  // whoever writes there does not know where
  }
  const fs::path resolved = fs::canonical(suite.file(), error);
  return is_below(named, target) || (!error && is_below(resolved.parent_path(), target));
}

}  // namespace

std::string golden_path(const check::Suite& suite, const check::Question& question) {
  return question.golden.empty() ? "" : (fs::path(suite.file()).parent_path() / question.golden).string();
}

Result<std::optional<std::string>> read_golden(const check::Suite& suite, const check::Question& question) {
  const std::string path = golden_path(suite, question);
  if (path.empty()) {
    return std::nullopt;
  }
  if (!is_beside(suite, path)) {
    return fail("unreadable", "a link out of the suite's folder");
  }
  std::error_code error;
  if (!fs::exists(path, error) && !error) {
    return std::nullopt;
  }
  Result<std::string> content = read_regular_file(path);
  if (!content) {
    return std::unexpected(std::move(content.error()));
  }
  return std::optional(std::move(*content));
}

Result<std::string> read_regular_file(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    return fail("unreadable", error ? error.message() : "no regular file");
  }
  if (fs::file_size(path, error) > kMaxBytes) {
    return fail("unreadable", fmt::format("more than {} bytes", kMaxBytes));
  }
  std::ifstream file(path, std::ios::binary);
  std::string content;
  std::string block(std::size_t{1} << 16U, '\0');
  while (file.read(block.data(), std::ssize(block)) || file.gcount() > 0) {
    content.append(block, 0, static_cast<std::size_t>(file.gcount()));
    if (content.size() > kMaxBytes) {  // files of /proc have no size
      return fail("unreadable", fmt::format("more than {} bytes", kMaxBytes));
    }
  }
  if (!file.eof()) {
    return fail("unreadable", "it cannot be read");
  }
  return content;
}

}  // namespace gpusched::cli
