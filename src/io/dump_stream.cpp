#include "io/dump_stream.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace gpusched::io {

namespace {

/// One batch on its way through the threads.
struct Job {
  std::size_t number = 0;
  Batch batch;
  std::vector<TypeMeta> lists;  // from the document of the first item on
  std::vector<ObjectText> objects;
  Diagnostics errors;
  std::exception_ptr failure;
};

void take_apart(ObjectTextReader& reader, Job& job) {
  reader.read(job.batch, job.lists, job.objects, job.errors);
  job.batch = {};
}

void collect(Job& job, DumpCollector& collector, Diagnostics& errors) {
  if (job.failure) {
    std::rethrow_exception(job.failure);
  }
  std::ranges::move(job.errors, std::back_inserter(errors));
  for (ObjectText& object : job.objects) {
    collector.add(std::move(object), errors);
  }
}

/// Workers between the splitter and the collector. At most two batches a worker are under way, so memory stays bounded.
class Pool {
 public:
  explicit Pool(std::size_t jobs) : limit_(2 * jobs) {
    for (std::size_t i = 0; i < jobs; ++i) {
      workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
  }
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      for (std::jthread& worker : workers_) {
        worker.request_stop();
      }
    }
    changed_.notify_all();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  [[nodiscard]] bool full() {
    const std::lock_guard lock(mutex_);
    return under_way_ >= limit_;
  }
  void put(Job&& job) {
    const std::lock_guard lock(mutex_);
    job.number = next_in_++;
    ++under_way_;
    waiting_.push_back(std::move(job));
    changed_.notify_all();
  }
  /// The next job in order; false when none is under way.
  [[nodiscard]] bool take(Job& job) {
    std::unique_lock lock(mutex_);
    if (under_way_ == 0) {
      return false;
    }
    changed_.wait(lock, [this] { return done_.contains(next_out_); });
    auto node = done_.extract(next_out_++);
    job = std::move(node.mapped());
    --under_way_;
    return true;
  }

 private:
  void work(const std::stop_token& stop) {
    ObjectTextReader reader;
    while (true) {
      Job job;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stop.stop_requested() || !waiting_.empty(); });
        if (waiting_.empty()) {
          return;
        }
        job = std::move(waiting_.front());
        waiting_.pop_front();
      }
      try {
        take_apart(reader, job);
      } catch (...) {  // for the thread that waits for it
        job.failure = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      const std::size_t number = job.number;
      done_.emplace(number, std::move(job));
      changed_.notify_all();
    }
  }

  std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::map<std::size_t, Job> done_;
  std::size_t next_in_ = 0, next_out_ = 0, under_way_ = 0;
  std::vector<std::jthread> workers_;  // last: they end before the rest goes
};

}  // namespace

void read_dump_stream(ByteStream& stream, std::size_t jobs, DumpCollector& collector, Diagnostics& errors) {
  ItemSplitter splitter(stream, {});
  ObjectTextReader reader;
  std::optional<Pool> pool;
  if (jobs > 1) {
    pool.emplace(jobs - 1);
  }
  Job job;
  while (true) {
    Result<Batch> batch = splitter.next();
    if (!batch) {
      while (pool && pool->take(job)) {
        collect(job, collector, errors);
      }
      std::ranges::move(batch.error(), std::back_inserter(errors));
      return;
    }
    if (batch->items.empty()) {
      break;
    }
    std::vector<TypeMeta> lists;
    for (std::size_t i = batch->items.front().document; i < splitter.envelopes().size(); ++i) {
      lists.push_back(splitter.envelopes()[i].type);
    }
    Job next{0, std::move(*batch), std::move(lists), {}, {}, {}};
    if (!pool) {
      take_apart(reader, next);
      collect(next, collector, errors);
      continue;
    }
    while (pool->full() && pool->take(job)) {
      collect(job, collector, errors);
    }
    pool->put(std::move(next));
  }
  while (pool && pool->take(job)) {
    collect(job, collector, errors);
  }
  for (const Envelope& envelope : splitter.envelopes()) {
    collector.finish_list(envelope, errors);
  }
}

}  // namespace gpusched::io
