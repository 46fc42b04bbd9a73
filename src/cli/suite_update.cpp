#include "cli/suite_update.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>
#include <vector>

#include "cli/golden_file.hpp"
#include "cli/write_target.hpp"
#include "gpusched/check/update.hpp"

namespace gpusched::cli {

namespace {

namespace fs = std::filesystem;
using What = check::Mismatch::What;

/// A mismatch whose recorded value is to become another one.
struct Wish {
  std::size_t question, mismatch;
};

std::string what_changes(const report::CheckedQuestion& question, const check::Mismatch& mismatch) {
  if (mismatch.what == What::kGolden) {
    return golden_path(*question.suite, *question.question);
  }
  return fmt::format("{} in {}", mismatch.what == What::kField ? mismatch.pointer : check::name_of(mismatch.what),
                     question.suite->file());
}

/// Whether it is an answer at all, which may replace what was expected.
bool answered(const report::CheckedQuestion& question) {
  return std::ranges::none_of(question.judgement.mismatches, [&](const check::Mismatch& mismatch) {
    return mismatch.what == What::kRun || (mismatch.what == What::kExit && question.exit > 1);
  });
}

void settle(report::CheckedQuestion& question, const std::vector<bool>& done) {
  std::vector<check::Mismatch> left;
  for (std::size_t i = 0; i < done.size(); ++i) {
    check::Mismatch& mismatch = question.judgement.mismatches[i];
    if (done[i]) {
      question.updated.push_back(what_changes(question, mismatch));
    } else {
      left.push_back(std::move(mismatch));
    }
  }
  question.judgement.mismatches = std::move(left);
}

}  // namespace

void SuiteUpdate::take(std::span<report::CheckedQuestion> questions) {
  std::vector<std::vector<bool>> done;
  std::map<const check::Suite*, std::vector<Wish>> wishes;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const report::CheckedQuestion& question = questions[i];
    const std::vector<check::Mismatch>& mismatches = question.judgement.mismatches;
    done.emplace_back(mismatches.size());
    for (std::size_t j = 0; answered(question) && j < mismatches.size(); ++j) {
      if (!mismatches[j].replacement) {
        continue;
      }
      if (mismatches[j].recorded) {
        wishes[question.suite].push_back({i, j});
      } else {
        const std::string& wanted = *mismatches[j].replacement;
        done[i][j] =
            golden_files_.try_emplace(golden_path(*question.suite, *question.question), wanted).first->second == wanted;
      }
    }
  }
  for (const auto& [suite, of_suite] : wishes) {
    std::vector<check::ValueEdit> edits;
    std::ranges::transform(of_suite, std::back_inserter(edits), [&](const Wish& wish) {
      const check::Mismatch& mismatch = questions[wish.question].judgement.mismatches[wish.mismatch];
      return check::ValueEdit{*mismatch.recorded, *mismatch.replacement};
    });
    const check::EditedDocument edited = check::replace_values(suite->document, edits);
    for (std::size_t k = 0; k < of_suite.size(); ++k) {
      done[of_suite[k].question][of_suite[k].mismatch] = edited.made[k];
    }
    if (edited.document.text() != suite->document.text()) {
      suites_.emplace(suite->file(), suite->document);
      edited_[suite->file()] = edited.document.text();
    }
  }
  for (std::size_t i = 0; i < questions.size(); ++i) {
    settle(questions[i], done[i]);
  }
}

Result<bool> SuiteUpdate::write() {
  for (const auto& [path, document] : suites_) {
    const Result<std::string> now = read_regular_file(path);
    if (!now || *now != document.text()) {
      auto failed =
          fail("not-updated", "the suite cannot be updated: it is compressed, changed meanwhile, or no regular file",
               "write the new values by hand");
      failed.error().front().source = path;
      return failed;
    }
  }
  for (const auto* const files : {&golden_files_, &edited_}) {
    for (const auto& [path, text] : *files) {
      std::error_code error;  // write_target tells what is wrong
      if (const fs::path folder = fs::path(path).parent_path(); !folder.empty()) {
        fs::create_directories(folder, error);
      }
      if (const Result<bool> written = write_target(path, text); !written) {
        return written;
      }
    }
  }
  return true;
}

}  // namespace gpusched::cli
