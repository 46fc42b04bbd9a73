// Any bytes: the reader of suites never crashes, gives either errors with a text or questions that expect something,
// and whatever answer they get, judging it and writing it back into the suite keeps the rest of the document.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "gpusched/base/text.hpp"
#include "gpusched/check/judge.hpp"
#include "gpusched/check/update.hpp"
#include "support/fuzz_checks.hpp"

using gpusched::testing::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched;
  const auto documents = io::parse_documents({"fuzz", std::string(reinterpret_cast<const char*>(data), size)});
  if (!documents) return 0;
  for (const io::Document& document : *documents) {
    const Result<check::Suite> suite = check::read_suite(document);
    if (!suite) {
      require(!suite.error().empty());
      for (const Diagnostic& diagnostic : suite.error()) {
        require(!diagnostic.code.empty() && !diagnostic.message.empty() && valid_utf8(diagnostic.message));
      }
      continue;
    }
    check::Answer answer;
    answer.output = "some\noutput\n";
    answer.errors = "error: x\n";
    answer.document = document;
    std::vector<check::ValueEdit> edits;
    for (const check::Question& question : suite->questions) {
      require(!question.name.empty() && !question.command.empty());
      for (const check::Mismatch& mismatch : check::judge(question, answer).mismatches) {
        require(!mismatch.expected.empty() || !mismatch.found.empty());
        if (mismatch.recorded) {
          edits.push_back({*mismatch.recorded, mismatch.replacement.value_or("")});
        }
      }
      std::string why;
      const auto words = check::split_words(check::command_line(question.command), why);
      require(words == question.command);
    }
    if (documents->size() == 1 && size < 10'000) {
      const check::EditedDocument edited = check::replace_values(document, edits);
      require(edited.made.size() == edits.size());
      require(io::parse_documents({"again", std::string(edited.document.text())}).has_value());
    }
  }
  return 0;
}
