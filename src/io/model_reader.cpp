#include "gpusched/io/model_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/io/decode.hpp"
#include "gpusched/io/document_kind.hpp"
#include "io/fixture_node.hpp"
#include "io/fixture_pod.hpp"

namespace gpusched::io {

namespace {

void append(Diagnostics& all, Diagnostics more) {
  std::ranges::move(more, std::back_inserter(all));
}

}  // namespace

std::string NameIndex::add(std::string_view name, const Document& document, const Value& value) {
  if (documents_.empty() || documents_.back().storage != document.storage) {
    documents_.push_back(document);
  }
  const Place place{static_cast<std::uint32_t>(documents_.size() - 1), value.offset()};
  const auto [first, added] = places_.try_emplace(std::string(name), place);
  if (added) {
    return {};
  }
  const Document& where = documents_[first->second.document];
  return fmt::format("{}:{}", where.source_name(), position_of(where.text(), first->second.offset).line);
}

bool ModelReader::check_fixture(const Document& document, std::string_view key) {
  if (document.root.find(key) != nullptr) {
    return true;
  }
  std::string hint(reader_of(document.root));
  for (const Member& member : document.root.members()) {
    if (hint.empty() && !suggest(member.key(), std::span(&key, 1)).empty()) {
      hint = fmt::format("did you mean {} by {}?", quote(key), quote(member.key()));
    }
  }
  Decoder decoder(document);
  decoder.error(document.root, "not-a-fixture",
                fmt::format("expected a fixture with a \"{}\" list, found {}", key, describe_document(document.root)),
                std::move(hint));
  append(key == "nodes" ? diagnostics_ : pod_diagnostics_, decoder.take_diagnostics());
  return false;
}

void ModelReader::read_cluster(const Document& document) {
  if (!check_fixture(document, "nodes")) {
    return;
  }
  Decoder decoder(document);
  {
    ObjectReader root(decoder, document.root, "cluster");
    static_cast<void>(root.find("pods"));
    static_cast<void>(root.find("jobs"));
    static_cast<void>(root.require("nodes"));
    root.array("nodes", [&](const Value& node, std::size_t) { NodeFixture(*this, decoder, node).read(); });
  }
  append(diagnostics_, decoder.take_diagnostics());
}

void ModelReader::read_pods(const Document& document) {
  if (!check_fixture(document, "pods")) {
    return;
  }
  Decoder decoder(document);
  {
    ObjectReader root(decoder, document.root, "pod list");
    static_cast<void>(root.find("nodes"));
    static_cast<void>(root.find("jobs"));
    static_cast<void>(root.require("pods"));
    root.array("pods", [&](const Value& pod, std::size_t) { PodFixture(*this, decoder, pod).read(); });
  }
  append(pod_diagnostics_, decoder.take_diagnostics());
}

void ModelReader::add_topology(std::string_view node, NodeClass& node_class) {
  for (const auto& [name, matrix] : options_.topologies) {
    if (name != node || apply_topology(node_class, matrix)) continue;
    Diagnostic& warning = notes_.emplace_back();
    warning.severity = Severity::kWarning;
    warning.code = "topology-does-not-fit";
    warning.message =
        fmt::format("the topology matrix has {} GPUs, the node {}; left out", matrix.gpus(), node_class.gpus.size());
    warning.object = fmt::format("node {}", node);
  }
  if (!options_.topologies.empty()) known_nodes_.emplace_back(node);
}

void ModelReader::note_kubelet(NodeId node, KubeletFacts facts) {
  if (facts == KubeletFacts{}) return;
  kubelet_.resize(std::max(kubelet_.size(), node.index() + 1));
  kubelet_[node.index()] = facts;
}

void ModelReader::note_domain(NodeId node, std::string_view domain) {
  if (domain.empty()) return;
  nvlink_domains_.resize(std::max(nvlink_domains_.size(), node.index() + 1));
  nvlink_domains_[node.index()] = builder_.text(domain);
}

void ModelReader::note_network(NodeId node, std::int64_t network_mbps, std::int64_t gpu_nic_mbps,
                               std::span<const LabelText> labels) {
  NodeNetwork network{static_cast<std::int32_t>(network_mbps), static_cast<std::int32_t>(gpu_nic_mbps), {}};
  const std::string_view rack = rack_of(labels, options_.hardware.rack_label);
  if (!rack.empty()) network.rack = builder_.text(rack);
  if (network == NodeNetwork{}) return;
  networks_.resize(std::max(networks_.size(), node.index() + 1));
  networks_[node.index()] = network;
}

void ModelReader::check_topologies() {
  const std::vector<std::string_view> known(known_nodes_.begin(), known_nodes_.end());
  for (const auto& [name, matrix] : options_.topologies) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string nearest = suggest(name, known);
    Diagnostic& error = diagnostics_.emplace_back();
    error.code = "unknown-node";
    error.message = fmt::format("a topology matrix for node {}, which is not there", quote(name));
    error.hint = nearest.empty() ? "" : fmt::format("did you mean {}?", nearest);
  }
}

Result<Model> ModelReader::finish() && {
  resolve_jobs();
  check_topologies();
  append(diagnostics_, std::move(pod_diagnostics_));
  if (std::ranges::any_of(diagnostics_, [](const Diagnostic& d) { return d.severity == Severity::kError; })) {
    return std::unexpected(std::move(diagnostics_));
  }
  spread_daemons();
  make_jobs_of_pods();
  PodClass nobody;
  nobody.fixed = true;
  unusable_class_ = builder_.pod_class(nobody);
  unusable_name_ = builder_.text("(unusable)");
  Model model{{ClusterUsage(std::move(builder_).build()),
               {},
               {},
               {},
               std::move(budgets_),
               std::move(kubelet_),
               std::move(nvlink_domains_),
               {std::move(networks_), options_.hardware.oversubscription_milli, options_.hardware.rack_label}},
              std::move(notes_)};
  for (WantedJob& wanted : jobs_) {
    model.jobs.push_back(std::move(wanted.job));
  }
  for (const Holding& holding : holdings_) {
    model.usage.bind(model.usage.add_pod(holding.pod_class, holding.pod), holding.node, holding.shares);
  }
  const PodId first_claimed{model.usage.pod_count()};
  hold_claimed(model);
  bind_dump_pods(model);
  share_claims(model, first_claimed);
  hold_unusable(model);
  for (const WantedPod& pod : pods_) {
    model.pods.push_back(model.usage.add_pod(pod.pod_class, pod.name));
    model.pod_facts.resize(model.pods.back().index());
    model.pod_facts.push_back(pod.facts);
  }
  model.pod_facts.resize(model.usage.pod_count());
  model.usage.commit();
  return model;
}

}  // namespace gpusched::io
