#include "gpusched/dra/cel_selectors.hpp"

#include <algorithm>
#include <cstdint>
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
#include "gpusched/base/short_text.hpp"
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

/// Whether it is of a type that cannot hold anything bad, as nearly all are.
bool is_plain(const objects::AttributeValue& value) {
  return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<bool>(value) ||
         std::holds_alternative<std::string>(value);
}

}  // namespace

struct CelSelectors::State {
  static constexpr std::uint32_t kUnknown = 0xffff'ffffU;

  struct Selector {
    std::optional<cel::Program> program;
    std::string compile_error;
    std::deque<Outcome> outcomes = {{false, {}}, {true, {}}};  // what most devices share, then the errors
    std::optional<Observation> observation;                    // if there is a program
    Memo<std::uint32_t> by_observation;                        // of outcomes
    std::uint32_t asked = 0, known = 0;                        // how often by_observation was asked, and knew
    std::uint32_t last = kUnknown;                             // outcome of the device that was observed last
    std::vector<std::uint32_t> of_device;                      // index into outcomes, or kUnknown

    /// Looking it up costs about as much as most evaluations, so it must be worth it.
    [[nodiscard]] bool worth_remembering() const {
      constexpr std::uint32_t kFirst = 64, kOneOf = 8;
      return asked < kFirst || known >= asked / kOneOf;
    }

    std::uint32_t number_of(cel::Outcome&& outcome);
  };

  struct DerivedExpression {
    std::optional<cel::Program> program;
    std::string compile_error;
    std::map<std::size_t, Derived> of_device;
  };

  struct Device {
    std::string_view driver;
    const objects::Device* device = nullptr;
    enum class Attributes : std::uint8_t { kUnknown, kGood, kBad } attributes = Attributes::kUnknown;
  };

  std::uint32_t outcome_of(Selector& selector, Device& device);
  bool is_good(const objects::AttributeValue& value);
  bool is_good(Device& device);

  cel::CompileOptions options;
  cel::Scratch scratch;
  cel::Device asked{"", false};
  std::map<std::string, std::size_t, std::less<>> numbers;
  std::deque<Selector> selectors;
  std::set<std::string, std::less<>> drivers;
  std::vector<Device> devices;
  std::string_view last_driver;   // of drivers
  std::string last_good_version;  // most devices have the same
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
    selector.observation.emplace(cel::observed(*selector.program));
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

std::uint32_t CelSelectors::State::Selector::number_of(cel::Outcome&& outcome) {
  if (outcome.error.empty()) return outcome.match ? 1 : 0;
  outcomes.push_back({outcome.match, std::move(outcome.error)});
  return static_cast<std::uint32_t>(outcomes.size() - 1);
}

bool CelSelectors::State::is_good(const objects::AttributeValue& value) {
  const auto reads = [&](const objects::Version& version) {
    if (!last_good_version.empty() && same_text(version.text, last_good_version)) return true;
    if (!cel::is_version(version.text)) return false;
    last_good_version = version.text;
    return true;
  };
  if (const auto* const version = std::get_if<objects::Version>(&value)) return reads(*version);
  if (const auto* const list = std::get_if<std::vector<objects::Version>>(&value)) {
    return std::ranges::all_of(*list, reads);
  }
  return !std::holds_alternative<std::monostate>(value);
}

bool CelSelectors::State::is_good(Device& device) {
  if (device.attributes == Device::Attributes::kUnknown) {
    bool good = true;
    for (const auto& [name, value] : device.device->attributes) {
      if (!is_plain(value) && !is_good(value)) good = false;
    }
    device.attributes = good ? Device::Attributes::kGood : Device::Attributes::kBad;
  }
  return device.attributes == Device::Attributes::kGood;
}

// Devices that a selector cannot tell apart share an outcome.
std::uint32_t CelSelectors::State::outcome_of(Selector& selector, Device& device) {
  if (!is_good(device)) {
    const cel::Device bad = cel_device(device.driver, *device.device);
    return selector.number_of(cel::evaluate(*selector.program, bad, scratch));
  }
  Observation& observation = *selector.observation;
  observation.turn_to(device.driver);
  const auto ask = [&] {
    observation.show(asked);
    return selector.number_of(cel::evaluate(*selector.program, asked, scratch));
  };
  if (observation.look_at(*device.device)) return selector.last;
  if (!selector.worth_remembering()) return selector.last = ask();
  const Hash128 key = observation.hash();
  ++selector.asked;
  if (const std::uint32_t* const known = selector.by_observation.find(key)) {
    ++selector.known;
    return selector.last = *known;
  }
  selector.last = ask();
  selector.by_observation.insert(key, selector.last);
  return selector.last;
}

const SelectorEvaluator::Outcome& CelSelectors::evaluate(std::size_t number, std::size_t device) {
  State::Selector& selector = state_->selectors[number];
  if (device >= selector.of_device.size()) selector.of_device.resize(state_->devices.size(), State::kUnknown);
  std::uint32_t& known = selector.of_device[device];
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
