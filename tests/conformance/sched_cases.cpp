#include "sched_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "gpusched/io/core_objects.hpp"
#include "gpusched/io/decode.hpp"
#include "gpusched/io/dra_objects.hpp"
#include "gpusched/io/scheduler_configuration.hpp"
#include "gpusched/objects/pod_defaults.hpp"

namespace gpusched::conformance {

namespace {

using io::Decoder;
using io::Value;

template <class Object>
std::string_view text_of(const Object& object, std::string_view key) {
  const Value* const value = object.find(key);
  return value == nullptr ? std::string_view() : value->text();
}

void read_dra_object(Decoder& decoder, const Value& value, std::string_view kind,
                     kubescheduler::ClusterObjects& objects) {
  constexpr io::ResourceApi kApi = io::ResourceApi::kV1;
  if (kind == "ResourceClaim") {
    objects.resource_claims.push_back(io::decode_resource_claim(decoder, value, kApi));
    io::set_defaults(objects.resource_claims.back().devices);
  } else if (kind == "ResourceSlice") {
    objects.resource_slices.push_back(io::decode_resource_slice(decoder, value, kApi));
  } else if (kind == "DeviceClass") {
    objects.device_classes.push_back(io::decode_device_class(decoder, value));
  } else if (kind == "DeviceTaintRule") {
    objects.device_taint_rules.push_back(io::decode_device_taint_rule(decoder, value));
  } else if (kind != "ResourceClaimTemplate") {
    throw std::runtime_error("unknown kind " + std::string(kind));
  }
}

void read_storage_object(Decoder& decoder, const Value& value, std::string_view kind,
                         kubescheduler::ClusterObjects& objects) {
  if (kind == "PersistentVolumeClaim") {
    objects.volume_claims.push_back(io::decode_persistent_volume_claim(decoder, value));
  } else if (kind == "PersistentVolume") {
    objects.volumes.push_back(io::decode_persistent_volume(decoder, value));
  } else if (kind == "StorageClass") {
    objects.storage_classes.push_back(io::decode_storage_class(decoder, value));
  } else if (kind == "CSINode") {
    objects.csi_nodes.push_back(io::decode_csi_node(decoder, value));
  } else if (kind == "CSIDriver") {
    objects.csi_drivers.push_back(io::decode_csi_driver(decoder, value));
  } else if (kind == "CSIStorageCapacity") {
    objects.storage_capacities.push_back(io::decode_csi_storage_capacity(decoder, value));
  } else {
    read_dra_object(decoder, value, kind, objects);
  }
}

void read_object(Decoder& decoder, const Value& value, kubescheduler::ClusterObjects& objects) {
  const std::string_view kind = text_of(value, "kind");
  if (kind == "Pod") {
    objects.pods.push_back(io::decode_pod(decoder, value));
    objects::set_defaults(objects.pods.back());
  } else if (kind == "Node") {
    objects.nodes.push_back(io::decode_node(decoder, value));
  } else if (kind == "Namespace") {
    objects.namespaces.push_back(io::decode_namespace(decoder, value));
  } else if (kind == "PriorityClass") {
    objects.priority_classes.push_back(io::decode_priority_class(decoder, value));
  } else if (kind == "PodDisruptionBudget") {
    objects.disruption_budgets.push_back(io::decode_pod_disruption_budget(decoder, value));
  } else if (kind == "Service") {
    objects.services.push_back(io::decode_service(decoder, value));
  } else if (kind == "ReplicaSet" || kind == "StatefulSet" || kind == "ReplicationController") {
    objects.controllers.push_back(io::decode_pod_controller(decoder, value, kind));
  } else {
    read_storage_object(decoder, value, kind, objects);
  }
}

template <class T>
T required(Result<T> result) {
  if (!result) {
    throw std::runtime_error(result.error().front().message);
  }
  return *std::move(result);
}

void check(Decoder& decoder) {
  if (decoder.failed()) {
    const Diagnostic first = decoder.take_diagnostics().front();
    throw std::runtime_error(fmt::format("{}: {}", first.pointer, first.message));
  }
}

std::string list_text(std::vector<std::string> list) {
  std::sort(list.begin(), list.end());
  return fmt::format("[{}]", fmt::join(list, ", "));
}

std::vector<std::string> strings_of(const Value* list) {
  std::vector<std::string> strings;
  if (list != nullptr) {
    for (const Value& item : list->items()) {
      strings.emplace_back(item.text());
    }
  }
  return strings;
}

/// Collects what differs.
class Comparison {
 public:
  Comparison(const kubescheduler::Prediction& prediction, const Expectation& expect)
      : ours_(prediction), expect_(expect) {}

