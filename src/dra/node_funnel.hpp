#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dra/question.hpp"
#include "dra/selector_parts.hpp"
#include "gpusched/dra/why_not.hpp"

namespace gpusched::dra {

/// Which request, or subrequest, of which claim.
struct LeafPlace {
  static constexpr std::uint32_t kNone = Problem::kNone;
  std::uint32_t claim = 0, request = 0;  ///< request: in its claim
  std::uint32_t subrequest = kNone;

  auto operator<=>(const LeafPlace&) const = default;
};

/// What explanations notice on the way and fixes are made of.
struct Evidence {
  std::map<LeafPlace, std::vector<objects::DeviceTaint>> taints;  ///< that cost a device which matches
  std::map<std::size_t, std::vector<DeviceId>> held;              ///< by node: in use, would match if free
  std::map<LeafPlace, bool> matched;                              ///< whether some device came through the selectors
  std::vector<std::size_t> kinds;                                 ///< the first of each kind of node
};

/// Tells what keeps a node's devices from claims. Asks the compiler of questions, not the search.
class NodeFunnel {
 public:
  NodeFunnel(ClusterFacts& cluster, std::span<const objects::ResourceClaim* const> claims)
      : cluster_(cluster), claims_(claims) {}

  /// Everything but `conclusion` (other than an error of the compiler) and `breaks`.
  [[nodiscard]] NodeWhyNot explain(std::size_t number, const NodeFacts& node, Evidence& evidence);

 private:
  struct Causes {
    std::map<std::string, DeviceLoss::Cause> by_text;
    std::uint32_t devices = 0, matching = 0;
  };

  [[nodiscard]] RequestFunnel funnel(const Question& question, std::uint32_t leaf, Evidence& evidence);
  [[nodiscard]] std::string cause(const Question& question, std::uint32_t leaf, std::uint32_t device,
                                  const Judgement& judgement);
  [[nodiscard]] std::string scarce_counter(const Question& question, std::uint32_t device) const;
  [[nodiscard]] std::string capacity_cause(const Question& question, std::uint32_t leaf, std::uint32_t device) const;
  void add_constraints(const Question& question, NodeWhyNot& why) const;
  [[nodiscard]] std::vector<std::string> pool_problems(const NodeFacts& node) const;
  [[nodiscard]] const objects::Device& api(const Question& question, std::uint32_t device) const;
  [[nodiscard]] const objects::ResourceSliceSpec& slice(const Question& question, std::uint32_t device) const;

  ClusterFacts& cluster_;
  std::span<const objects::ResourceClaim* const> claims_;
  SelectorReasons reasons_;
  std::map<std::pair<std::size_t, std::size_t>, std::string> known_reasons_;  // by selector and device of the evaluator
};

}  // namespace gpusched::dra
