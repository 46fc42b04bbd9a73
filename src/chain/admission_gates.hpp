#pragma once

#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpusched/chain/admission.hpp"

namespace gpusched::chain {

/// Gates 3 to 5 for workloads whose quota is reserved, one after the other: what an earlier one takes is gone.
class LateGates {
 public:
  LateGates(const AdmissionQuestion& question, const objects::KueueObjects& world);

  /// Judges one workload; its places and flavors are known. A workload that the dump shows as admitted takes nothing:
  /// its Pods are in the ledger and among the Pods of the nodes.
  void judge_workload(JudgedWorkload& workload, const objects::Workload& object);

 private:
  [[nodiscard]] std::vector<BudgetCard>& pile(std::uint32_t node, const std::string& key);
  [[nodiscard]] GateVerdict node_devices(const JudgedWorkload& workload);
  [[nodiscard]] std::vector<Held> judge_nodes(const JudgedWorkload& workload, std::string& where);
  [[nodiscard]] std::vector<Held> judge_flavors(const JudgedWorkload& workload);
  [[nodiscard]] GateVerdict node_keys(const JudgedWorkload& workload, const objects::Workload& object);
  using Used = std::map<std::string, Quantity, std::less<>>;
  [[nodiscard]] Used& used_on(std::uint32_t node);

  const Chain& chain_;
  const objects::KueueObjects& world_;
  std::unordered_map<std::string_view, std::uint32_t> node_index_;
  std::unordered_map<std::string_view, const objects::Node*> objects_;
  std::unordered_map<std::string_view, std::vector<const objects::Pod*>> pods_;  // by node
  std::map<std::pair<std::uint32_t, std::string>, std::vector<BudgetCard>> piles_;
  std::unordered_map<std::uint32_t, Used> used_;
};

}  // namespace gpusched::chain
