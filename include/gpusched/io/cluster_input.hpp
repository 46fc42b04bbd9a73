#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "gpusched/io/cluster_dump.hpp"
#include "gpusched/io/document.hpp"
#include "gpusched/io/source.hpp"

namespace gpusched::io {

/// What the files of one argument list hold: documents of our own formats, and Kubernetes objects.
struct ClusterInput {
  std::vector<Document> fixtures;
  ClusterDump dump;
  std::vector<Source> traces;  ///< job traces, unread
};

/// Reads files, folders and standard input. The content decides: JSON that starts like Kubernetes objects is streamed
/// (any size, `jobs` threads), other JSON and YAML become documents, of which those with a `kind` are Kubernetes
/// objects too. With `traces`, text that looks like a job trace (io/trace.hpp) is kept for its reader. Whatever `jobs`
/// is, objects and errors come in the order of the input. Errors: those of reading and decoding, every bad object; a
/// cut input and a list that the API server paged
/// ("paged-list") are errors, never an empty cluster.
[[nodiscard]] Result<ClusterInput> read_cluster_input(SourceReader& reader, std::span<const std::string> arguments,
                                                      std::size_t jobs, bool traces = false);

}  // namespace gpusched::io
