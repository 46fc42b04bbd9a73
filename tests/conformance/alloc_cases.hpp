#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpusched/dra/allocator.hpp"
#include "gpusched/dra/node_facts.hpp"
#include "gpusched/io/document.hpp"
#include "gpusched/objects/device_class.hpp"
#include "gpusched/objects/resource_claim.hpp"
#include "gpusched/objects/resource_slice.hpp"

/// The corpus alloc-cases.jsonl: questions to the real allocator with its answers, one answer per node.
namespace gpusched::conformance {

struct AllocNodeAnswer {
  std::string node;
  std::string result;  ///< allocated, does-not-fit, error, node-error
  std::string error;
  std::uint64_t steps = 0;
  std::vector<objects::AllocationResult> allocations;
};

struct AllocCase {
  std::string id, family;
  dra::Features features;
  std::vector<dra::NodeFacts> nodes;
  std::vector<objects::DeviceClass> classes;
  std::vector<objects::ResourceSlice> slices;
  std::vector<objects::ResourceClaim> allocated_claims, claims;
  std::string allocator;
  std::vector<AllocNodeAnswer> answers;
};

/// One document of the corpus.
[[nodiscard]] AllocCase read_alloc_case(const io::Document& document);

/// An answer as text, with share ids as `*` and capacities in order of their names.
[[nodiscard]] std::string to_text(const AllocNodeAnswer& answer);
[[nodiscard]] std::string to_text(const dra::AllocationAnswer& answer, const std::string& node);

struct FamilyTally {
  std::size_t answers = 0, equal = 0;
};

/// Asks every question of the corpus; prints the first `shown` differences, and a line per family.
class AllocReplay {
 public:
  explicit AllocReplay(std::size_t shown) : shown_(shown) {}

  /// `selectors` answers the selectors of this case.
  void ask(const AllocCase& question, dra::SelectorEvaluator& selectors, const dra::AllocateOptions& options = {});
  /// "family: N of M equal", and the total.
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] bool all_equal() const;
  [[nodiscard]] const std::map<std::string, FamilyTally>& families() const { return families_; }

 private:
  std::size_t shown_;
  std::map<std::string, FamilyTally> families_;
};

}  // namespace gpusched::conformance
