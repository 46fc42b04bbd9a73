#include "io/fixture_job.hpp"

#include <fmt/format.h>

#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/io/trace.hpp"
#include "io/fixture_pod.hpp"

namespace gpusched::io {

namespace {
constexpr std::int64_t kMaxPods = 1'000'000;  // of all jobs together
}

std::int64_t JobFixture::seconds(ObjectReader& job, std::string_view key, std::int64_t fallback_ms) {
  const std::optional<std::string_view> text = job.optional_decimal(key);
  if (!text) {
    return fallback_ms;
  }
  const std::optional<std::int64_t> ms = parse_seconds(*text);
  if (!ms || *ms < 0) {
    job.error(key, "out-of-range",
              fmt::format("expected seconds from 0 to {}, found {}", kMaxTraceSeconds, shorten(*text)));
    return 0;
  }
  return *ms;
}

StringId JobFixture::optional_text(ObjectReader& job, std::string_view key) {
  const std::optional<std::string_view> text = job.optional_string(key);
  return text && !text->empty() ? model_.builder_.text(*text) : StringId{};
}

void JobFixture::read() {
  ObjectReader job(decoder_, value_, "job");
  const std::string_view name = job.required_string("name");
  job.set_name(name);
  job_.name = model_.builder_.text(name);
  if (const Value* const given = job.find("name"); name.empty() && given != nullptr && given->is_string()) {
    job.error("name", "out-of-range", "a job's name must not be empty");
  }
  if (const std::string first = model_.job_names_.add(name, decoder_.document(), value_);
      !first.empty() && !name.empty()) {
    job.error("name", "duplicate-object", fmt::format("a second job named {}; the first is at {}", quote(name), first));
  }
  job_.queue = optional_text(job, "queue");
  job_.user = optional_text(job, "user");
  read_times(job);
  read_pods(job);
  read_failures(job);
  read_topology(job);
  std::vector<std::string> after;
  for (const std::string_view before : job.strings("after")) {
    after.emplace_back(before);
  }
  model_.jobs_.push_back({std::move(job_), std::move(after), decoder_.document().source_name()});
}

void JobFixture::read_times(ObjectReader& job) {
  job_.submission_ms = seconds(job, "arrival", 0);
  job_.think_ms = seconds(job, "think", 0);
  job_.hold_timeout_ms = seconds(job, "timeout", -1);
  if (job.require("duration") != nullptr) {
    job_.duration_ms = seconds(job, "duration", 0);
  }
}

void JobFixture::read_pods(ObjectReader& job) {
  const bool has_sets = job.array("pod_sets", [&](const Value& item, std::size_t) {
    ObjectReader set(decoder_, item, "pod set");
    const std::string_view name = set.required_string("name");
    read_pod_set(set, item, name);
  });
  if (!has_sets) {
    read_pod_set(job, value_, {});
  } else if (job_.pod_sets.empty()) {
    job.error("pod_sets", "out-of-range", "a job needs at least one pod set");
  } else {
    for (const std::string_view key : {"pods", "gpus_per_pod"}) {
      if (job.find(key) != nullptr) {
        job.error(key, "value-not-allowed", "a job with \"pod_sets\" has its pods there");
      }
    }
    job_.priority = static_cast<std::int32_t>(job.optional_int64("priority", INT32_MIN, INT32_MAX).value_or(0));
  }
  std::int64_t pods = 0;
  for (const PodSet& set : job_.pod_sets) {
    pods += set.count;
  }
  model_.job_pods_ += pods;
  if (model_.job_pods_ > kMaxPods) {
    job.error(has_sets ? "pod_sets" : "pods", "out-of-range",
              fmt::format("with this job there are more than {} pods in all", kMaxPods));
    model_.job_pods_ -= pods;
  }
  job_.min_pods = static_cast<std::int32_t>(job.optional_int64("min_available", 1, pods).value_or(0));
}

void JobFixture::read_pod_set(ObjectReader& object, const Value& value, std::string_view name) {
  PodSet set;
  set.name = name.empty() ? StringId{} : model_.builder_.text(name);
  set.count = static_cast<std::int32_t>(object.optional_int64("pods", 1, kMaxPods).value_or(1));
  set.pod_class = PodFixture(model_, decoder_, value).read_class(object, "gpus_per_pod");
  job_.priority = model_.builder_.shape().pod_classes[set.pod_class.index()].priority;
  job_.pod_sets.push_back(set);
}

// A number, or a list with one number for each run.
void JobFixture::read_failures(ObjectReader& job) {
  job_.max_restarts = static_cast<std::int32_t>(job.optional_int64("max_restarts", 0, 1'000'000).value_or(0));
  const Value* const value = job.find("fail_at");
  if (value == nullptr) {
    return;
  }
  const auto add = [&](const Value& item) {
    const std::optional<std::int64_t> ms = item.is_number() ? parse_seconds(item.text()) : std::nullopt;
    if (!ms || *ms < 0) {
      decoder_.error(
          item, "out-of-range",
          fmt::format("expected seconds from 0 to {}, or a list of them, found {}", kMaxTraceSeconds, describe(item)));
    } else {
      job_.fail_at_ms.push_back(*ms);
    }
  };
  if (!value->is_array()) {
    decoder_.at_key("fail_at", [&] { add(*value); });
    return;
  }
  job.array("fail_at", [&](const Value& item, std::size_t) { add(item); });
}

void JobFixture::read_topology(ObjectReader& job) {
  const StringId shared = optional_text(job, "topology");
  const StringId exclusive = optional_text(job, "exclusive_topology");
  if (shared.valid() && exclusive.valid()) {
    job.error("exclusive_topology", "value-not-allowed", "a job has \"topology\" or \"exclusive_topology\", not both");
  }
  job_.topology = {exclusive.valid() ? exclusive : shared, exclusive.valid()};
}

}  // namespace gpusched::io
