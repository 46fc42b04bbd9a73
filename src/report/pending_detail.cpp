#include "report/pending_detail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

namespace gpusched::report {

namespace {

using Json = nlohmann::ordered_json;
using kubescheduler::NodeState;
using kubescheduler::PodState;
using kubescheduler::ResourceIndex;

constexpr std::string_view kInsufficient = "Insufficient ";

/// In the unit that people write: cores, bytes with a binary suffix, whole devices.
std::string amount_text(ResourceIndex resource, std::int64_t amount) {
  if (resource == kubescheduler::kCpu) {
    return Quantity::from_milli(amount).to_string();
  }
  const bool bytes = resource == kubescheduler::kMemory || resource == kubescheduler::kEphemeralStorage;
  return Quantity::from_int64(amount, bytes ? QuantityFormat::kBinarySi : QuantityFormat::kDecimalSi).to_string();
}

std::int64_t amount_of(const PodState& pod, ResourceIndex resource) {
  const auto found = std::ranges::find(pod.requests, resource, &kubescheduler::ResourceAmount::resource);
  return found == pod.requests.end() ? 0 : found->amount;
}

/// Amounts of one resource on one node, in its own unit.
struct Room {
  std::int64_t requested = 0, allocatable = 0, used = 0, nominated = 0;
};

Json room_object(const std::string& resource, ResourceIndex unit, const Room& room) {
  const std::int64_t free = room.allocatable - room.used - room.nominated;
  Json object{{"resource", resource},
              {"requested", amount_text(unit, room.requested)},
              {"free", amount_text(unit, std::max<std::int64_t>(free, 0))},
              {"allocatable", amount_text(unit, room.allocatable)}};
  if (room.nominated > 0) {
    object["nominated"] = amount_text(unit, room.nominated);
  }
  if (free < 0) {
    object["overCommitted"] = amount_text(unit, -free);
  }
  return object;
}

}  // namespace

PendingDetail::PendingDetail(const kubescheduler::Snapshot& snapshot, const kubescheduler::SchedulerRules& rules,
                             const objects::Pod& pod)
    : snapshot_(snapshot), rules_(rules), pod_(pod), state_(snapshot.make_pod_state(pod)) {}

Json PendingDetail::of(const std::string& node_name, const std::string& reason) const {
  const kubescheduler::NodeIndex index = snapshot_.find_node(node_name);
  if (!index.valid()) {
    return nullptr;
  }
  const NodeState& node = snapshot_.node(index);
  Json object = nullptr;
  if (reason.starts_with(kInsufficient)) {
    object = amount(node, reason.substr(kInsufficient.size()));
  } else if (reason == "Too many pods") {
    object = pod_count(node);
  } else if (reason.starts_with("node(s) had untolerated taint")) {
    object = taints(node);
  }
  if (object.is_null()) {
    return object;
  }
  Json detail{{"reason", reason}};
  detail.update(object);
  return detail;
}

Json PendingDetail::amount(const NodeState& node, const std::string& resource) const {
  const ResourceIndex index = snapshot_.find_resource(resource);
  if (!index.valid()) {
    // No node and no pod of the cluster names it, so that the snapshot does not count it.
    const objects::PodDemand demand = objects::pod_demand(pod_, snapshot_.request_rules());
    const std::int64_t* const requested = objects::find(demand.requests.scalars, resource);
    return room_object(resource, index, {requested == nullptr ? 0 : *requested, 0, 0, 0});
  }
  std::int64_t used = node.usage.of(index);
  for (const kubescheduler::PodIndex other : node.usage.pods) {
    used -= is_asked(*snapshot_.pod(other).object) ? amount_of(snapshot_.pod(other), index) : 0;
  }
  return room_object(resource, index,
                     {amount_of(state_, index), node.allocatable_of(index), used, nominated(node, index)});
}

Json PendingDetail::pod_count(const NodeState& node) const {
  const auto used = std::ranges::count_if(
      node.usage.pods, [&](kubescheduler::PodIndex other) { return !is_asked(*snapshot_.pod(other).object); });
  return room_object("pods", ResourceIndex(), {1, node.allowed_pods, used, nominated_pods(node)});
}

Json PendingDetail::taints(const NodeState& node) const {
  Json list = Json::array();
  for (const objects::Taint& taint : node.object->spec.taints) {
    const bool tolerated = std::ranges::any_of(pod_.spec->tolerations, [&](const objects::Toleration& toleration) {
      return objects::tolerates(toleration, taint, rules_.compare_tolerations);
    });
    if (!tolerated && taint.effect != "PreferNoSchedule") {
      list.push_back(fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value, taint.effect));
    }
  }
  return Json{{"taints", std::move(list)}};
}

bool PendingDetail::is_asked(const objects::Pod& pod) const {
  return pod.meta.name == pod_.meta.name && pod.meta.namespace_name == pod_.meta.namespace_name;
}

bool PendingDetail::is_nominated_before(const objects::Pod& pod, const NodeState& node) const {
  return !is_asked(pod) && pod.nominated_node_name == node.name() && pod.priority() >= pod_.priority();
}

std::int64_t PendingDetail::nominated(const NodeState& node, ResourceIndex resource) const {
  std::int64_t sum = 0;
  for (const kubescheduler::PodIndex index : snapshot_.nominated_pods()) {
    const PodState& other = snapshot_.pod(index);
    sum += is_nominated_before(*other.object, node) ? amount_of(other, resource) : 0;
  }
  return sum;
}

std::int64_t PendingDetail::nominated_pods(const NodeState& node) const {
  return std::ranges::count_if(snapshot_.nominated_pods(), [&](kubescheduler::PodIndex index) {
    return is_nominated_before(*snapshot_.pod(index).object, node);
  });
}

}  // namespace gpusched::report
