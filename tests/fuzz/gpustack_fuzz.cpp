#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "gpusched/chain/chain.hpp"
#include "gpusched/io/core_objects.hpp"
#include "gpusched/io/gpustack_objects.hpp"
#include "support/fuzz_checks.hpp"

using gpusched::testing::require;

/// Whatever the objects say, they are read or refused with a reason, and the chain computes what follows from them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace io = gpusched::io;
  namespace chain = gpusched::chain;
  auto documents = io::parse_documents({"fuzz", std::string(reinterpret_cast<const char*>(data), size)});
  if (!documents) return 0;
  chain::ChainInput input;
  io::ClusterDump dump;
  for (io::Document& document : *documents) {
    const io::Value* const kind = document.root.find("kind");
    if (kind == nullptr || kind->text() != "Node") {
      dump.others.push_back(std::move(document));
      continue;
    }
    io::Decoder decoder(document);
    input.nodes.push_back(io::decode_node(decoder, document.root));
  }
  auto objects = io::read_gpustack_objects(dump);
  if (!objects) {
    require(!objects.error().empty() && !objects.error().front().message.empty());
    return 0;
  }
  input.devices = std::move(objects->devices);
  input.types = std::move(objects->types);
  input.topology_sources = std::move(objects->topology_sources);
  for (const auto& queue : objects->queues) input.queues.push_back(chain::live_queue(queue));
  const auto result = chain::compute(input);
  require(result || !result.error().empty());
  if (!result) return 0;
  for (const chain::Pool& pool : result->pools) require(pool.groups.empty() || pool.state.groups);
  return 0;
}
