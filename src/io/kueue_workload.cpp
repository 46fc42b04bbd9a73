#include <fmt/format.h>

#include <array>

#include "gpusched/io/core_objects.hpp"
#include "gpusched/io/kueue_objects.hpp"
#include "io/core_fields.hpp"
#include "io/core_pod_fields.hpp"

namespace gpusched::io {

namespace {

using namespace core;

objects::PodSetTopologyRequest read_topology_request(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "topology request");
  reader.ignore_other_keys();
  objects::PodSetTopologyRequest request;
  request.required = read_optional_string(reader, "required");
  request.preferred = read_optional_string(reader, "preferred");
  request.unconstrained = reader.optional_bool("unconstrained");
  request.slice_topology = read_optional_string(reader, "podSetSliceRequiredTopology");
  request.slice_size = read_optional_int32(reader, "podSetSliceSize");
  request.slice_constraints = read_list(reader, "podsetSliceRequiredTopologyConstraints", [&](const Value& item) {
    ObjectReader fields(decoder, item, "slice constraint");
    fields.ignore_other_keys();
    return objects::PodSetSliceConstraint{read_string(fields, "topology"), read_int32(fields, "size")};
  });
  request.pod_set_group = read_optional_string(reader, "podSetGroupName");
  return request;
}

objects::PodSet read_pod_set(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "pod set");
  reader.ignore_other_keys();
  objects::PodSet pod_set;
  pod_set.name = read_string(reader, "name");
  pod_set.count = static_cast<std::int32_t>(reader.optional_int64("count", 0, kMaxInt32).value_or(1));
  if (const auto min_count = reader.optional_int64("minCount", 0, kMaxInt32)) {
    pod_set.min_count = static_cast<std::int32_t>(*min_count);
  }
  reader.object("template", [&](const Value& pod) { pod_set.spec = decode_pod(decoder, pod).spec; });
  reader.object("topologyRequest",
                [&](const Value& request) { pod_set.topology = read_topology_request(decoder, request); });
  return pod_set;
}

objects::Condition read_condition(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "condition");
  reader.ignore_other_keys();
  return {read_string(reader, "type"), read_string(reader, "status") == "True", read_string(reader, "reason"),
          read_string(reader, "message"), read_timestamp(reader, "lastTransitionTime")};
}

objects::TopologySliceValues read_level_values(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "level values");
  reader.ignore_other_keys();
  objects::TopologySliceValues values;
  values.universal = read_optional_string(reader, "universal");
  reader.object("individual", [&](const Value& individual) {
    ObjectReader fields(decoder, individual, "individual values");
    fields.ignore_other_keys();
    values.prefix = read_string(fields, "prefix");
    values.suffix = read_string(fields, "suffix");
    values.roots = read_strings(fields, "roots");
  });
  return values;
}

objects::TopologySlice read_slice(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "slice");
  reader.ignore_other_keys();
  objects::TopologySlice slice;
  slice.domain_count = read_int32(reader, "domainCount");
  slice.values_per_level =
      read_list(reader, "valuesPerLevel", [&](const Value& item) { return read_level_values(decoder, item); });
  reader.object("podCounts", [&](const Value& counts) {
    ObjectReader fields(decoder, counts, "pod counts");
    fields.ignore_other_keys();
    slice.universal_count = read_optional_int32(fields, "universal");
    fields.array("individual", [&](const Value& item, std::size_t) {
      const auto number = item.is_number() ? to_int64(item.text()) : std::nullopt;
      if (!number || *number < 0 || *number > kMaxInt32) {
        decoder.error(item, "wrong-type", "expected a number of pods, found " + describe(item));
      }
      slice.counts.push_back(static_cast<std::int32_t>(number.value_or(0)));
    });
  });
  return slice;
}

objects::TopologyAssignment read_assignment(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "topology assignment");
  reader.ignore_other_keys();
  objects::TopologyAssignment assignment;
  assignment.levels = read_strings(reader, "levels");
  assignment.domains = read_list(reader, "domains", [&](const Value& item) {  // v1beta1
    ObjectReader fields(decoder, item, "domain");
    fields.ignore_other_keys();
    return objects::TopologyDomain{read_strings(fields, "values"), read_int32(fields, "count")};
  });
  const auto slices = read_list(reader, "slices", [&](const Value& item) { return read_slice(decoder, item); });
  if (auto domains = objects::expand(slices); !domains) {
    reader.error("slices", "wrong-slices", "a list of values or counts is shorter than its domainCount");
  } else {
    assignment.domains.insert(assignment.domains.end(), domains->begin(), domains->end());
  }
  for (const objects::TopologyDomain& domain : assignment.domains) {
    if (domain.values.size() != assignment.levels.size() || domain.count < 0) {
      reader.error("levels", "wrong-domain", "each domain needs one value for each level and a count of 0 or more");
      assignment.domains.clear();
      break;
    }
  }
  return assignment;
}

