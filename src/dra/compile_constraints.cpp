#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <variant>

#include "dra/device_values.hpp"
#include "dra/question.hpp"

namespace gpusched::dra {

namespace {

using objects::AttributeValue;

template <class T>
std::string element_text(const T& value) {
  if constexpr (std::is_same_v<T, std::int64_t>) return fmt::format("i{}", value);
  if constexpr (std::is_same_v<T, bool>) return value ? "b1" : "b0";
  if constexpr (std::is_same_v<T, std::string>) return "s" + value;
  if constexpr (std::is_same_v<T, objects::Version>) return "v" + value.text;
}

/// The elements of a value, each a text of type and content; none for an attribute without a value.
std::vector<std::string> elements_of(const AttributeValue& value) {
  return std::visit(
      []<class T>(const T& content) -> std::vector<std::string> {
        if constexpr (std::is_same_v<T, std::monostate>) {
          return {};
        } else if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, bool> ||
                             std::is_same_v<T, std::string> || std::is_same_v<T, objects::Version>) {
          return {element_text(content)};
        } else {
          std::vector<std::string> texts;
          for (const auto& element : content) texts.push_back(element_text<typename T::value_type>(element));
          return texts;
        }
      },
      value);
}

bool is_list(const AttributeValue& value) {
  return value.index() > 4;
}

}  // namespace

QuestionCompiler::Checked QuestionCompiler::add_constraints(std::uint32_t claim) {
  const std::vector<objects::DeviceConstraint>& constraints = claims_[claim]->devices.constraints;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const objects::DeviceConstraint& constraint = constraints[i];
    const bool distinct_supported = cluster_.implementation != Implementation::kStable;
    if (!constraint.match_attribute && !(constraint.distinct_attribute && distinct_supported)) {
      return std::unexpected(fmt::format("claim {}, constraint #{}: empty constraint (unsupported constraint type?)",
                                         name_of(*claims_[claim]), i));
    }
    const auto number = static_cast<std::uint32_t>(problem_.constraints.size());
    problem_.constraints.push_back({claim, !constraint.match_attribute.has_value(), false});
    const std::string& attribute =
        constraint.match_attribute ? *constraint.match_attribute : *constraint.distinct_attribute;
    for (std::uint32_t l = 0; l < problem_.leaves.size(); ++l) {
      if (problem_.leaves[l].claim != claim || !applies(constraint, l)) continue;
      const std::string* expression = nullptr;
      for (const objects::DerivedAttribute& derived : question_.leaves[l].requirements->derived_attributes) {
        if (derived.name == attribute) expression = &derived.expression;
      }
      problem_.leaves[l].checks.push_back({number, value_table(attribute, expression)});
    }
  }
  return {};
}

bool QuestionCompiler::applies(const objects::DeviceConstraint& constraint, std::uint32_t leaf) const {
  if (constraint.requests.empty()) return true;
  const Question::LeafNames& names = question_.leaves[leaf];
  const auto named = [&](const std::string& name) {
    return std::ranges::find(constraint.requests, name) != constraint.requests.end();
  };
  return named(names.request->name) || (names.subrequest != nullptr && named(names.full_name()));
}

std::uint32_t QuestionCompiler::value_table(const std::string& attribute, const std::string* expression) {
  const auto [known, added] =
      tables_.try_emplace({attribute, expression != nullptr ? "=" + *expression : ""}, problem_.values.size());
  if (!added) return known->second;
  std::vector<std::int32_t> table;
  SelectorEvaluator& evaluator = cluster_.selectors;
  for (std::uint32_t d = 0; d < question_.devices.size(); ++d) {
    const DeviceRef& ref = question_.devices[d];
    const AttributeValue* value = nullptr;
    if (expression == nullptr) {
      value = attribute_of(api(d), slice_of(ref).spec.driver, attribute);
    } else {
      const std::size_t number = evaluator.compile_derived(*expression);
      std::string error = evaluator.derived_compile_error(number);
      if (!error.empty()) {
        error = fmt::format("compile derived attribute {} failed: {}", attribute, error);
      } else {
        const SelectorEvaluator::Derived& derived = evaluator.derive(number, cluster_.number_of(ref.slice, ref.index));
        value = &derived.value;
        if (!derived.error.empty()) {
          error =
              fmt::format("evaluate derived attribute {} on device {} failed: {}", attribute, id_of(d), derived.error);
        }
      }
      if (!error.empty()) {
        question_.value_errors[{known->second, d}] = std::move(error);
        table.push_back(Problem::kValueError);
        continue;
      }
    }
    if (value == nullptr) {
      table.push_back(Problem::kMissing);
    } else {
      table.push_back(cluster_.features.list_type_attributes ? set_number(*value) : value_number(*value));
    }
  }
  problem_.values.push_back(std::move(table));
  return known->second;
}

std::int32_t QuestionCompiler::value_number(const AttributeValue& value) {
  if (is_list(value) || value.index() == 0) return Problem::kListValue;
  const auto next = static_cast<std::int32_t>(value_numbers_.size());
  const std::int32_t number = value_numbers_.try_emplace(elements_of(value).front(), next).first->second;
  problem_.value_count = static_cast<std::int32_t>(value_numbers_.size());
  return number;
}

std::int32_t QuestionCompiler::set_number(const AttributeValue& value) {
  std::vector<std::uint32_t> elements;
  for (std::string& text : elements_of(value)) {
    const auto next = static_cast<std::int32_t>(value_numbers_.size());
    elements.push_back(static_cast<std::uint32_t>(value_numbers_.try_emplace(std::move(text), next).first->second));
  }
  if (elements.empty()) return Problem::kMissing;
  std::ranges::sort(elements);
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  const auto next = static_cast<std::int32_t>(problem_.sets.size());
  const auto [known, added] = set_numbers_.try_emplace(elements, next);
  if (added) problem_.sets.push_back(std::move(elements));
  return known->second;
}

// Sets of one element each are plain values, which allow more.
void QuestionCompiler::use_single_elements() {
  const bool single = std::ranges::all_of(problem_.sets, [](const auto& set) { return set.size() == 1; });
  problem_.element_count = static_cast<std::uint32_t>(value_numbers_.size());
  for (Problem::Constraint& constraint : problem_.constraints) constraint.sets = !single;
  if (!single) return;
  problem_.value_count = static_cast<std::int32_t>(problem_.element_count);
  for (std::vector<std::int32_t>& table : problem_.values) {
    for (std::int32_t& value : table) {
      if (value >= 0) value = static_cast<std::int32_t>(problem_.sets[static_cast<std::size_t>(value)].front());
    }
  }
}

}  // namespace gpusched::dra
