#include "gpusched/io/core_objects.hpp"
#include "io/core_fields.hpp"

namespace gpusched::io {

using namespace core;

objects::Namespace decode_namespace(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "Namespace");
  reader.ignore_other_keys();
  return {read_meta(decoder, reader)};
}

objects::PriorityClass decode_priority_class(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "PriorityClass");
  reader.ignore_other_keys();
  objects::PriorityClass priority_class;
  priority_class.meta = read_meta(decoder, reader);
  priority_class.value = read_int32(reader, "value");
  priority_class.global_default = read_bool(reader, "globalDefault");
  priority_class.preemption_policy = read_string(reader, "preemptionPolicy");
  return priority_class;
}

objects::PodDisruptionBudget decode_pod_disruption_budget(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "PodDisruptionBudget");
  reader.ignore_other_keys();
  objects::PodDisruptionBudget budget;
  budget.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    budget.selector = read_label_selector(decoder, fields, "selector");
  });
  reader.object("status", [&](const Value& status) {
    ObjectReader fields(decoder, status, "status");
    fields.ignore_other_keys();
    budget.disruptions_allowed = read_int32(fields, "disruptionsAllowed");
    fields.object("disruptedPods", [&](const Value& pods) {
      for (const Member& member : pods.members()) {
        budget.disrupted_pods.emplace_back(member.key());
      }
    });
  });
  return budget;
}

objects::Service decode_service(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "Service");
  reader.ignore_other_keys();
  objects::Service service;
  service.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    if (fields.find("selector") != nullptr) {
      service.selector = read_string_map(fields, "selector");
    }
  });
  return service;
}

objects::PodController decode_pod_controller(Decoder& decoder, const Value& value, std::string_view kind) {
  ObjectReader reader(decoder, value, kind);
  reader.ignore_other_keys();
  objects::PodController controller;
  controller.kind = kind;
  controller.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    if (kind != "ReplicationController") {
      controller.selector = read_label_selector(decoder, fields, "selector");
    } else if (fields.find("selector") != nullptr) {
      controller.selector.emplace().match_labels = read_string_map(fields, "selector");
    }
  });
  return controller;
}

}  // namespace gpusched::io