objects::Admission read_admission(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "admission");
  reader.ignore_other_keys();
  objects::Admission admission;
  admission.cluster_queue = read_string(reader, "clusterQueue");
  admission.pod_sets = read_list(reader, "podSetAssignments", [&](const Value& item) {
    ObjectReader fields(decoder, item, "pod set assignment");
    fields.ignore_other_keys();
    objects::AdmittedPodSet pod_set;
    pod_set.name = read_string(fields, "name");
    pod_set.flavors = read_string_map(fields, "flavors");
    pod_set.usage = read_resources(decoder, fields, "resourceUsage").value_or(objects::ResourceList());
    if (const auto count = fields.optional_int64("count", 0, kMaxInt32)) {
      pod_set.count = static_cast<std::int32_t>(*count);
    }
    fields.object("topologyAssignment",
                  [&](const Value& topology) { pod_set.topology = read_assignment(decoder, topology); });
    pod_set.topology_pending = read_string(fields, "delayedTopologyRequest") == "Pending";
    return pod_set;
  });
  return admission;
}

void read_spec(Decoder& decoder, const Value& value, objects::Workload& workload) {
  ObjectReader reader(decoder, value, "spec");
  reader.ignore_other_keys();
  workload.queue_name = read_string(reader, "queueName");
  workload.priority = read_optional_int32(reader, "priority");
  workload.priority_class = read_string(reader, "priorityClassName");  // v1beta1
  if (const std::string source = read_string(reader, "priorityClassSource"); !source.empty()) {
    workload.priority_class_kind =
        source == "kueue.x-k8s.io/workloadpriorityclass" ? "WorkloadPriorityClass" : "PriorityClass";
  }
  reader.object("priorityClassRef", [&](const Value& reference) {
    ObjectReader fields(decoder, reference, "priority class reference");
    fields.ignore_other_keys();
    workload.priority_class = read_string(fields, "name");
    workload.priority_class_kind = read_string(fields, "kind");
  });
  workload.active = reader.optional_bool("active").value_or(true);
  workload.maximum_execution_seconds = read_optional_int32(reader, "maximumExecutionTimeSeconds");
  workload.pod_sets = read_list(reader, "podSets", [&](const Value& item) { return read_pod_set(decoder, item); });
}

void read_status(Decoder& decoder, const Value& value, objects::Workload& workload) {
  ObjectReader reader(decoder, value, "status");
  reader.ignore_other_keys();
  workload.conditions =
      read_list(reader, "conditions", [&](const Value& item) { return read_condition(decoder, item); });
  reader.object("admission", [&](const Value& admission) { workload.admission = read_admission(decoder, admission); });
  workload.admission_checks = read_list(reader, "admissionChecks", [&](const Value& item) {
    ObjectReader fields(decoder, item, "admission check");
    fields.ignore_other_keys();
    return objects::AdmissionCheckState{read_string(fields, "name"), read_string(fields, "state"),
                                        read_timestamp(fields, "lastTransitionTime"),
                                        read_optional_int32(fields, "requeueAfterSeconds")};
  });
  reader.object("requeueState", [&](const Value& state) {
    ObjectReader fields(decoder, state, "requeue state");
    fields.ignore_other_keys();
    workload.requeue_state = objects::RequeueState{read_int32(fields, "count"), read_timestamp(fields, "requeueAt")};
  });
  reader.array("reclaimablePods", [&](const Value& item, std::size_t) {
    ObjectReader fields(decoder, item, "reclaimable pods");
    fields.ignore_other_keys();
    workload.reclaimable_pods.emplace_back(read_string(fields, "name"), read_int32(fields, "count"));
  });
  reader.array("resourceRequests", [&](const Value&, std::size_t) { workload.has_resource_requests = true; });
}

}  // namespace

objects::Workload decode_workload(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "Workload");
  reader.ignore_other_keys();
  objects::Workload workload;
  workload.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) { read_spec(decoder, spec, workload); });
  reader.object("status", [&](const Value& status) { read_status(decoder, status, workload); });
  return workload;
}

}  // namespace gpusched::io
