#include "topology_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <stdexcept>

#include "gpusched/io/core_objects.hpp"
#include "gpusched/io/decode.hpp"
#include "gpusched/objects/pod_requests.hpp"
#include "io/core_fields.hpp"

namespace gpusched::conformance {

namespace {

using io::Decoder;
using io::ObjectReader;
using io::Value;

kueue::ResourceRow row_of(const objects::ResourceList& list, StringTable& names) {
  kueue::ResourceRow row;
  for (const auto& [name, quantity] : list) {
    row.push_back({names.intern(name), name == "cpu" ? quantity.milli_value() : quantity.value()});
  }
  std::ranges::sort(row, {}, &kueue::ResourceAmount::resource);
  return row;
}

bool flag(ObjectReader& reader, std::string_view key, bool absent = false) {
  return reader.optional_bool(key).value_or(absent);
}

kueue::TopologyFeatures read_features(Decoder& decoder, ObjectReader& reader) {
  kueue::TopologyFeatures features;
  reader.object("gates", [&](const Value& value) {
    ObjectReader gates(decoder, value, "gates");
    features.mixed_profile = flag(gates, "TASProfileMixed", true);
    features.balanced_placement = flag(gates, "TASBalancedPlacement");
    features.multi_layer = flag(gates, "TASMultiLayerTopology");
    features.preferred_affinity = flag(gates, "TASRespectNodeAffinityPreferred");
  });
  return features;
}

objects::PodSetTopologyRequest read_request(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "topology request");
  objects::PodSetTopologyRequest request;
  request.required = io::core::read_optional_string(reader, "required");
  request.preferred = io::core::read_optional_string(reader, "preferred");
  request.unconstrained = reader.optional_bool("unconstrained");
  request.slice_topology = io::core::read_optional_string(reader, "podSetSliceRequiredTopology");
  request.slice_size = io::core::read_optional_int32(reader, "podSetSliceSize");
  request.pod_set_group = io::core::read_optional_string(reader, "podSetGroupName");
  reader.array("podsetSliceRequiredTopologyConstraints", [&](const Value& item, std::size_t) {
    ObjectReader layer(decoder, item, "layer");
    request.slice_constraints.push_back(
        {io::core::read_string(layer, "topology"), io::core::read_int32(layer, "size")});
  });
  return request;
}

objects::Toleration read_toleration(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "toleration");
  objects::Toleration toleration;
  toleration.key = io::core::read_string(reader, "key");
  toleration.op = io::core::read_string(reader, "operator");
  toleration.value = io::core::read_string(reader, "value");
  toleration.effect = io::core::read_string(reader, "effect");
  return toleration;
}

/// The topology of a case, with everything that it points to.
class Fixture {
 public:
  Fixture(Decoder& decoder, const Value& value) : decoder_(decoder), reader_(decoder, value, "case") {
    const auto features = read_features(decoder, reader_);
    topology_.emplace(
        io::core::read_string(reader_, "topology"), io::core::read_strings(reader_, "levels"),
        io::core::read_string_map(reader_, "nodeLabels"),
        io::core::read_list(reader_, "tolerations", [&](const Value& item) { return read_toleration(decoder, item); }),
        features, names_);
    read_nodes();
  }

  std::vector<QueryAnswer> answers() {
    return io::core::read_list(reader_, "queries", [&](const Value& value) { return answer(value); });
  }

 private:
  void read_nodes() {
    reader_.array("nodes", [&](const Value& item, std::size_t) { nodes_.push_back(io::decode_node(decoder_, item)); });
    std::vector<kueue::TopologyNode> nodes;
    for (const objects::Node& node : nodes_) nodes.push_back({&node, {}});
    reader_.object("otherPods", [&](const Value& value) {
      ObjectReader usage(decoder_, value, "other pods");
      for (kueue::TopologyNode& node : nodes) {
        const auto list = io::core::read_resources(decoder_, usage, node.node->meta.name);
        if (list) node.other_pods = row_of(*list, names_);
      }
    });
    topology_->set_nodes(nodes);
  }

