#include "kueue/pending_queue.hpp"

#include <utility>

namespace gpusched::kueue {

void PendingQueue::put(const QueueKey& key, std::uint8_t set) {
  erase(key.workload);
  sets_[set].insert(key);
  QueueSlot& own = (*slots_)[key.workload.index()];
  own.set = set;
  own.key = key;
  digests_[set] += spread(own.digest + key.workload.index());
}

void PendingQueue::erase(WorkloadId workload) {
  QueueSlot& own = (*slots_)[workload.index()];
  if (own.set == QueueSlot::kNowhere) {
    return;
  }
  sets_[own.set].erase(own.key);
  digests_[own.set] -= spread(own.digest + workload.index());
  own.set = QueueSlot::kNowhere;
}

WorkloadId PendingQueue::pop() {
  const bool sticky_first = sticky_.valid() && in_heap(sticky_);
  const WorkloadId first = sticky_first ? sticky_ : sets_[heap_].begin()->workload;
  erase(first);
  return first;
}

void PendingQueue::forget_sticky(WorkloadId workload) {
  if (sticky_ == workload) {
    sticky_ = {};
  }
}

void PendingQueue::move_all(std::uint8_t from, std::uint8_t to) {
  for (const QueueKey& key : sets_[from]) {
    (*slots_)[key.workload.index()].set = to;
  }
  sets_[to].merge(sets_[from]);
  digests_[to] += std::exchange(digests_[from], 0);
}

void PendingQueue::wake(const std::function<bool(WorkloadId)>& eligible) {
  std::vector<QueueKey> awake;
  for (const QueueKey& key : sets_[kParked]) {
    if (eligible(key.workload)) {
      awake.push_back(key);
    }
  }
  if (sets_[waiting_].size() > sets_[heap_].size()) {
    std::swap(heap_, waiting_);
  }
  move_all(waiting_, heap_);
  for (const QueueKey& key : awake) {
    push(key);
  }
}

std::uint64_t PendingQueue::digest() const {
  const std::uint64_t sticky = sticky_.valid() ? sticky_.index() + 1 : 0;
  return spread(digests_[heap_]) + spread(digests_[waiting_] + digests_[kParked] + 1) + spread(sticky + 2);
}

void PendingQueue::set_digest(WorkloadId workload, std::uint64_t digest) {
  QueueSlot& own = (*slots_)[workload.index()];
  if (own.set != QueueSlot::kNowhere) {
    digests_[own.set] += spread(digest + workload.index()) - spread(own.digest + workload.index());
  }
  own.digest = digest;
}

}  // namespace gpusched::kueue
