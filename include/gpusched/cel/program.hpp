#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/cel/device.hpp"

namespace gpusched::cel {

/// Which declarations an expression is compiled against (k8s.io/apiserver/pkg/cel/environment).
enum class Environment : std::uint8_t {
  kStored,  ///< what the allocator uses: everything, whatever the feature gates say
  kNew,     ///< what the API server uses for expressions that are written; compatible with the minor version before
};

/// The feature gates that the new environment depends on; the defaults are those of Kubernetes 1.37.
struct Features {
  bool consumable_capacity = true;    ///< DRAConsumableCapacity: device.allowMultipleAllocations
  bool list_type_attributes = false;  ///< DRAListTypeAttributes: attribute values are dyn, includes() exists

  bool operator==(const Features&) const = default;
};

/// Offsets of named time zones. CEL knows "UTC" and "+01:00" by itself; names are looked up here.
class ZoneTable {
 public:
  virtual ~ZoneTable() = default;
  /// Seconds east of UTC of the zone at that moment; nothing when there is no such zone.
  [[nodiscard]] virtual std::optional<std::int32_t> offset(std::string_view name, std::int64_t unix_seconds) const = 0;
};

/// resource.k8s.io CELSelectorExpressionMaxCost: limit of the estimate at admission and of each evaluation.
inline constexpr std::uint64_t kMaxCost = 1'000'000;
/// resource.k8s.io CELSelectorExpressionMaxLength, in bytes; checked at admission only.
inline constexpr std::size_t kMaxLength = 10 * 1024;

/// What an expression is for, which decides the types that it may have.
enum class Output : std::uint8_t {
  kSelector,          ///< bool, or a type that is known at run time only
  kDerivedAttribute,  ///< a scalar that an attribute can hold, or a list of them (alpha, DRADerivedAttributes)
};

struct CompileOptions {
  Environment environment = Environment::kStored;
  Features features;
  Output output = Output::kSelector;
  std::uint64_t cost_limit = kMaxCost;
  const ZoneTable* zones = nullptr;  ///< must outlive the program
};

enum class CompileErrorKind : std::uint8_t { kSyntax, kCheck, kOutputType, kProgram };

struct CompileError {
  CompileErrorKind kind = CompileErrorKind::kSyntax;
  std::string text;  ///< as DRA's compiler words it: "compilation failed: ERROR: <input>:1:1: ..."
};

namespace detail {
struct ProgramData;
struct ScratchData;
}  // namespace detail

/// A compiled selector: immutable, cheap to copy, may be evaluated by several threads at once.
class Program {
 public:
  explicit Program(std::shared_ptr<const detail::ProgramData> data) : data_(std::move(data)) {}
  [[nodiscard]] const detail::ProgramData& data() const { return *data_; }

  [[nodiscard]] std::string_view expression() const;
  /// "bool", "dyn" or "any".
  [[nodiscard]] std::string_view output_type() const;
  /// The estimated worst case cost; 2^64-1 when there is no bound.
  [[nodiscard]] std::uint64_t max_cost() const;

 private:
  std::shared_ptr<const detail::ProgramData> data_;
};

[[nodiscard]] std::expected<Program, CompileError> compile(std::string_view expression,
                                                           const CompileOptions& options = {});

/// Memory that evaluations use again; one per thread.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(Scratch&&) noexcept;
  Scratch& operator=(Scratch&&) noexcept;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] detail::ScratchData& data() { return *data_; }

 private:
  std::unique_ptr<detail::ScratchData> data_;
};

enum class ErrorKind : std::uint8_t {
  kNone,
  kRuntime,
  kCostLimit,  ///< "operation cancelled: actual cost limit exceeded"
  kAttribute,  ///< the device has a bad attribute
  kResult,     ///< the result is no bool
};

struct Outcome {
  bool match = false;
  ErrorKind error_kind = ErrorKind::kNone;
  std::uint64_t cost = 0;  ///< what was spent until the end or the error
  std::string error;       ///< as DeviceMatches words it; empty without an error

  [[nodiscard]] bool ok() const { return error_kind == ErrorKind::kNone; }
};

/// Evaluates a selector on a device as the DRA allocator does (without its hint on missing keys).
[[nodiscard]] Outcome evaluate(const Program& program, const Device& device, Scratch& scratch);

/// One attribute or capacity that an expression looks up by constant names.
struct ObservedName {
  std::string domain, name;
  bool operator==(const ObservedName&) const = default;
};

/// What of a device can change the outcome of a program. When all_attributes (or all_capacities) is set the expression
/// walks over them or computes names, and the list is empty.
struct Observed {
  bool driver = false;
  bool allow_multiple_allocations = false;
  bool all_attributes = false, all_capacities = false;
  std::vector<ObservedName> attributes, capacities;
};
[[nodiscard]] const Observed& observed(const Program& program);

enum class Verdict : std::uint8_t { kOk, kTooLong, kInvalid, kTooComplex };

/// What the API server says to a selector that is written.
struct Admission {
  Verdict verdict = Verdict::kOk;
  std::string error;  ///< "Too long: may not be more than 10240 bytes", a compile error, or the cost sentence
  std::optional<std::uint64_t> max_cost;  ///< when it compiles
};
[[nodiscard]] Admission admit(std::string_view expression, const Features& features = {});

}  // namespace gpusched::cel
