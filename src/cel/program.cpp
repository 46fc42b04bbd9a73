#include "gpusched/cel/program.hpp"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cel/ast.hpp"
#include "cel/checker.hpp"
#include "cel/environment.hpp"
#include "cel/estimate.hpp"
#include "cel/parser.hpp"
#include "cel/program_data.hpp"

namespace gpusched::cel {
namespace {

using Failure = std::unexpected<CompileError>;

Failure compilation_failed(const Errors& errors) {
  const auto kind = errors.has_syntax_error() ? CompileErrorKind::kSyntax : CompileErrorKind::kCheck;
  return Failure({kind, "compilation failed: " + errors.text()});
}

bool is_result_type(const Type& type, const Declarations& declarations) {
  return same_type(type, types::kBool) || same_type(type, *declarations.attribute_type());
}

/// Why a type cannot be the output; "" when it can.
std::string wrong_output(const Type& type, const Declarations& declarations, const CompileOptions& options) {
  if (options.output == Output::kSelector) {
    if (is_result_type(type, declarations)) return "";
    return fmt::format("must evaluate to bool or the unknown type, not {}", declared_name(type));
  }
  const bool lists = options.features.list_type_attributes || options.environment == Environment::kStored;
  if (is_derived_type(type, lists)) return "";
  return fmt::format("must evaluate to a primitive scalar (string, integer, boolean, semver){}, not {}",
                     lists ? " or a list of these scalars" : "", declared_name(type));
}

/// Go's words where a result that is no bool is wanted as one.
std::string result_error(const Value& value) {
  switch (value.kind) {
    case Kind::kInt:
    case Kind::kUint:
      return fmt::format("unsupported type conversion from '{}' to bool", type_name(value));
    case Kind::kString:
      return "unsupported native conversion from string to 'bool'";
    case Kind::kNull:
      return "type conversion error from 'null_type' to 'bool'";
    case Kind::kDouble:
      return "type conversion error from Double to 'bool'";
    case Kind::kBytes:
      return "type conversion error from Bytes to 'bool'";
    case Kind::kList:
      return "type conversion error from list to 'bool'";
    case Kind::kMap:
      return "type conversion error from map to 'bool'";
    case Kind::kType:
      return "type conversion not supported for 'type'";
    case Kind::kOptional:
      return "optional.none() dereference";
    case Kind::kEmpty:
      return "type conversion error from '*dynamicpb.Message' to 'bool'";
    default:
      break;
  }
  const std::string name(go_type_name(value));
  return fmt::format("type conversion error from '{}' to 'bool'", name.substr(name.find('.') + 1));
}

void set_result(Outcome& outcome, const Value& value) {
  const Value* inner = &value;
  while (inner->is(Kind::kOptional) && inner->items != nullptr) inner = inner->items;
  if (inner->is(Kind::kBool)) {
    outcome.match = inner->truth;
    return;
  }
  outcome.error_kind = ErrorKind::kResult;
  outcome.error =
      fmt::format("CEL result of type {} could not be converted to bool: {}", type_name(value), result_error(*inner));
}

}  // namespace

std::string_view Program::expression() const {
  return data_->expression;
}
std::string_view Program::output_type() const {
  return data_->output_type;
}
std::uint64_t Program::max_cost() const {
  return data_->max_cost;
}

Scratch::Scratch() : data_(std::make_unique<detail::ScratchData>()) {}
Scratch::~Scratch() = default;
Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(Scratch&&) noexcept = default;

std::expected<Program, CompileError> compile(std::string_view expression, const CompileOptions& options) {
  const Source source(expression);
  Errors errors(source);
  Ast ast;
  parse(source, errors, ast);
  if (!errors.empty()) return compilation_failed(errors);

  const Declarations declarations(options.environment, options.features);
  TypePool pool;
  check(ast, declarations, pool, errors);
  if (errors.empty()) validate(ast, errors);
  if (!errors.empty()) return compilation_failed(errors);
  const Type& type = *ast.root->type;
  if (std::string wrong = wrong_output(type, declarations, options); !wrong.empty()) {
    return Failure({CompileErrorKind::kOutputType, std::move(wrong)});
  }

  auto data = std::make_shared<detail::ProgramData>();
  if (const auto planned = make_plan(ast, data->plan); !planned) {
    return Failure({CompileErrorKind::kProgram, "program instantiation failed: " + planned.error()});
  }
  data->expression = expression;
  data->output_type = declared_name(type);
  data->max_cost = estimate_cost(ast, declarations);
  data->cost_limit = options.cost_limit;
  data->zones = options.zones;
  data->observed = find_observed(ast);
  return Program(std::move(data));
}

std::optional<Value> run(const Program& program, const Device& device, Scratch& scratch, Outcome& outcome) {
  const detail::ProgramData& data = program.data();
  if (!device.error().empty()) {
    outcome.error_kind = ErrorKind::kAttribute;
    outcome.error = device.error();
    return std::nullopt;
  }
  detail::ScratchData& memory = scratch.data();
  memory.heap.reset();
  if (memory.slots.size() < data.plan.slots) memory.slots.resize(data.plan.slots);
  Evaluation evaluation(memory.heap, memory.regexes, memory.slots, &device.data(), data.zones, data.cost_limit);
  const Value value = evaluation.eval(*data.plan.root);
  outcome.cost = evaluation.cost();
  if (evaluation.stopped()) {
    outcome.error_kind = evaluation.stop_kind();
    outcome.error = evaluation.stop_text();
    return std::nullopt;
  }
  if (value.is_error()) {
    outcome.error_kind = ErrorKind::kRuntime;
    outcome.error = value.view();
    return std::nullopt;
  }
  return value;
}

Outcome evaluate(const Program& program, const Device& device, Scratch& scratch) {
  Outcome outcome;
  if (const std::optional<Value> value = run(program, device, scratch, outcome)) set_result(outcome, *value);
  return outcome;
}

Admission admit(std::string_view expression, const Features& features) {
  if (expression.size() > kMaxLength) {
    return {Verdict::kTooLong, fmt::format("Too long: may not be more than {} bytes", kMaxLength), std::nullopt};
  }
  CompileOptions options;
  options.environment = Environment::kNew;
  options.features = features;
  const auto program = compile(expression, options);
  if (!program) return {Verdict::kInvalid, program.error().text, std::nullopt};
  if (program->max_cost() > kMaxCost) {
    return {Verdict::kTooComplex, "Forbidden: too complex, exceeds cost limit", program->max_cost()};
  }
  return {Verdict::kOk, {}, program->max_cost()};
}

}  // namespace gpusched::cel
