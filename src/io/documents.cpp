#include "gpusched/io/documents.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>

namespace gpusched::io {

Result<std::vector<Document>> parse_sources(std::vector<Source> sources, std::size_t jobs, const Limits& limits) {
  std::vector<std::optional<Result<std::vector<Document>>>> parsed(sources.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < sources.size(); i = next++) {
      parsed[i] = parse_documents(std::move(sources[i]), limits);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < std::min(jobs, sources.size()); ++i) {
      threads.emplace_back(work);
    }
    work();
  }
  std::vector<Document> documents;
  Diagnostics errors;
  for (std::optional<Result<std::vector<Document>>>& result : parsed) {
    if (result->has_value()) {
      std::ranges::move(**result, std::back_inserter(documents));
    } else {
      std::ranges::move(result->error(), std::back_inserter(errors));
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  return documents;
}

}  // namespace gpusched::io
