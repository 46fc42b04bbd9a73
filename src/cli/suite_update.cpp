#include "cli/suite_update.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ranges>

#include "cli/write_target.hpp"
#include "gpusched/check/update.hpp"

namespace gpusched::cli {

namespace {

namespace fs = std::filesystem;
using What = check::Mismatch::What;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string golden_path(const check::Suite& suite, const check::Question& question) {
  return (fs::path(suite.file()).parent_path() / question.golden).string();
}

std::unexpected<Diagnostics> not_updated(const check::Suite& suite, std::string message) {
  auto failed = fail("not-updated", std::move(message), "write the new values by hand");
  failed.error().front().source = suite.file();
  return failed;
}

std::string what_changes(const check::Mismatch& mismatch, const check::Suite& suite) {
  return fmt::format("{} in {}", mismatch.what == What::kField ? mismatch.pointer : check::name_of(mismatch.what),
                     suite.file());
}

}  // namespace

std::string read_golden(const check::Suite& suite, const check::Question& question) {
  return question.golden.empty() ? std::string() : read_file(golden_path(suite, question));
}

std::vector<std::string> SuiteUpdate::take(const check::Suite& suite, const check::Question& question,
                                           const check::Answer& answer, check::Judgement& judgement) {
  std::vector<std::string> taken;
  const bool answered = std::ranges::none_of(judgement.mismatches, [&](const check::Mismatch& mismatch) {
    return mismatch.what == What::kRun || (mismatch.what == What::kExit && answer.exit > 1);
  });
  if (!answered) {
    return taken;
  }
  std::erase_if(judgement.mismatches, [&](const check::Mismatch& mismatch) {
    if (mismatch.what == What::kGolden) {
      const std::string path = golden_path(suite, question);
      files_[path] = answer.output;
      taken.push_back(path);
      return true;
    }
    if (!mismatch.recorded || !check::replace_value(suite.document, *mismatch.recorded, mismatch.replacement)) {
      return false;
    }
    edits_[&suite].try_emplace(mismatch.recorded->offset(), *mismatch.recorded, mismatch.replacement);
    taken.push_back(what_changes(mismatch, suite));
    return true;
  });
  return taken;
}

Result<bool> SuiteUpdate::write() {
  for (const auto& [suite, edits] : edits_) {
    if (suite->file() == "<stdin>" || read_file(suite->file()) != suite->document.text()) {
      return not_updated(*suite, "the suite cannot be updated: it is compressed, changed meanwhile, or standard input");
    }
    io::Document now = suite->document;
    for (const auto& edit : edits | std::views::reverse | std::views::values) {  // places before an edit stay
      const std::optional<std::string> text = check::replace_value(now, edit.first, edit.second);
      auto read = text ? io::parse_documents({suite->file(), *text}) : fail("not-updated", "");
      if (!read) {
        return not_updated(*suite, "the new values do not go together");
      }
      now = std::move(read->front());
    }
    files_[suite->file()] = now.text();
  }
  for (const auto& [path, text] : files_) {
    std::error_code error;  // write_target tells what is wrong
    if (const fs::path folder = fs::path(path).parent_path(); !folder.empty()) {
      fs::create_directories(folder, error);
    }
    if (const Result<bool> written = write_target(path, text); !written) {
      return written;
    }
  }
  return true;
}

}  // namespace gpusched::cli
