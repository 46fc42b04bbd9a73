#include "io/fixture_pod.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpusched/base/text.hpp"
#include "io/fixture_amounts.hpp"

namespace gpusched::io {

namespace {

constexpr std::int64_t kMaxPods = 1'000'000;  // of all files together: a report of as many is 2 GB
constexpr std::array<std::string_view, 3> kEffects = {"NoSchedule", "PreferNoSchedule", "NoExecute"};
constexpr std::array<std::string_view, 2> kOperators = {"Equal", "Exists"};
constexpr std::array<std::string_view, 2> kPreemptionPolicies = {"PreemptLowerPriority", "Never"};

}  // namespace

void PodFixture::read() {
  ObjectReader pod(decoder_, value_, "pod");
  const std::string_view name = pod.required_string("name");
  pod.set_name(name);
  if (const Value* const given = pod.find("name"); name.empty() && given != nullptr && given->is_string()) {
    pod.error("name", "out-of-range", "a pod's name must not be empty");
  }
  const PodClassId pod_class = read_class(pod, "gpus");
  const std::optional<std::int64_t> copies = pod.optional_int64("count", 0, kMaxPods);
  if (copies.value_or(1) > kMaxPods - std::ssize(model_.pods_)) {
    pod.error("count", "out-of-range", fmt::format("with this pod there are more than {} pods in all", kMaxPods));
  } else if (copies) {
    for (std::int64_t i = 0; i < *copies; ++i) {
      add(pod, fmt::format("{}-{}", name, i), pod_class);
    }
  } else {
    add(pod, name, pod_class);
  }
}

PodClassId PodFixture::read_class(ObjectReader& pod, std::string_view gpus_key) {
  read_gpus(pod, gpus_key);
  read_mig(pod);
  read_requests(pod);
  read_priority(pod);
  read_tolerations(pod);
  pod_class_.node_selector = label_set(pod, "node_selector", model_.builder_);
  return model_.builder_.pod_class(pod_class_);
}

void PodFixture::add(ObjectReader& pod, std::string_view name, PodClassId pod_class) {
  if (const std::string first = model_.pod_names_.add(name, decoder_.document(), value_);
      !first.empty() && !name.empty()) {
    pod.error("name", "duplicate-object", fmt::format("a second pod named {}; the first is at {}", quote(name), first));
  }
  model_.pods_.push_back({model_.builder_.text(name), pod_class, {}});
}

void PodFixture::read_gpus(ObjectReader& pod, std::string_view gpus_key) {
  pod_class_.gpus = static_cast<std::int32_t>(pod.optional_int64(gpus_key, 0, 1'000'000).value_or(0));
  if (const std::optional<std::string_view> resource = optional_gpu_resource(pod)) {
    pod_class_.gpu_resource = model_.builder_.resource(*resource);
  }
  if (const std::optional<std::string_view> model = pod.optional_string("model"); model && !model->empty()) {
    pod_class_.model = model_.builder_.text(*model);
  }
  pod_class_.gpu_memory_bytes = optional_amount(pod, "memory_gib", DecimalUnit::kGib).value_or(0);
  pod_class_.gradient_bytes = optional_amount(pod, "gradient_gb", DecimalUnit::kGb).value_or(0);
  pod_class_.nvlink = pod.optional_bool("nvlink").value_or(false);
  pod_class_.shared = pod.optional_bool("shared").value_or(false);
}

// "3g.40gb", or {"1g.10gb": 2, "3g.40gb": 1}.
void PodFixture::read_mig(ObjectReader& pod) {
  const Value* const mig = pod.find("mig");
  if (mig == nullptr) {
    return;
  }
  if (pod_class_.gpus > 0) {
    pod.error("mig", "value-not-allowed", "a pod asks for whole GPUs or for MIG instances, not for both");
  }
  if (mig->is_string()) {
    if (mig->text().empty()) {
      pod.error("mig", "out-of-range", "a MIG profile's name must not be empty");
    } else {
      add_mig(mig->text(), 1);
    }
    return;
  }
  pod.object("mig", [&](const Value& map) {
    if (map.members().empty()) {
      decoder_.error(map, "out-of-range", "expected at least one MIG profile, found none", "leave \"mig\" out");
    }
    for (const Member& member : map.members()) {
      if (member.key().empty()) {
        decoder_.error_at(member.key(), member.key_offset, "out-of-range", "a MIG profile's name must not be empty");
        continue;
      }
      const std::optional<std::int64_t> count = member.value.is_number() ? to_int64(member.value.text()) : std::nullopt;
      if (!count || *count < 1 || *count > static_cast<std::int64_t>(kMaxGpusPerNode)) {
        decoder_.error_at(member.key(), member.value.offset(), "out-of-range",
                          fmt::format("expected a number of instances from 1 to {}, found {}", kMaxGpusPerNode,
                                      describe(member.value)));
      } else {
        add_mig(member.key(), *count);
      }
    }
  });
}

void PodFixture::add_mig(std::string_view profile, std::int64_t count) {
  std::string resource = fmt::format("nvidia.com/mig-{}", profile);
  std::ranges::replace(resource, '+', '.');  // as the device plugin spells it
  pod_class_.mig.push_back(
      {model_.builder_.text(profile), model_.builder_.resource(resource), static_cast<std::int32_t>(count)});
}

void PodFixture::read_requests(ObjectReader& pod) {
  pod_class_.requests = resource_amounts(decoder_, pod, "requests", model_.builder_);
  set_non_zero_requests(pod_class_);
  for (const auto& [resource, amount] : pod_class_.requests) {
    if (model_.builder_.shape().name(resource).starts_with("nvidia.com/") || resource == pod_class_.gpu_resource) {
      pod.error("requests", "value-not-allowed", "GPUs are asked for with \"gpus\" or \"mig\"");
    } else if (resource == kPods) {
      pod.error("requests", "value-not-allowed", "every pod takes one of the node's \"pods\"", "leave it out");
    }
  }
}

void PodFixture::read_priority(ObjectReader& pod) {
  pod_class_.priority = static_cast<std::int32_t>(pod.optional_int64("priority", INT32_MIN, INT32_MAX).value_or(0));
  // Kubernetes' spelling and the fixture's own.
  for (const std::string_view key : {"preemptionPolicy", "preemption_policy"}) {
    if (const std::optional<std::size_t> policy = pod.optional_one_of(key, kPreemptionPolicies)) {
      pod_class_.preempts = *policy == 0;
    }
  }
}

void PodFixture::read_tolerations(ObjectReader& pod) {
  pod.array("tolerations", [&](const Value& item, std::size_t) {
    ObjectReader toleration(decoder_, item, "toleration");
    const auto text = [&](std::string_view value) { return value.empty() ? StringId{} : model_.builder_.text(value); };
    Toleration result;
    result.key = text(toleration.optional_string("key").value_or(""));
    result.op = static_cast<TolerationOperator>(toleration.optional_one_of("operator", kOperators).value_or(0));
    result.value = text(toleration.optional_string("value").value_or(""));
    if (const std::optional<std::size_t> effect = toleration.optional_one_of("effect", kEffects)) {
      result.effect = static_cast<TaintEffect>(*effect);
    }
    if (!result.key.valid() && result.op == TolerationOperator::kEqual) {
      decoder_.error(item, "value-not-allowed", "a toleration without a key needs operator Exists");
    }
    pod_class_.tolerations.push_back(result);
  });
}

}  // namespace gpusched::io
