#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "gpusched/dra/allocator.hpp"
#include "gpusched/dra/cel_selectors.hpp"
#include "gpusched/io/dra_objects.hpp"
#include "support/fuzz_checks.hpp"

using gpusched::testing::require;

/// Whatever the objects say, they are read or refused with a reason, and the allocator answers them within its budget.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace io = gpusched::io;
  namespace dra = gpusched::dra;
  const auto documents = io::parse_documents({"fuzz", std::string(reinterpret_cast<const char*>(data), size)});
  if (!documents) return 0;
  const auto objects = io::read_dra_objects(*documents);
  if (!objects) {
    require(!objects.error().empty() && !objects.error().front().message.empty());
    return 0;
  }
  const dra::Features features;
  dra::CelSelectors selectors(features);
  const dra::InUse held = dra::in_use(objects->claims, features.consumable_capacity);
  dra::Allocator allocator({features, objects->slices, objects->classes, held, selectors});
  std::vector<const gpusched::objects::ResourceClaim*> claims;
  for (const auto& claim : objects->claims) {
    if (!claim.allocation) claims.push_back(&claim);
  }
  dra::AllocateOptions options;
  options.max_calls = 2000;
  const dra::AllocationAnswer answer = allocator.allocate({"n1", {}, {}}, claims, options);
  const bool allocated = answer.outcome == dra::AllocationOutcome::kAllocated;
  require(!allocated || (answer.allocations.size() == claims.size() && answer.error.empty()));
  return 0;
}
