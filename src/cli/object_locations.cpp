#include "cli/object_locations.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "gpusched/io/object_places.hpp"
#include "gpusched/io/source.hpp"

namespace gpusched::cli {

namespace {

constexpr std::size_t kMaxBytes = std::size_t{64} * 1024 * 1024;

// Positionals and options with files of objects; what is asked about comes before what it is asked of.
constexpr std::array<std::string_view, 9> kFileArguments = {"PODS",    "JOBS",    "pods",  "pod",  "objects",
                                                            "CLUSTER", "cluster", "nodes", "SUITE"};

/// Pods that were made of a workload are called "deployment/web-0" or "ns/deployment/web-0".
void add(report::Locations& locations, const std::string& file, const io::NamedPlace& place) {
  const report::Location location{file, place.line, place.pointer};
  const std::string name_space = place.name_space.empty() ? "default" : place.name_space;
  locations.try_emplace(fmt::format("{} {}/{}", place.kind, name_space, place.name), location);
  locations.try_emplace(fmt::format("{} {}", place.kind, place.name), location);
  if (place.kind != "pod") {
    locations.try_emplace(fmt::format("pod {}/{}", place.kind, place.name), location);
    locations.try_emplace(fmt::format("pod {}/{}/{}", name_space, place.kind, place.name), location);
  }
}

/// What comes through standard input or a pipe is gone; a name may be no file at all.
bool can_be_read_again(const std::string& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  return std::filesystem::is_regular_file(status) || std::filesystem::is_directory(status);
}

}  // namespace

report::Locations object_locations(const Arguments& arguments) {
  report::Locations locations;
  std::istringstream nothing;
  io::SourceReader reader({.recursive = arguments.has("recursive"), .max_bytes = kMaxBytes}, nothing);
  for (const std::string_view name : kFileArguments) {
    for (const std::string& file : arguments.all(name)) {
      if (!can_be_read_again(file)) {
        continue;
      }
      const auto sources = reader.read(file);
      if (!sources) {
        continue;  // too large
      }
      for (const io::Source& source : *sources) {
        locations.try_emplace("", report::Location{source.name, 0, ""});
        const auto documents = io::parse_documents(source);
        if (!documents) {
          continue;  // a trace, for example
        }
        for (const io::Document& document : *documents) {
          for (const io::NamedPlace& place : io::named_places(document)) {
            add(locations, source.name, place);
          }
        }
      }
    }
  }
  return locations;
}

}  // namespace gpusched::cli
