#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/io/document.hpp"

namespace gpusched::conformance {

/// The file of GPUSCHED_CONFORMANCE_DIR, else of the shared folder, else the sample that the project carries.
inline std::filesystem::path corpus_path(std::string_view name) {
  if (const char* const folder = std::getenv("GPUSCHED_CONFORMANCE_DIR")) return std::filesystem::path(folder) / name;
  const std::filesystem::path shared = std::filesystem::path("../shared/conformance") / name;
  if (std::filesystem::exists(shared)) return shared;
  return std::filesystem::path("tests/conformance/data") / name;
}

/// One document a case.
inline std::vector<io::Document> corpus(std::string_view name) {
  const std::filesystem::path path = corpus_path(name);
  std::ifstream file(path, std::ios::binary);
  INFO("cannot read " << path << "; tests run in the project's root");
  REQUIRE(file.good());
  std::string text{std::istreambuf_iterator<char>(file), {}};
  Result<std::vector<io::Document>> documents = io::parse_documents({path.string(), std::move(text)});
  REQUIRE(documents);
  return std::move(*documents);
}

}  // namespace gpusched::conformance
