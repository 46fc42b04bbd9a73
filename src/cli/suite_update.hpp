#pragma once

#include <map>
#include <span>
#include <string>

#include "gpusched/report/check.hpp"

namespace gpusched::cli {

/// Collects what --update changes, then writes it.
class SuiteUpdate {
 public:
  /// Takes the mismatches away that the answers can replace, and puts what will be written into `updated`: outputs into
  /// golden files, exact values into suites. Thresholds, parts of texts and answers that are none stay, and what two
  /// questions want to be different.
  void take(std::span<report::CheckedQuestion> questions);

  /// Writes golden files, then suites, so that no suite is ahead of its golden files; each file whole or not at all.
  /// Nothing is written with the error "not-updated": a suite changed meanwhile, is compressed or came from standard
  /// input. "write-failed" ends the writing.
  [[nodiscard]] Result<bool> write();

 private:
  std::map<std::string, std::string> golden_files_;  // contents by path
  std::map<std::string, io::Document> suites_;       // as they were read, by path
  std::map<std::string, std::string> edited_;        // their new texts
};

}  // namespace gpusched::cli
