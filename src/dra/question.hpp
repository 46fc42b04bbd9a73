#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dra/problem.hpp"
#include "gpusched/dra/allocator.hpp"
#include "gpusched/dra/pools.hpp"
#include "gpusched/dra/why_not.hpp"

namespace gpusched::dra {

/// A device by its place in the slices.
struct DeviceRef {
  std::size_t slice = 0;    ///< position in the SliceIndex
  std::uint32_t index = 0;  ///< in the slice
  std::uint32_t pool = 0;   ///< of the node
};

/// What of a node does not change while devices are taken and given back.
struct NodeDevices {
  std::size_t number = 0;  ///< in the order in which nodes were first asked about
  std::vector<Pool> pools;
  std::string error;                         ///< of gathering the pools
  std::vector<DeviceRef> devices;            ///< of usable pools, in the order of the search
  std::vector<std::uint32_t> first_of_pool;  ///< into `devices`; one more than pools
  std::vector<std::size_t> slices;           ///< those of `devices`
};

/// What is the same for all nodes and claims.
struct ClusterFacts {
  explicit ClusterFacts(const AllocatorInput& input);

  static constexpr std::size_t kNotAdded = static_cast<std::size_t>(-1);
  struct DeviceFacts {
    bool in_use = false;
    bool shared = false;
    const objects::Named<Quantity>* consumed = nullptr;  ///< by existing shares
    std::size_t evaluator_number = kNotAdded;

    [[nodiscard]] bool allocated() const { return in_use || shared; }
  };

  [[nodiscard]] const objects::DeviceClass* find_class(const std::string& name) const;
  /// The device's number in the SelectorEvaluator.
  [[nodiscard]] std::size_t number_of(std::size_t slice, std::size_t device);
  [[nodiscard]] DeviceFacts& facts(std::size_t slice, std::size_t device) {
    return devices[first_device[slice] + device];
  }
  [[nodiscard]] const objects::Device& api(const DeviceRef& device) const {
    return slices.slice(device.slice).spec.devices[device.index];
  }
  /// Gathered when a node is asked about first. Nodes are known by their names.
  [[nodiscard]] const NodeDevices& node(const NodeFacts& facts);
  /// Looks again at what is in use of a device.
  void refresh(const DeviceId& id);

  Features features;
  Implementation implementation;
  SliceIndex slices;
  std::map<std::string, const objects::DeviceClass*> classes;
  const InUse& in_use;
  SelectorEvaluator& selectors;
  std::vector<std::size_t> first_device;  ///< by slice
  std::vector<DeviceFacts> devices;
  std::vector<std::uint64_t> versions;  ///< by slice: grows when the use of one of its devices changes
  std::unordered_map<std::string, std::unique_ptr<NodeDevices>> nodes;

 private:
  void read_use(const DeviceId& id, DeviceFacts& facts) const;
};

/// What keeps a device from a leaf request at first, in the order in which the allocator asks.
enum class Hurdle : std::uint8_t {
  kNone,
  kBindingConditions,  ///< a device with binding conditions, the feature is off
  kClassSelector,
  kOwnSelector,
  kOtherNode,  ///< by the device's own node selection
  kCapacity,
  kNodeOperations,  ///< the node does not declare DRAOptionalNodeOperations
  kPartition,       ///< the device draws on counters, the feature is off
  kCounters,        ///< its pool is over-committed
  kTaint,
};
struct Judgement {
  Hurdle hurdle = Hurdle::kNone;
  std::uint32_t selector = 0;  ///< of kClassSelector and kOwnSelector: which one
};

/// The Problem of a question, and the names behind its numbers.
struct Question {
  struct LeafNames {
    const objects::DeviceRequest* request = nullptr;
    const objects::DeviceSubRequest* subrequest = nullptr;  ///< nullptr: the request's `exactly`
    const objects::DeviceRequirements* requirements = nullptr;
    const objects::DeviceClass* device_class = nullptr;
    std::vector<std::size_t> class_selectors, own_selectors;  ///< numbers in the SelectorEvaluator

    [[nodiscard]] const std::string& bare_name() const {
      return subrequest != nullptr ? subrequest->name : request->name;
    }
    [[nodiscard]] std::string full_name() const {
      return subrequest != nullptr ? request->name + "/" + subrequest->name : request->name;
    }
  };

  Problem problem;
  std::span<const Pool> pools;         ///< those of the NodeDevices
  std::span<const DeviceRef> devices;  ///< likewise
  std::vector<LeafNames> leaves;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> selection_errors;  ///< by leaf and device
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> value_errors;      ///< by value table and device