  std::vector<std::string> run() {
    compare_verdict();
    compare_messages();
    if (!expect_.of_other_version()) {
      compare_pre_filter();
      compare_nodes();
    }
    compare_choice();
    compare_preemption();
    compare_allocations();
    return std::move(differences_);
  }

 private:
  void compare(std::string_view what, std::string_view ours, std::string_view theirs) {
    if (ours != theirs) {
      differences_.push_back(fmt::format("{}:\n    ours   {}\n    theirs {}", what, ours, theirs));
    }
  }
  [[nodiscard]] bool random() const { return expect_.find("nondeterministic") != nullptr; }
  [[nodiscard]] bool is_unschedulable() const { return expected("verdict") == "unschedulable"; }
  [[nodiscard]] bool sampled() const { return expect_.find("sampled") != nullptr; }
  [[nodiscard]] std::string_view expected(std::string_view key) const { return text_of(expect_, key); }

  void compare_verdict() {
    std::string_view verdict = expected("verdict");
    if (verdict == "gated" && expected("plugin") == "DynamicResources") {
      verdict = "waiting";
    }
    compare("verdict", name_of(ours_.verdict), verdict);
    compare("reason", ours_.reason, expected("reason"));
    compare("plugin", ours_.plugin, expected("plugin"));
    compare("pluginMessage", ours_.plugin_message, expected("pluginMessage"));
  }

  void compare_messages() {
    std::vector<std::string> possible = ours_.messages;
    if (possible.empty()) {
      possible.push_back(ours_.message);
    }
    std::vector<std::string> theirs = strings_of(expect_.find("messages"));
    if (theirs.empty() && (!random() || !expected("message").empty())) {
      theirs.emplace_back(expected("message"));
    }
    for (const std::string& message : theirs) {
      if (std::find(possible.begin(), possible.end(), message) == possible.end()) {
        compare("message", fmt::format("{}", fmt::join(possible, " | ")), message);
      }
    }
  }

  static std::string status_text(std::string_view plugin, std::string_view code, std::vector<std::string> reasons) {
    return fmt::format("{} {} {}", plugin, code, list_text(std::move(reasons)));
  }
  static std::string status_text(const Value& status) {
    return status_text(text_of(status, "plugin"), text_of(status, "code"), strings_of(status.find("reasons")));
  }
  static std::string status_text(const kubescheduler::PluginStatus& status) {
    return status_text(status.plugin, name_of(status.code), status.reasons);
  }

  void compare_pre_filter() {
    const Value* const theirs = expect_.find("preFilter");
    compare("preFilter", ours_.pre_filter.empty() ? "" : status_text(ours_.pre_filter.front()),
            theirs == nullptr ? "" : status_text(*theirs));
  }

  void compare_nodes() {
    if (random() || expected("verdict") == "error") {
      return;
    }
    const Value* const statuses = expect_.find("nodeStatus");
    for (const kubescheduler::NodeAnswer& node : ours_.nodes) {
      const Value* const theirs = statuses == nullptr ? nullptr : statuses->find(node.node);
      if (theirs != nullptr) {
        compare("status of " + node.node, status_text(node.status), status_text(*theirs));
      } else if (node.status.code != kubescheduler::StatusCode::kSuccess && statuses != nullptr) {
        compare("status of " + node.node, status_text(node.status), "none");
      }
      compare_scores(node);
    }
    if (statuses != nullptr && ours_.nodes.empty() && expect_.find("preFilter") == nullptr) {
      compare("nodeStatus", "none", fmt::format("{} nodes", statuses->members().size()));
    }
  }

  void compare_scores(const kubescheduler::NodeAnswer& node) {
    const Value* const scores = expect_.find("scores");
    const Value* const theirs = scores == nullptr || sampled() ? nullptr : scores->find(node.node);
    if (theirs == nullptr) {
      return;
    }
    std::vector<std::string> our_texts, their_texts;
    for (const kubescheduler::PluginScore& score : node.scores) {
      our_texts.push_back(fmt::format("{}={}", score.plugin, score.weighted));
    }
    our_texts.push_back(fmt::format("total={}", node.total));
    for (const io::Member& member : theirs->members()) {
      their_texts.push_back(fmt::format("{}={}", member.key(), member.value.text()));
    }
    compare("scores of " + node.node, list_text(our_texts), list_text(their_texts));
  }

