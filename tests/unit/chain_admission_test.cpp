#include <catch2/catch.hpp>
#include <utility>

#include "gpusched/chain/admission.hpp"
#include "support/chain_builders.hpp"

namespace gpusched::chain {
namespace {

/// The workloads' verdicts, by name.
std::vector<JudgedWorkload> judged(const ChainInput& input, const Chain& chain,
                                   std::vector<objects::Workload> workloads) {
  AdmissionQuestion question;
  question.input = &input;
  question.chain = &chain;
  question.kueue.workloads = std::move(workloads);
  Result<AdmissionResult> result = judge_workloads(std::move(question));
  REQUIRE(result);
  return std::move(result->workloads);
}

const std::string kGpu = "nvidia.com/gpu";
const std::string kSliced = "nvidia.com/gpu.sliced";

objects::PodSpec slice(std::int64_t percent) {
  return pod_with({{kSliced, 1}, {kSliced + ".memory-percentage", percent}});
}

void use(ChainInput& input, std::size_t node, std::size_t card, Mode mode, std::int64_t remaining,
         std::int64_t slices) {
  objects::LedgerRow& row = input.devices[node].ledger.front().rows[card];
  row.mode = static_cast<std::int64_t>(mode);
  row.remaining = remaining;
  row.allocated_slices = slices;
}

}  // namespace

TEST_CASE("gate-3-sees-single-accelerators") {
  ChainInput input = cluster(0, {2});
  use(input, 0, 0, Mode::kSliced, kUnitsPerCard / 2, 1);
  use(input, 0, 1, Mode::kSliced, kUnitsPerCard / 2, 1);
  const Chain chain = *compute(input);
  const auto one = judged(input, chain, {workload("a", pod_with({{kGpu, 1}}), 1)});
  CHECK(one.front().first_refusal() == 3);  // the quota has a whole accelerator, no single one does
  CHECK(one.front().gates[2].outcome == GateOutcome::kHolds);
  CHECK(judged(input, chain, {workload("a", slice(50), 2)}).front().passes());
}

TEST_CASE("workloads-do-not-spend-one-accelerator-twice") {
  const ChainInput input = cluster(0, {1});
  const Chain chain = *compute(input);
  const auto both = judged(input, chain, {workload("a", slice(60), 1), workload("b", slice(60), 1)});
  CHECK(both[0].passes());
  CHECK_FALSE(both[1].passes());
  const auto fitting = judged(input, chain, {workload("a", slice(60), 1), workload("b", slice(40), 1)});
  CHECK(fitting[0].passes());
  CHECK(fitting[1].passes());
}

TEST_CASE("pins-keep-slices-off-nodes-without-room") {
  ChainInput input = cluster(0, {1, 1});
  use(input, 0, 0, Mode::kSliced, 160'000, 1);
  const Chain chain = *compute(input);
  const auto all = judged(input, chain, {workload("a", slice(50), 1)});
  REQUIRE(all.front().passes());
  CHECK(chain.nodes[all.front().pod_sets.front().places.front().node].name == "t4-1");
  CHECK(all.front().pod_sets.front().pins.front().values == std::vector<std::string>{"799999"});
}

TEST_CASE("quota-and-requests-refuse-first") {
  const ChainInput input = cluster(1, {1});
  const Chain chain = *compute(input);
  const auto all = judged(input, chain,
                          {workload("a", pod_with({{kGpu, 2}}), 1), workload("b", pod_with({{kSliced, 1}}), 1),
                           workload("c", pod_with({{kGpu, 1}}), 1, "gpustack--generic-linux-amd64"),
                           workload("d", pod_with({{kGpu, 1}}), 1, "nowhere")});
  CHECK(all[0].first_refusal() == 2);
  CHECK(all[1].first_refusal() == 1);
  CHECK(all[2].first_refusal() == 1);  // a pool of CPUs serves no accelerator
  REQUIRE(all[3].link);
  CHECK(all[3].link->link == Link::kLocalQueue);
}

TEST_CASE("without-the-check-the-device-plugin-refuses") {
  ChainInput input = cluster(0, {1});
  input.settings.derived_from_node = false;
  objects::InstanceType type;
  type.meta.name = "mine";
  type.acceleratable = true;
  type.accelerator_group = "nvidia-tesla-t4";
  type.os = "linux";
  type.arch = "amd64";
  input.types.push_back(type);
  use(input, 0, 0, Mode::kSliced, kUnitsPerCard / 2, 1);
  const Chain chain = *compute(input);
  const auto all = judged(input, chain, {workload("a", pod_with({{kGpu, 1}}), 1, "mine")});
  CHECK(all.front().gates[2].outcome == GateOutcome::kNotAsked);
  CHECK(all.front().first_refusal() == 5);
}

TEST_CASE("kueue-0-17-keeps-accelerated-workloads-pending") {
  const ChainInput input = cluster(0, {1});
  const Chain chain = *compute(input);
  AdmissionQuestion question;
  question.input = &input;
  question.chain = &chain;
  question.as_kueue_017 = true;
  question.kueue.workloads = {workload("a", pod_with({{kGpu, 1}}), 1)};
  const Result<AdmissionResult> result = judge_workloads(std::move(question));
  REQUIRE(result);
  CHECK(result->workloads.front().first_refusal() == 2);
}

}  // namespace gpusched::chain
