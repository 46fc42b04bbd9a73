#include "kueue_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "gpusched/base/text.hpp"
#include "gpusched/io/decode.hpp"
#include "gpusched/io/kueue_objects.hpp"
#include "gpusched/objects/meta.hpp"

namespace gpusched::conformance {

namespace {

using io::Value;

std::string_view text_at(const Value& object, std::string_view key) {
  const Value* const value = object.find(key);
  return value == nullptr ? std::string_view() : value->text();
}

std::span<const Value> items_at(const Value& object, std::string_view key) {
  const Value* const value = object.find(key);
  return value == nullptr ? std::span<const Value>() : value->items();
}

/// Lines in any order of their lists, ended by what the list is about.
std::string sorted(std::string_view title, std::vector<std::string> lines) {
  std::ranges::sort(lines);
  std::string text = fmt::format("{}:\n", title);
  for (const std::string& line : lines) {
    text += "  " + line + "\n";
  }
  return text;
}

std::string pods_text(std::string_view name, std::string_view count, std::map<std::string, std::string> flavors,
                      const std::map<std::string, std::string>& usage, const std::vector<std::string>& topology) {
  std::string text = fmt::format(" [{} x{}", name, count);
  for (const auto& [resource, flavor] : flavors) {
    const auto used = usage.find(resource);
    text += fmt::format(" {}={}:{}", resource, flavor, used == usage.end() ? "-" : used->second);
  }
  return text + (topology.empty() ? "]" : fmt::format(" topology {}]", join(topology, " ")));
}

std::string admitted_text(const Value& value) {
  std::string text = fmt::format("{} in {} {}", text_at(value, "workload"), text_at(value, "clusterQueue"),
                                 text_at(value, "state").empty() ? "Admitted" : text_at(value, "state"));
  for (const Value& pods : items_at(value, "podSets")) {
    std::map<std::string, std::string> flavors, usage;
    for (auto [key, map] : {std::pair("flavors", &flavors), std::pair("usage", &usage)}) {
      const Value* const members = pods.find(key);
      for (const io::Member& member : members == nullptr ? std::span<const io::Member>() : members->members()) {
        (*map)[std::string(member.key())] = member.value.text();
      }
    }
    std::vector<std::string> topology;
    if (const Value* const assignment = pods.find("topology")) {
      for (const Value& level : items_at(*assignment, "levels")) {
        topology.emplace_back(level.text());
      }
      for (const Value& domain : items_at(*assignment, "domains")) {
        std::string values;
        for (const Value& part : items_at(domain, "values")) {
          values += std::string(part.text()) + "/";
        }
        topology.push_back(fmt::format("{}:{}", values, text_at(domain, "count")));
      }
    }
    text += pods_text(text_at(pods, "name"), text_at(pods, "count"), flavors, usage, topology);
  }
  return text;
}

std::string expected_text(const Value& expect) {
  std::vector<std::string> admitted, pending, evicted, finished, queues;
  for (const Value& value : items_at(expect, "admitted")) {
    admitted.push_back(admitted_text(value));
  }
  for (const Value& value : items_at(expect, "pending")) {
    pending.push_back(fmt::format("{} {} ({}) {}", text_at(value, "workload"), text_at(value, "reason"),
                                  text_at(value, "requeued"), text_at(value, "message")));
  }
  for (const Value& value : items_at(expect, "evicted")) {
    evicted.push_back(fmt::format("{} {} ({}) {}", text_at(value, "workload"), text_at(value, "reason"),
                                  text_at(value, "preempted"), text_at(value, "message")));
  }
  for (const Value& value : items_at(expect, "finished")) {
    finished.emplace_back(value.text());
  }
  for (const Value& value : items_at(expect, "clusterQueues")) {
    queues.push_back(
        fmt::format("{} {} {}", text_at(value, "name"), text_at(value, "reason"), text_at(value, "message")));
  }
  return sorted("admitted", admitted) + sorted("pending", pending) + sorted("evicted", evicted) +
         sorted("finished", finished) + sorted("inactive", queues);
}

[[noreturn]] void refuse(const std::string& id, const Diagnostics& errors) {
  throw std::runtime_error(fmt::format("{}: {} {}", id, errors.front().pointer, errors.front().message));
}

}  // namespace

KueueCase read_kueue_case(const io::Document& document) {
  KueueCase result;
  const Value& root = document.root;
  result.id = text_at(root, "id");
  result.family = text_at(root, "family");
  const std::string_view clock = text_at(root, "clock").empty() ? "2030-01-01T00:00:00Z" : text_at(root, "clock");
  result.clock = objects::parse_timestamp(clock).value_or(objects::Timestamp()).seconds;
  for (const Value& object : items_at(root, "objects")) {
    io::Decoder decoder(document);
    if (!io::decode_kueue_object(decoder, object, result.objects)) {
      throw std::runtime_error(fmt::format("{}: unknown kind {}", result.id, text_at(object, "kind")));
    }
    if (decoder.failed()) {
      refuse(result.id, decoder.take_diagnostics());
    }
  }
  if (const Value* const config = root.find("config")) {
    io::Document part = document;
    part.root = *config;
    auto configuration = io::read_kueue_configuration(part);
    if (!configuration) {
      refuse(result.id, configuration.error());
    }
    result.configuration = *std::move(configuration);
  }
  if (const Value* const steps = root.find("steps")) {
    io::Document part = document;
    part.root = *steps;
    auto events = io::read_kueue_events({part}, "default");
    if (!events) {
      refuse(result.id, events.error());
    }
    result.events = *std::move(events);
  }
  if (const Value* const expect = root.find("expect")) {
    result.expected.push_back(expected_text(*expect));
  }
  for (const Value& variant : items_at(root, "variants")) {
    result.expected.push_back(expected_text(variant));
  }
  return result;
}

std::string text_of(const kueue::AdmissionAnswer& answer) {
  std::vector<std::string> admitted, pending, evicted, queues;
  for (const kueue::AdmittedWorkload& workload : answer.admitted) {
    std::string text = fmt::format("{} in {} {}", workload.workload, workload.cluster_queue,
                                   workload.admitted ? "Admitted" : "QuotaReserved");
    for (const kueue::AdmittedPods& pods : workload.pod_sets) {
      std::map<std::string, std::string> usage;
      for (const auto& [resource, quantity] : pods.usage) {
        usage[resource] = quantity.to_string();
      }
      std::vector<std::string> topology;
      if (pods.topology) {
        topology = pods.topology->levels;
        for (const objects::TopologyDomain& domain : pods.topology->domains) {
          topology.push_back(fmt::format("{}/:{}", join(domain.values, "/"), domain.count));
        }
      }
      text +=
          pods_text(pods.name, std::to_string(pods.count), {pods.flavors.begin(), pods.flavors.end()}, usage, topology);
    }
    admitted.push_back(std::move(text));
  }
  for (const kueue::PendingWorkload& workload : answer.pending) {
    pending.push_back(
        fmt::format("{} {} ({}) {}", workload.workload, workload.reason, workload.requeued, workload.message));
  }
  for (const kueue::Eviction& eviction : answer.evicted) {
    evicted.push_back(
        fmt::format("{} {} ({}) {}", eviction.workload, eviction.reason, eviction.preempted, eviction.message));
  }
  for (const kueue::InactiveQueue& queue : answer.cluster_queues) {
    queues.push_back(fmt::format("{} {} {}", queue.name, queue.reason, queue.message));
  }
  return sorted("admitted", admitted) + sorted("pending", pending) + sorted("evicted", evicted) +
         sorted("finished", answer.finished) + sorted("inactive", queues);
}

std::vector<std::string> answer_case(const KueueCase& kueue_case) {
  std::vector<std::string> later;
  for (const objects::KueueEvent& event : kueue_case.events) {
    later.insert(later.end(), event.create.begin(), event.create.end());
  }
  auto simulation =
      kueue::AdmissionSimulation::make(kueue_case.objects, kueue_case.configuration, kueue_case.clock, later);
  if (!simulation) {
    refuse(kueue_case.id, simulation.error());
  }
  for (const objects::KueueEvent& event : kueue_case.events) {
    if (const auto applied = simulation->apply(event); !applied) {
      refuse(kueue_case.id, applied.error());
    }
  }
  std::vector<std::string> answers = {text_of(simulation->answer())};
  for (const kueue::AdmissionAnswer& other : simulation->alternatives()) {
    answers.push_back(text_of(other));
  }
  return answers;
}

}  // namespace gpusched::conformance
