#pragma once

#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/ast.hpp"
#include "cel/function.hpp"
#include "cel/heap.hpp"
#include "cel/map.hpp"
#include "cel/value.hpp"

namespace re2 {
class RE2;
}

namespace gpusched::cel {

enum class Op : std::uint8_t {
  kConst,
  kKnownCall,  ///< a call whose value is known already; only its cost is left
  kAttribute,
  kConditional,
  kAnd,
  kOr,
  kEqual,
  kNotEqual,
  kCall,
  kMember,  ///< `in` a literal list of constants
  kList,
  kMap,
  kMessage,
  kFold,
  kOptionalOr,
  kOptionalOrValue,
};

/// How the runtime cost of a call follows from its arguments and its result.
enum class CostRule : std::uint8_t {
  kOne,
  kAuthorizerCheck,
  kTraversal,
  kScan,
  kScanTwice,
  kJoin,
  kSearch,      ///< matches()
  kScanInside,  ///< the first text once; that of an optional is its value
  kFind,        ///< find() and findAll()
  kContains,
  kScanArgument,
  kSum,
  kShorter,
  kInList,
  kCidrContainsIp,
  kCidrContainsIpText,
  kCidrContainsCidr,
  kCidrContainsCidrText,
  kValidate,
  kEquals,
  kListResult,
  kFlatten,
  kFlattenDepth,
  kDistinct,
  kSortBy,
  kSets,
  kSetsTwice,
};

struct Node;

/// One step behind a value: .name, [key], with `?` or inside has().
struct Qualifier {
  bool constant = true;
  bool optional = false;
  bool presence_test = false;
  bool key_is_attribute = false;  ///< the key's own first step costs nothing
  Value key;                      ///< when constant
  const Node* index = nullptr;    ///< else
};

/// Where an attribute starts.
enum class Root : std::uint8_t {
  kValue,       ///< a value of another node
  kDevice,      ///< the variable as a whole
  kDriver,      ///< device.driver, first step included
  kAllow,       ///< device.allowMultipleAllocations
  kAttributes,  ///< device.attributes
  kCapacities,  ///< device.capacity
  kAttribute,   ///< device.attributes["domain"].name by constant names
  kCapacity,    ///< device.capacity["domain"].name
  kAccumulator,
  kVariable,
};

/// How a call finds its implementation.
enum class Dispatch : std::uint8_t {
  kShared,   ///< one implementation, which wants a trait of the first argument
  kGuarded,  ///< the overload of the check, its argument types are compared
  kDynamic,  ///< the first overload whose argument types fit
};

/// One step of a program. Which members count depends on `op`.
struct Node {
  Op op = Op::kConst;
  // kAttribute
  Root root = Root::kValue;
  bool presence_test = false;   ///< has(): the first step costs nothing
  std::uint8_t root_steps = 0;  ///< qualifiers that the root stands for
  bool root_optional = false;   ///< the last of them had `?`
  // kCall
  Dispatch dispatch = Dispatch::kGuarded;
  Trait trait = Trait::kNone;
  CostRule cost = CostRule::kOne;
  bool short_circuit = false;  ///< an error of an argument leaves the later ones unevaluated
  bool non_strict = false;     ///< takes errors
  bool has_optionals = false;  ///< kList, kMap, kMessage

  std::uint32_t slot = 0;   ///< of a variable; kFold: of the accumulator
  std::uint32_t slot1 = 0;  ///< kFold: of the variables
  std::uint32_t slot2 = 0;
  bool two_variables = false;

  Value value;                        ///< kConst, kKnownCall
  std::uint64_t known_cost = 0;       ///< kKnownCall
  std::vector<const Node*> args;      ///< arguments, terms, elements, values
  std::vector<const Node*> keys;      ///< kMap
  std::vector<bool> optional;         ///< kList, kMap, kMessage
  std::vector<std::string> fields;    ///< kMessage
  std::string name;                   ///< function or message type
  std::vector<Qualifier> qualifiers;  ///< kAttribute
  std::string_view domain, id;        ///< kAttribute: constant names
  const Node* base = nullptr;         ///< kAttribute: root kValue; kFold: the range
  const Node* init = nullptr;         ///< kFold, kAttribute with root kAccumulator
  const Node* condition = nullptr;    ///< kFold
  const Node* step = nullptr;         ///< kFold
  const Node* result = nullptr;       ///< kFold
  const Function* function = nullptr;
  const Overload* overload = nullptr;  ///< kGuarded
  Implementation implementation = nullptr;
  const re2::RE2* regex = nullptr;  ///< compiled constant pattern
  const MapValue* set = nullptr;    ///< kMember
};

/// Everything a program needs to run.
struct Plan {
  Plan();
  ~Plan();
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  Heap heap;  ///< of the constants
  std::deque<Node> nodes;
  std::deque<std::string> texts;
  std::vector<std::unique_ptr<re2::RE2>> regexes;
  const Node* root = nullptr;
  std::uint32_t slots = 0;
};

/// Turns a checked tree into a plan: constants folded, names resolved, patterns compiled. The error is what
/// "program instantiation failed" goes on with.
[[nodiscard]] std::expected<void, std::string> make_plan(const Ast& ast, Plan& plan);

/// The rule for a call; `overload` is empty when several are possible.
[[nodiscard]] CostRule cost_rule(std::string_view function, std::string_view overload);

}  // namespace gpusched::cel
