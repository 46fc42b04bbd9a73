#include "gpusched/dra/cel_selectors.hpp"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "dra/cel_device.hpp"
#include "dra/memo.hpp"
#include "dra/observation.hpp"
#include "gpusched/cel/derived.hpp"
#include "gpusched/cel/program.hpp"

namespace gpusched::dra {

namespace {

template <class T>
objects::AttributeValue attribute_value(T& content) {
  if constexpr (std::is_same_v<T, cel::DerivedValue::Version>) {
    return objects::Version{std::move(content.text)};
  } else if constexpr (std::is_same_v<T, std::vector<cel::DerivedValue::Version>>) {
    std::vector<objects::Version> versions;
    for (cel::DerivedValue::Version& version : content) versions.push_back({std::move(version.text)});
    return versions;
  } else {
    return std::move(content);
  }
}

}  // namespace

struct CelSelectors::State {
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);

  struct Selector {
    std::optional<cel::Program> program;
    std::string compile_error;
    std::deque<Outcome> outcomes;
    Memo<std::size_t> by_observation;    // of outcomes
    std::vector<std::size_t> of_device;  // index into outcomes, or kUnknown
  };

  struct DerivedExpression {
    std::optional<cel::Program> program;
    std::string compile_error;
    std::map<std::size_t, Derived> of_device;
  };

  struct Device {
    std::string_view driver;
    const objects::Device* device = nullptr;
  };

  std::size_t outcome_of(Selector& selector, const Device& device);

  cel::CompileOptions options;
  cel::Scratch scratch;
  std::map<std::string, std::size_t, std::less<>> numbers;
  std::deque<Selector> selectors;
  std::set<std::string, std::less<>> drivers;
  std::vector<Device> devices;
  std::string_view last_driver;  // of drivers
  std::map<std::string, std::size_t, std::less<>> derived_numbers;
  std::deque<DerivedExpression> derived;
};

CelSelectors::CelSelectors(const Features& features) : state_(std::make_unique<State>()) {
  state_->options.features.consumable_capacity = features.consumable_capacity;
  state_->options.features.list_type_attributes = features.list_type_attributes;
}

CelSelectors::~CelSelectors() = default;

std::size_t CelSelectors::compile(std::string_view expression) {
  if (const auto known = state_->numbers.find(expression); known != state_->numbers.end()) return known->second;
  const std::size_t number = state_->selectors.size();
  state_->numbers.emplace(expression, number);
  State::Selector& selector = state_->selectors.emplace_back();
  auto program = cel::compile(expression, state_->options);
  if (program) {
    selector.program = std::move(*program);
  } else {
    selector.compile_error = std::move(program.error().text);
  }
  return number;
}

const std::string& CelSelectors::compile_error(std::size_t selector) const {
  return state_->selectors[selector].compile_error;
}

std::size_t CelSelectors::add_device(std::string_view driver, const objects::Device& device) {
  if (state_->last_driver != driver || state_->devices.empty()) {
    auto known = state_->drivers.find(driver);
    if (known == state_->drivers.end()) known = state_->drivers.emplace(driver).first;
    state_->last_driver = *known;
  }
  state_->devices.push_back({state_->last_driver, &device});
  return state_->devices.size() - 1;
}

// Devices that a selector cannot tell apart share an outcome, and are made ready for evaluation once.
std::size_t CelSelectors::State::outcome_of(Selector& selector, const Device& device) {
  const cel::Observed& look = cel::observed(*selector.program);
  const Hash128 key = observation(look, device.driver, *device.device);
  if (const std::size_t* const known = selector.by_observation.find(key)) return *known;
  cel::Outcome outcome = cel::evaluate(*selector.program, cel_device(look, device.driver, *device.device), scratch);
  selector.outcomes.push_back({outcome.match, std::move(outcome.error)});
  selector.by_observation.insert(key, selector.outcomes.size() - 1);
  return selector.outcomes.size() - 1;
}

const SelectorEvaluator::Outcome& CelSelectors::evaluate(std::size_t number, std::size_t device) {
  State::Selector& selector = state_->selectors[number];
  if (device >= selector.of_device.size()) selector.of_device.resize(state_->devices.size(), State::kUnknown);
  std::size_t& known = selector.of_device[device];
  if (known == State::kUnknown) known = state_->outcome_of(selector, state_->devices[device]);
  return selector.outcomes[known];
}

std::size_t CelSelectors::compile_derived(std::string_view expression) {
  if (const auto known = state_->derived_numbers.find(expression); known != state_->derived_numbers.end()) {
    return known->second;
  }
  const std::size_t number = state_->derived.size();
  state_->derived_numbers.emplace(expression, number);
  State::DerivedExpression& derived = state_->derived.emplace_back();
  cel::CompileOptions options = state_->options;
  options.output = cel::Output::kDerivedAttribute;
  auto program = cel::compile(expression, options);
  if (program) {
    derived.program = std::move(*program);
  } else {
    derived.compile_error = std::move(program.error().text);
  }
  return number;
}

const std::string& CelSelectors::derived_compile_error(std::size_t expression) const {
  return state_->derived[expression].compile_error;
}

const SelectorEvaluator::Derived& CelSelectors::derive(std::size_t expression, std::size_t device) {
  State::DerivedExpression& derived = state_->derived[expression];
  const auto [known, added] = derived.of_device.try_emplace(device);
  if (!added) return known->second;
  const State::Device& asked = state_->devices[device];
  cel::DerivedValue value =
      cel::evaluate_derived(*derived.program, cel_device(asked.driver, *asked.device), state_->scratch);
  known->second.error = std::move(value.error);
  known->second.value = std::visit([]<class T>(T& content) { return attribute_value(content); }, value.value);
  return known->second;
}

}  // namespace gpusched::dra