  void compare_choice() {
    if (!random() || expect_.find("feasible") != nullptr) {
      compare("feasible", list_text(ours_.feasible_nodes), list_text(strings_of(expect_.find("feasible"))));
    }
    if (sampled()) {
      compare("sampled", ours_.sampled ? "true" : "false", "true");
      return;
    }
    compare("best", list_text(ours_.best_nodes), list_text(strings_of(expect_.find("best"))));
    const std::vector<std::string> best = strings_of(expect_.find("best"));
    if (!best.empty() && std::find(best.begin(), best.end(), ours_.node) == best.end()) {
      compare("node", ours_.node, expected("node"));
    }
  }

  void compare_preemption() {
    std::vector<std::string> our_texts, their_texts;
    for (const kubescheduler::Preemption& preemption : ours_.preemptions) {
      our_texts.push_back(preemption.node + " " + list_text(preemption.victims));
    }
    // Answers of other versions name all nodes only where there are several.
    const Value* const theirs =
        expect_.of_other_version() ? expect_.differing.find("preemptions") : expect_.find("preemptions");
    if (theirs != nullptr) {
      for (const io::Member& member : theirs->members()) {
        their_texts.push_back(std::string(member.key()) + " " + list_text(strings_of(&member.value)));
      }
    } else if (const Value* const node = expect_.find("nominatedNode"); node != nullptr && is_unschedulable()) {
      their_texts.push_back(std::string(node->text()) + " " + list_text(strings_of(expect_.find("victims"))));
    }
    compare("preemptions", list_text(our_texts), list_text(their_texts));
    std::vector<std::string> deallocated = strings_of(expect_.find("deallocatedOneOf"));
    if (deallocated.empty()) {
      deallocated = strings_of(expect_.find("deallocated"));
    }
    compare("deallocated", list_text(ours_.deallocated), list_text(deallocated));
    compare("deletedClaims", list_text(ours_.deleted_claims), list_text(strings_of(expect_.find("deletedClaims"))));
  }

  static objects::AllocationResult comparable(objects::AllocationResult allocation) {
    allocation.allocation_timestamp.clear();
    for (objects::DeviceRequestAllocationResult& result : allocation.results) {
      result.share_id.reset();  // random, and not recorded
      if (result.consumed_capacity) {
        std::ranges::sort(*result.consumed_capacity, {}, [](const auto& entry) { return entry.first; });
      }
    }
    return allocation;
  }

  static std::string results_text(const objects::AllocationResult& allocation) {
    std::string text;
    for (const auto& result : allocation.results) {
      text += fmt::format("{}={}/{}/{} ", result.request, result.driver, result.pool, result.device);
    }
    return text;
  }

  void compare_allocations() {
    const Value* const theirs = expect_.find("allocations");
    const std::size_t count = theirs == nullptr ? 0 : theirs->members().size();
    compare("number of allocations", fmt::format("{}", ours_.claims.size()), fmt::format("{}", count));
    for (const kubescheduler::ClaimAllocation& claim : ours_.claims) {
      const Value* const value = theirs == nullptr ? nullptr : theirs->find(claim.namespace_name + "/" + claim.claim);
      if (value == nullptr) {
        compare("allocation", claim.claim, "none");
        continue;
      }
      io::Document document;
      Decoder decoder(document);
      const auto expected = comparable(io::decode_allocation_result(decoder, *value));
      const auto ours = comparable(claim.allocation);
      if (ours != expected) {
        differences_.push_back(fmt::format("allocation of {}:\n    ours   {}\n    theirs {}", claim.claim,
                                           results_text(ours), results_text(expected)));
      }
    }
  }

  const kubescheduler::Prediction& ours_;
  const Expectation& expect_;
  std::vector<std::string> differences_;
};

}  // namespace

const io::Value* Expectation::find(std::string_view key) const {
  if (const io::Value* const value = differing.find(key)) {
    return value->is_null() ? nullptr : value;
  }
  return recorded.find(key);
}

SchedCase read_sched_case(const io::Document& document) {
  const Value& root = document.root;
  SchedCase result;
  result.id = text_of(root, "id");
  result.family = text_of(root, "family");
  result.pod = text_of(root, "pod");
  Decoder decoder(document);
  for (const Value& object : root.find("objects")->items()) {
    read_object(decoder, object, result.objects);
  }
  check(decoder);
  if (const Value* const config = root.find("config")) {
    io::Document part = document;
    part.root = *config;
    Diagnostics warnings;
    result.configuration = required(io::read_scheduler_configuration(part, warnings));
  }
  result.expect = *root.find("expect");
  return result;
}

std::vector<std::string> differences(const kubescheduler::Prediction& prediction, const Expectation& expect) {
  return Comparison(prediction, expect).run();
}

}  // namespace gpusched::conformance
