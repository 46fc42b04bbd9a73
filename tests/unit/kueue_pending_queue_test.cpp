#include "kueue/pending_queue.hpp"

#include <catch2/catch.hpp>
#include <vector>

namespace gpusched::kueue {
namespace {

TEST_CASE("the digest of a queue tells where each workload is") {
  const auto workload = GENERATE(WorkloadId(0), WorkloadId(1), WorkloadId(2));
  std::vector<QueueSlot> slots(3);
  PendingQueue queue(slots);
  for (std::size_t i = 0; i < slots.size(); ++i) queue.push({0, static_cast<std::int64_t>(i), 0, WorkloadId(i)});
  const std::uint64_t all_in_heap = queue.digest();
  const QueueKey key = slots[workload.index()].key;

  queue.wait(key);
  const std::uint64_t waiting = queue.digest();
  CHECK(waiting != all_in_heap);
  queue.erase(workload);
  CHECK(queue.digest() != waiting);
  CHECK(queue.digest() != all_in_heap);
  queue.push(key);
  CHECK(queue.digest() == all_in_heap);
}

}  // namespace
}  // namespace gpusched::kueue