  // Only when the compiler is told to keep what explanations need.
  std::vector<std::vector<Judgement>> judgements;  ///< by leaf: by device
  std::vector<std::string> counter_names;          ///< "set/counter", by counter
};

/// Compiles questions. Steps that share state, in the order in which they run.
class QuestionCompiler {
 public:
  QuestionCompiler(ClusterFacts& cluster, const NodeFacts& node, std::span<const objects::ResourceClaim* const> claims)
      : cluster_(cluster), node_(node), devices_(cluster.node(node)), claims_(claims) {}

  /// Error: what the real allocator says before it starts to search. `explain`: keep judgements and names.
  [[nodiscard]] std::expected<Question, std::string> run(bool explain = false);

 private:
  using Status = Problem::Status;
  using Checked = std::expected<void, std::string>;
  struct Selection {
    Judgement judgement;
    std::string error;

    [[nodiscard]] bool selectable() const { return judgement.hurdle == Hurdle::kNone && error.empty(); }
  };

  // compile.cpp
  Checked add_claim(std::uint32_t claim);
  void list_devices();
  [[nodiscard]] const objects::ResourceSlice& slice_of(const DeviceRef& device) const {
    return cluster_.slices.slice(device.slice);
  }
  [[nodiscard]] const objects::Device& api(std::uint32_t device) const {
    const DeviceRef& ref = question_.devices[device];
    return slice_of(ref).spec.devices[ref.index];
  }
  [[nodiscard]] std::string id_of(std::uint32_t device) const;
  void set_flags();
  void group_alike_leaves();

  // compile_requests.cpp
  Checked add_request(std::uint32_t claim, const objects::DeviceRequest& request, std::int64_t& claim_devices);
  Checked add_leaf(std::uint32_t claim, const objects::DeviceRequest& request,
                   const objects::DeviceSubRequest* subrequest, std::int64_t& devices);
  Checked validate(const std::string& where, const Question::LeafNames& names) const;
  Checked gather_all(const std::string& claim, const Question::LeafNames& names, Problem::Leaf& leaf);
  void judge_devices(const std::string& claim, const Question::LeafNames& names, Problem::Leaf& leaf);
  struct Judged {
    Status status = Status::kNever;
    Judgement judgement;
  };
  Judged judge(const std::string& claim, const Question::LeafNames& names, std::uint32_t device, Problem::Leaf& leaf);
  Selection select(const std::string& claim, const Question::LeafNames& names, std::uint32_t device);
  /// false: `selection` is final.
  bool selectors_match(Hurdle hurdle, const std::string& name, std::span<const std::size_t> selectors,
                       std::uint32_t device, Selection& selection);
  [[nodiscard]] Hurdle blocked(const Question::LeafNames& names, std::uint32_t device) const;
  void add_needs(const Question::LeafNames& names, std::uint32_t device, Problem::Leaf& leaf);

  // compile_constraints.cpp
  Checked add_constraints(std::uint32_t claim);
  [[nodiscard]] bool applies(const objects::DeviceConstraint& constraint, std::uint32_t leaf) const;
  std::uint32_t value_table(const std::string& attribute, const std::string* expression);
  std::int32_t value_number(const objects::AttributeValue& value);
  std::int32_t set_number(const objects::AttributeValue& value);
  void use_single_elements();

  // compile_counters.cpp
  void read_counters();
  void read_pool_counters(std::uint32_t pool);
  [[nodiscard]] std::vector<Problem::CounterUse> counter_uses(std::uint32_t pool, const objects::Device& device) const;
  void add_uses(std::uint32_t pool, std::uint32_t device);
  void read_groups(std::uint32_t pool);
  void make_blocks();
  [[nodiscard]] std::vector<bool> candidates() const;
  void drop_ample_counters(const std::vector<bool>& candidates);
  void connect(const std::vector<bool>& candidates);
  void describe_block(Problem::Block& block);

  ClusterFacts& cluster_;
  const NodeFacts& node_;
  const NodeDevices& devices_;
  std::span<const objects::ResourceClaim* const> claims_;
  Question question_;
  Problem& problem_ = question_.problem;
  bool explain_ = false;

  std::vector<bool> over_committed_;                                             // by pool
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> counter_sets_;  // first counter of pool and set
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> group_sets_;
  std::map<std::string, std::uint32_t> group_names_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> tables_;  // attribute and expression
  std::map<std::string, std::int32_t> value_numbers_;
  std::map<std::vector<std::uint32_t>, std::int32_t> set_numbers_;
  std::map<std::string, std::uint64_t> block_types_, block_contents_;
};

}  // namespace gpusched::dra
