// nvidia-smi topo -m: whatever it reads has islands that hold every GPU once.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gpusched/io/topology_matrix.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto matrix =
      gpusched::io::parse_topology_matrix({"fuzz", std::string(reinterpret_cast<const char*>(data), size)});
  if (!matrix) {
    if (matrix.error().empty()) std::abort();
    return 0;
  }
  std::size_t gpus = 0;
  for (const auto& island : matrix->islands()) gpus += island.size();
  if (gpus != matrix->gpus() || matrix->numa_nodes.size() != gpus) std::abort();
  return 0;
}
