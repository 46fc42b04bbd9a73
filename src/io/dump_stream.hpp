#pragma once

#include <cstddef>

#include "io/byte_stream.hpp"
#include "io/dump_collector.hpp"

namespace gpusched::io {

/// Reads a JSON stream of Kubernetes objects into the collector: one thread cuts it into objects, `jobs` threads take
/// them apart, and the collector gets them in the order of the stream.
void read_dump_stream(ByteStream& stream, std::size_t jobs, DumpCollector& collector, Diagnostics& errors);

}  // namespace gpusched::io
