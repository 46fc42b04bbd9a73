#include <fmt/format.h>
#include <simdjson.h>

#include <cstdlib>
#include <iostream>

#include "bench.hpp"
#include "gpusched/io/cluster_input.hpp"
#include "gpusched/io/source.hpp"

namespace gpusched::bench {

namespace {

/// What the readers find; the fields are those of the peer in Go.
struct Found {
  std::size_t nodes = 0, pods = 0, requests = 0, bytes = 0;

  [[nodiscard]] std::string text() const { return fmt::format("{} nodes {} pods {} requests", nodes, pods, requests); }
};

/// Sums the bytes of a map of texts, so that each is looked at.
void read_texts(simdjson::ondemand::object map, Found& found, bool requests) {
  for (auto field : map) {
    found.bytes += std::string_view(field.value().get_string()).size();
    found.requests += requests ? 1 : 0;
  }
}

void read_spec(simdjson::ondemand::object spec, Found& found) {
  for (auto field : spec) {
    const std::string_view key = field.unescaped_key();
    if (key == "nodeName") {
      found.bytes += std::string_view(field.value().get_string()).size();
    } else if (key == "containers") {
      for (simdjson::ondemand::object container : field.value().get_array()) {
        simdjson::ondemand::object requests;
        if (container["resources"]["requests"].get_object().get(requests) == simdjson::SUCCESS) {
          read_texts(requests, found, true);
        }
      }
    }
  }
}

void read_item(simdjson::ondemand::object item, Found& found) {
  for (auto field : item) {
    const std::string_view key = field.unescaped_key();
    if (key == "kind") {
      const std::string_view kind = field.value().get_string();
      found.nodes += kind == "Node" ? 1 : 0;
      found.pods += kind == "Pod" ? 1 : 0;
    } else if (key == "metadata") {
      for (auto part : field.value().get_object()) {
        const std::string_view name = part.unescaped_key();
        if (name == "name" || name == "namespace") found.bytes += std::string_view(part.value().get_string()).size();
        if (name == "labels") read_texts(part.value().get_object(), found, false);
      }
    } else if (key == "spec") {
      read_spec(field.value().get_object(), found);
    } else if (key == "status") {
      for (auto part : field.value().get_object()) {
        const std::string_view name = part.unescaped_key();
        if (name == "phase") found.bytes += std::string_view(part.value().get_string()).size();
        if (name == "allocatable") read_texts(part.value().get_object(), found, false);
      }
    }
  }
}

/// The ceiling: simdjson on demand over the whole text in memory.
Found read_on_demand(simdjson::ondemand::parser& parser, const simdjson::padded_string& text) {
  Found found;
  simdjson::ondemand::document document = parser.iterate(text);
  for (simdjson::ondemand::object item : document["items"].get_array()) read_item(item, found);
  return found;
}

}  // namespace

void dump_cases(std::span<const std::string> files) {
  for (const std::string& file : files) {
    const simdjson::padded_string text = simdjson::padded_string::load(file);
    simdjson::ondemand::parser parser;
    Found found;
    const double ceiling = median_seconds([&] { found = read_on_demand(parser, text); });
    fmt::print("simdjson on demand\t{:.0f}\t0\t{}\n", ceiling * 1e9, found.text());
    for (const std::size_t jobs : {1U, 2U}) {
      Found ours;
      const double took = median_seconds([&] {
        io::SourceReader reader({}, std::cin);
        const Result<io::ClusterInput> input = io::read_cluster_input(reader, std::vector{file}, jobs);
        if (!input) std::exit(2);
        ours.nodes = input->dump.nodes.size();
        ours.pods = input->dump.pods.size();
      });
      fmt::print("gpusched with {} thread{}\t{:.0f}\t0\t{} nodes {} pods\n", jobs, jobs == 1 ? "" : "s", took * 1e9,
                 ours.nodes, ours.pods);
    }
  }
}

}  // namespace gpusched::bench
