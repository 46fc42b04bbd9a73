#include "io/core_fields.hpp"
#include "io/core_pod_fields.hpp"

namespace gpusched::io::core {

namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

objects::PodAffinityTerm read_pod_term(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "term");
  reader.ignore_other_keys();
  objects::PodAffinityTerm term;
  term.label_selector = read_label_selector(decoder, reader, "labelSelector");
  term.namespaces = read_strings(reader, "namespaces");
  term.namespace_selector = read_label_selector(decoder, reader, "namespaceSelector");
  term.topology_key = read_string(reader, "topologyKey");
  term.match_label_keys = read_strings(reader, "matchLabelKeys");
  term.mismatch_label_keys = read_strings(reader, "mismatchLabelKeys");
  return term;
}

objects::WeightedPodAffinityTerm read_weighted_term(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "term");
  reader.ignore_other_keys();
  objects::WeightedPodAffinityTerm weighted;
  weighted.weight = read_int32(reader, "weight");
  reader.object("podAffinityTerm", [&](const Value& term) { weighted.term = read_pod_term(decoder, term); });
  return weighted;
}

objects::PreferredSchedulingTerm read_preferred_node_term(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "term");
  reader.ignore_other_keys();
  objects::PreferredSchedulingTerm preferred;
  preferred.weight = read_int32(reader, "weight");
  reader.object("preference",
                [&](const Value& term) { preferred.preference = read_node_selector_term(decoder, term); });
  return preferred;
}

std::optional<objects::PodAffinity> read_pod_affinity(Decoder& decoder, ObjectReader& reader, std::string_view key) {
  std::optional<objects::PodAffinity> affinity;
  reader.object(key, [&](const Value& value) {
    ObjectReader fields(decoder, value, "affinity");
    fields.ignore_other_keys();
    affinity.emplace();
    affinity->required = read_list(fields, kRequired, [&](const Value& item) { return read_pod_term(decoder, item); });
    affinity->preferred =
        read_list(fields, kPreferred, [&](const Value& item) { return read_weighted_term(decoder, item); });
  });
  return affinity;
}

}  // namespace

objects::NodeAffinity read_node_affinity(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "affinity");
  reader.ignore_other_keys();
  objects::NodeAffinity affinity;
  affinity.required = read_node_selector(decoder, reader, kRequired);
  affinity.preferred =
      read_list(reader, kPreferred, [&](const Value& item) { return read_preferred_node_term(decoder, item); });
  return affinity;
}

objects::Affinity read_affinity(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "affinity");
  reader.ignore_other_keys();
  objects::Affinity affinity;
  reader.object("nodeAffinity", [&](const Value& node) { affinity.node = read_node_affinity(decoder, node); });
  affinity.pod = read_pod_affinity(decoder, reader, "podAffinity");
  affinity.pod_anti = read_pod_affinity(decoder, reader, "podAntiAffinity");
  return affinity;
}

objects::Toleration read_toleration(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "toleration");
  reader.ignore_other_keys();
  objects::Toleration toleration;
  toleration.key = read_string(reader, "key");
  toleration.op = read_string(reader, "operator");
  toleration.value = read_string(reader, "value");
  toleration.effect = read_string(reader, "effect");
  toleration.toleration_seconds = reader.optional_int64("tolerationSeconds");
  return toleration;
}

objects::TopologySpreadConstraint read_spread_constraint(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "topology spread constraint");
  reader.ignore_other_keys();
  objects::TopologySpreadConstraint constraint;
  constraint.max_skew = read_int32(reader, "maxSkew");
  constraint.topology_key = read_string(reader, "topologyKey");
  constraint.when_unsatisfiable = read_string(reader, "whenUnsatisfiable");
  constraint.label_selector = read_label_selector(decoder, reader, "labelSelector");
  constraint.min_domains = read_optional_int32(reader, "minDomains");
  constraint.node_affinity_policy = read_string(reader, "nodeAffinityPolicy");
  constraint.node_taints_policy = read_string(reader, "nodeTaintsPolicy");
  constraint.match_label_keys = read_strings(reader, "matchLabelKeys");
  return constraint;
}

}  // namespace gpusched::io::core
