#include "alloc_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "gpusched/base/text.hpp"
#include "gpusched/io/core_objects.hpp"
#include "gpusched/io/decode.hpp"
#include "gpusched/io/dra_objects.hpp"

namespace gpusched::conformance {

namespace {

using io::Decoder;
using io::ObjectReader;
using io::ResourceApi;
using io::Value;

dra::NodeFacts read_node(Decoder& decoder, const Value& value) {
  const objects::Node node = io::decode_node(decoder, value);
  return {node.meta.name, node.meta.labels, node.status.declared_features};
}

AllocNodeAnswer read_answer(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "answer");
  AllocNodeAnswer answer;
  answer.node = reader.required_string("node");
  answer.result = reader.required_string("result");
  answer.error = reader.optional_string("error").value_or("");
  answer.steps = static_cast<std::uint64_t>(reader.optional_int64("steps").value_or(0));
  reader.array("allocations", [&](const Value& item, std::size_t) {
    answer.allocations.push_back(io::decode_allocation_result(decoder, item));
  });
  return answer;
}

void read_input(Decoder& decoder, const Value& value, AllocCase& question) {
  ObjectReader reader(decoder, value, "input");
  if (const Value* const features = reader.find("features")) {
    for (const io::Member& member : features->members()) {
      if (!dra::set_feature(question.features, member.key(), member.value.as_bool())) {
        throw std::runtime_error("unknown feature " + std::string(member.key()));
      }
    }
  }
  reader.array("nodes", [&](const Value& item, std::size_t) { question.nodes.push_back(read_node(decoder, item)); });
  reader.array("classes", [&](const Value& item, std::size_t) {
    question.classes.push_back(io::decode_device_class(decoder, item));
  });
  reader.array("slices", [&](const Value& item, std::size_t) {
    question.slices.push_back(io::decode_resource_slice(decoder, item, ResourceApi::kV1));
  });
  reader.array("allocatedClaims", [&](const Value& item, std::size_t) {
    question.allocated_claims.push_back(io::decode_resource_claim(decoder, item, ResourceApi::kV1));
  });
  reader.array("claims", [&](const Value& item, std::size_t) {
    question.claims.push_back(io::decode_resource_claim(decoder, item, ResourceApi::kV1));
  });
}

std::string to_text(const objects::DeviceToleration& t) {
  return fmt::format("{}|{}|{}|{}|{}", t.key, t.op, t.value, t.effect, t.toleration_seconds.value_or(-1));
}

std::string to_text(const objects::DeviceRequestAllocationResult& result) {
  std::string text = fmt::format("  {} {}/{}/{}", result.request, result.driver, result.pool, result.device);
  if (result.admin_access) text += fmt::format(" admin={}", *result.admin_access);
  for (const objects::DeviceToleration& toleration : result.tolerations) text += " tolerates " + to_text(toleration);
  text += fmt::format(" [{}] [{}] [{}]", join(result.binding_conditions, ","),
                      join(result.binding_failure_conditions, ","), join(result.skip_node_operations, ","));
  if (result.share_id) text += " share=*";
  if (result.consumed_capacity) {
    objects::Named<Quantity> consumed = *result.consumed_capacity;
    std::ranges::sort(consumed, {}, &std::pair<std::string, Quantity>::first);
    for (const auto& [name, amount] : consumed) text += fmt::format(" {}={}", name, amount.to_string());
  }
  return text + "\n";
}

std::string to_text(const std::vector<objects::NodeSelectorRequirement>& requirements) {
  std::string text;
  for (const objects::NodeSelectorRequirement& r : requirements) {
    text += fmt::format("({} {} {})", r.key, r.op, join(r.values, ","));
  }
  return text;
}

std::string to_text(const objects::AllocationResult& allocation) {
  std::string text = " claim\n";
  for (const auto& result : allocation.results) text += to_text(result);
  for (const objects::DeviceAllocationConfiguration& config : allocation.config) {
    text += fmt::format("  config {} [{}]", config.source, join(config.requests, ","));
    const auto& opaque = config.configuration.opaque;
    text += opaque ? fmt::format(" {} {}\n", opaque->driver, opaque->parameters) : "\n";
  }
  if (!allocation.node_selector) return text;
  for (const objects::NodeSelectorTerm& term : allocation.node_selector->terms) {
    text += fmt::format("  nodes {} fields {}\n", to_text(term.match_expressions), to_text(term.match_fields));
  }
  return text;
}

std::string to_text(const std::vector<objects::AllocationResult>& allocations) {
  std::string text;
  for (const objects::AllocationResult& allocation : allocations) text += to_text(allocation);
  return text;
}

}  // namespace

AllocCase read_alloc_case(const io::Document& document) {
  AllocCase question;
  Decoder decoder(document);
  {
    ObjectReader reader(decoder, document.root, "case");
    question.id = reader.required_string("id");
    question.family = reader.required_string("family");
    reader.object("input", [&](const Value& input) { read_input(decoder, input, question); });
    reader.object("expect", [&](const Value& value) {
      ObjectReader expect(decoder, value, "expect");
      question.allocator = expect.required_string("allocator");
      expect.array("nodes",
                   [&](const Value& item, std::size_t) { question.answers.push_back(read_answer(decoder, item)); });
    });
  }
  if (decoder.failed()) throw std::runtime_error(decoder.take_diagnostics().front().message);
  return question;
}

std::string to_text(const AllocNodeAnswer& answer) {
  return fmt::format("{}: {} {} steps {}\n{}", answer.node, answer.result, answer.error, answer.steps,
                     to_text(answer.allocations));
}

std::string to_text(const dra::AllocationAnswer& answer, const std::string& node) {
  return fmt::format("{}: {} {} steps {}{}\n{}", node, dra::name_of(answer.outcome), answer.error,
                     dra::to_string(answer.steps), answer.steps_at_least ? "+" : "", to_text(answer.allocations));
}

void AllocReplay::ask(const AllocCase& question, dra::SelectorEvaluator& selectors,
                      const dra::AllocateOptions& options) {
  const dra::InUse held = dra::in_use(question.allocated_claims, question.features.consumable_capacity);
  dra::Allocator allocator({question.features, question.slices, question.classes, held, selectors});
  std::vector<const objects::ResourceClaim*> claims;
  for (const objects::ResourceClaim& claim : question.claims) claims.push_back(&claim);
  FamilyTally& tally = families_[question.family];
  for (std::size_t i = 0; i < question.answers.size(); ++i) {
    const AllocNodeAnswer& real = question.answers[i];
    const std::string ours = to_text(allocator.allocate(question.nodes.at(i), claims, options), real.node);
    ++tally.answers;
    if (ours == to_text(real) && dra::name_of(allocator.implementation()) == question.allocator) {
      ++tally.equal;
    } else if (shown_ > 0) {
      --shown_;
      fmt::print("{} ({}, we use {})\n--- real\n{}--- ours\n{}\n", question.id, question.allocator,
                 dra::name_of(allocator.implementation()), to_text(real), ours);
    }
  }
}

std::string AllocReplay::summary() const {
  std::string text;
  FamilyTally all;
  for (const auto& [family, tally] : families_) {
    text += fmt::format("{}: {} of {} equal\n", family, tally.equal, tally.answers);
    all.answers += tally.answers;
    all.equal += tally.equal;
  }
  return text + fmt::format("alloc-cases: {} of {} equal\n", all.equal, all.answers);
}

bool AllocReplay::all_equal() const {
  return std::ranges::all_of(families_, [](const auto& f) { return f.second.equal == f.second.answers; });
}

}  // namespace gpusched::conformance