  void read_usage(const Value& value) {
    ObjectReader reader(decoder_, value, "usage");
    const auto per_pod =
        row_of(io::core::read_resources(decoder_, reader, "perPod").value_or(objects::ResourceList()), names_);
    const kueue::DomainUsage usage{topology_->domain(io::core::read_strings(reader, "values")),
                                   io::core::read_int32(reader, "count"), &per_pod};
    if (flag(reader, "remove")) {
      topology_->remove_usage(usage);
    } else {
      topology_->add_usage(usage);
    }
  }

  kueue::PodSetRequest read_pod_set(const Value& value) {
    ObjectReader reader(decoder_, value, "pod set");
    pod_sets_.push_back(io::core::read_string(reader, "name"));
    kueue::PodSetNeeds needs;
    reader.object("template", [&](const Value& pod_template) {
      const objects::Pod pod = io::decode_pod(decoder_, pod_template);
      needs.per_pod = row_of(objects::pod_requests(pod), names_);
      needs.tolerations = pod.spec->tolerations;
      needs.node_selector = pod.spec->node_selector;
      needs.affinity = pod.spec->affinity.node;
    });
    reader.object("topologyRequest", [&](const Value& request) { needs.request = read_request(decoder_, request); });
    needs.implied = flag(reader, "implied");
    return {pod_sets_.size() - 1, topology_->pod_set_class(needs), io::core::read_int32(reader, "count")};
  }

  QueryAnswer answer(const Value& value) {
    ObjectReader reader(decoder_, value, "query");
    reader.array("usage", [&](const Value& item, std::size_t) { read_usage(item); });
    pod_sets_.clear();
    const auto requests = io::core::read_list(reader, "podSets", [&](const Value& item) { return read_pod_set(item); });
    return text(topology_->place(requests, flag(reader, "simulateEmpty")));
  }

  QueryAnswer text(const kueue::TopologyPlacement& placement) const {
    QueryAnswer answer;
    for (const kueue::PodSetPlacement& placed : placement.placed) {
      std::string line = pod_sets_[placed.pod_set] + ":";
      for (const objects::TopologyDomain& domain : topology_->to_object(placed.domains).domains) {
        line += fmt::format(" {}={}", fmt::join(domain.values, ","), domain.count);
      }
      answer.push_back(std::move(line));
    }
    if (placement.failure) {
      for (const std::size_t pod_set : placement.failure->pod_sets) {
        answer.push_back(pod_sets_[pod_set] + ": " + placement.failure->reason);
      }
    }
    std::ranges::sort(answer);
    return answer;
  }

  Decoder& decoder_;
  ObjectReader reader_;
  StringTable names_;
  std::deque<objects::Node> nodes_;
  std::optional<kueue::FlavorTopology> topology_;
  std::vector<std::string> pod_sets_;  // of the query in hand
};

std::vector<QueryAnswer> read_variants(const Value& value) {
  std::vector<QueryAnswer> variants;
  for (const Value& variant : value.items()) {
    QueryAnswer answer;
    for (const Value& line : variant.items()) answer.emplace_back(line.text());
    variants.push_back(std::move(answer));
  }
  return variants;
}

}  // namespace

TopologyCase answer_topology_case(const io::Document& document) {
  Decoder decoder(document);
  TopologyCase result;
  {
    ObjectReader line(decoder, document.root, "line");
    result.id = io::core::read_string(line, "id");
    result.family = io::core::read_string(line, "family");
    line.object("case", [&](const Value& value) { result.ours = Fixture(decoder, value).answers(); });
    result.expect = io::core::read_list(line, "expect", [&](const Value& value) { return read_variants(value); });
  }
  if (decoder.failed()) {
    const Diagnostic first = decoder.take_diagnostics().front();
    throw std::runtime_error(fmt::format("{}: {}", first.pointer, first.message));
  }
  return result;
}

}  // namespace gpusched::conformance
