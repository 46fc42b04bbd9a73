#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/dra/allocator.hpp"
#include "gpusched/dra/selector_evaluator.hpp"
#include "gpusched/objects/resource_claim.hpp"
#include "gpusched/objects/resource_slice.hpp"

/// Small DRA questions for tests: one driver, one node, selectors that need no CEL.
namespace gpusched::test {

inline constexpr std::string_view kDriver = "d.example.com";
inline constexpr std::string_view kNode = "n1";

/// A selector is `true`, `false`, `bad` (does not compile), `error` (fails on every device), `NAME=NUMBER` (an int
/// attribute) or `NAME` (fails with "no such key: NAME" unless the device has the attribute, which must be true).
class ToySelectors final : public dra::SelectorEvaluator {
 public:
  std::size_t compile(std::string_view expression) override;
  const std::string& compile_error(std::size_t selector) const override;
  std::size_t add_device(std::string_view driver, const objects::Device& device) override;
  const Outcome& evaluate(std::size_t selector, std::size_t device) override;
  /// A derived attribute is a selector too: its value is whether the device matches.
  std::size_t compile_derived(std::string_view expression) override { return compile(expression); }
  const std::string& derived_compile_error(std::size_t expression) const override { return compile_error(expression); }
  const Derived& derive(std::size_t expression, std::size_t device) override;

  std::size_t evaluations = 0;

 private:
  std::vector<std::string> expressions_;
  std::string none_, bad_ = "compilation failed";
  std::vector<objects::Device> devices_;
  Outcome outcome_;
  Derived derived_;
};

/// The class "any", which every device belongs to.
[[nodiscard]] objects::DeviceClass any_class();

/// A question with its parts; changed by hand before `ask`.
struct DraQuestion {
  dra::Features features;
  dra::NodeFacts node{std::string(kNode), {{"zone", "z1"}}, {}};
  std::vector<objects::ResourceSlice> slices;
  std::vector<objects::DeviceClass> classes = {any_class()};
  std::vector<objects::ResourceClaim> allocated, claims;
};

[[nodiscard]] dra::AllocationAnswer ask(const DraQuestion& question, const dra::AllocateOptions& options = {});

/// "r0=dev0,dev1 r1/s=dev2 | ..." with claims apart; the outcome's name and the error when not allocated.
[[nodiscard]] std::string summary(const dra::AllocationAnswer& answer);

/// A complete pool of one slice on the node.
[[nodiscard]] objects::ResourceSlice slice(std::string name, std::vector<objects::Device> devices);
[[nodiscard]] objects::Device device(std::string name, objects::Named<objects::AttributeValue> attributes = {});
/// `count` devices named prefix0, prefix1, …
[[nodiscard]] std::vector<objects::Device> devices(std::string_view prefix, std::size_t count);

[[nodiscard]] objects::DeviceRequirements exactly(std::int64_t count, std::vector<std::string> selectors = {});
[[nodiscard]] objects::DeviceRequirements all(std::vector<std::string> selectors = {});
[[nodiscard]] objects::DeviceRequest request(std::string name, objects::DeviceRequirements wanted);
[[nodiscard]] objects::DeviceRequest first_available(
    std::string name, std::vector<std::pair<std::string, objects::DeviceRequirements>> subrequests);
[[nodiscard]] objects::ResourceClaim claim(std::string name, std::vector<objects::DeviceRequest> requests);
/// One claim with requests r0, r1, … of these counts.
[[nodiscard]] objects::ResourceClaim claim_of(const std::vector<std::int64_t>& counts);
[[nodiscard]] objects::DeviceConstraint match(std::string attribute, std::vector<std::string> requests = {});
[[nodiscard]] objects::DeviceConstraint distinct(std::string attribute, std::vector<std::string> requests = {});

/// The MIG devices of `gpus` H100 GPUs with their counters, as NVIDIA's driver publishes them: attributes `g` (compute
/// slices) and `gpu`; 1g.10gb and 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb at every legal start.
[[nodiscard]] std::vector<objects::ResourceSlice> mig_slices(std::size_t gpus);

}  // namespace gpusched::test
