#include "check/values.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "gpusched/base/text.hpp"

namespace gpusched::check {

namespace {

/// 0.digits * 10^exponent, digits without zeros at either end; zero has none.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
};

Decimal decimal_of(std::string_view text) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;  // beyond any text's length
  Decimal result;
  if (text.starts_with('-')) {
    result.negative = true;
    text.remove_prefix(1);
  }
  const std::size_t e = std::min(text.find_first_of("eE"), text.size());
  std::string_view power = text.substr(std::min(e + 1, text.size()));
  if (power.starts_with('+')) {
    power.remove_prefix(1);
  }
  std::int64_t shift = 0;
  if (std::from_chars(power.data(), power.data() + power.size(), shift).ec == std::errc::result_out_of_range) {
    shift = power.starts_with('-') ? -kMost : kMost;
  }
  std::int64_t places = 0;
  bool point = false;
  for (const char c : text.substr(0, e)) {
    if (c == '.') {
      point = true;
      continue;
    }
    places += point ? 0 : 1;
    if (result.digits.empty() && c == '0') {
      --places;
      continue;
    }
    result.digits += c;
  }
  result.digits.erase(result.digits.find_last_not_of('0') + 1);
  result.exponent = places + std::clamp(shift, -kMost, kMost);
  return result;
}

int sign(bool less) {
  return less ? -1 : 1;
}

/// "a~1b" stands for "a/b".
std::string unescaped(std::string_view step) {
  std::string key;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] == '~' && i + 1 < step.size() && (step[i + 1] == '0' || step[i + 1] == '1')) {
      key += step[++i] == '0' ? '~' : '/';
    } else {
      key += step[i];
    }
  }
  return key;
}

std::string escaped(std::string_view key) {
  std::string step;
  for (const char c : key) {
    step += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  }
  return step;
}

/// How a pointer names an element: by its name, if it has one.
std::string step_to(const io::Value& item, std::size_t index) {
  const io::Value* const name = item.find("name");
  return name != nullptr && name->is_string() && !name->text().empty() ? "name=" + escaped(name->text())
                                                                       : std::to_string(index);
}

/// How far a pointer leads: the last value, and where in the pointer the step stands that this value does not have.
struct Reached {
  const io::Value* value;
  std::size_t at;
};

Reached reach(const io::Value& root, std::string_view pointer) {
  Reached reached{&root, 0};
  while (reached.at < pointer.size()) {
    const std::size_t end = std::min(pointer.find('/', reached.at + 1), pointer.size());
    const io::Value* const next = find_value(root, pointer.substr(0, end));
    if (next == nullptr) {
      break;
    }
    reached = {next, end};
  }
  return reached;
}

/// The pointer with the step that leads nowhere spelt like one that is there: a member, or an element of another name.
/// "" when there is none, or when that leads nowhere, too.
std::string respelt(const io::Value& root, std::string_view pointer, const Reached& reached) {
  const std::size_t end = std::min(pointer.find('/', reached.at + 1), pointer.size());
  const std::string step = unescaped(pointer.substr(reached.at + 1, end - reached.at - 1));
  const std::size_t equals = reached.value->is_array() ? step.find('=') : std::string::npos;
  const std::string key = equals == std::string::npos ? "" : step.substr(0, equals);
  std::vector<std::string_view> words;
  std::ranges::transform(reached.value->members(), std::back_inserter(words), &io::Member::key);
  for (const io::Value& item : reached.value->items()) {
    if (const io::Value* const member = item.find(key); member != nullptr && member->is_string()) {
      words.push_back(member->text());
    }
  }
  const std::string nearest = suggest(key.empty() ? step : step.substr(equals + 1), words);
  std::string other(pointer.substr(0, reached.at));
  other.append("/").append(key.empty() ? "" : escaped(key) + "=").append(escaped(nearest)).append(pointer.substr(end));
  return !nearest.empty() && find_value(root, other) != nullptr ? other : std::string();
}

const io::Value* element(const io::Value& list, std::string_view step) {
  const std::size_t equals = step.find('=');
  if (equals == std::string_view::npos) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    const bool whole = error == std::errc() && end == step.data() + step.size();
    return whole && index < list.items().size() ? &list.items()[index] : nullptr;
  }
  for (const io::Value& item : list.items()) {
    const io::Value* const member = item.find(step.substr(0, equals));
    if (member != nullptr && member->text() == step.substr(equals + 1)) {
      return &item;
    }
  }
  return nullptr;
}

}  // namespace

int compare_numbers(std::string_view a, std::string_view b) {
  const Decimal x = decimal_of(a);
  const Decimal y = decimal_of(b);
  const int sign_x = x.digits.empty() ? 0 : sign(x.negative);
  const int sign_y = y.digits.empty() ? 0 : sign(y.negative);
  if (sign_x != sign_y) {
    return sign(sign_x < sign_y);
  }
  if (sign_x == 0 || (x.exponent == y.exponent && x.digits == y.digits)) {
    return 0;
  }
  const bool smaller = x.exponent != y.exponent ? x.exponent < y.exponent : x.digits < y.digits;
  return sign(smaller != x.negative);
}

bool same_value(const io::Value& a, const io::Value& b) {
  if (a.kind() != b.kind()) {
    return false;
  }
  switch (a.kind()) {
    case io::Kind::kNumber:
      return compare_numbers(a.text(), b.text()) == 0;
    case io::Kind::kString:
      return a.text() == b.text();
    case io::Kind::kArray:
      return std::ranges::equal(a.items(), b.items(), same_value);
    case io::Kind::kObject:
      return a.members().size() == b.members().size() &&
             std::ranges::all_of(a.members(), [&](const io::Member& member) {
               const io::Value* const other = b.find(member.key());
               return other != nullptr && same_value(member.value, *other);
             });
    default:
      return true;
  }
}

const io::Value* find_value(const io::Value& root, std::string_view pointer) {
  const io::Value* value = &root;
  while (!pointer.empty() && value != nullptr) {
    pointer.remove_prefix(1);
    const std::size_t end = std::min(pointer.find('/'), pointer.size());
    const std::string key = unescaped(pointer.substr(0, end));
    pointer.remove_prefix(end);
    value = value->is_array() ? element(*value, key) : value->find(key);
  }
  return value;
}

std::string nearest_pointer(const io::Value& root, std::string_view pointer) {
  const Reached reached = reach(root, pointer);
  if (reached.at == pointer.size()) {
    return std::string(pointer);
  }
  if (std::string same_path = respelt(root, pointer, reached); !same_path.empty() || reached.value->is_array()) {
    return same_path;  // an element that is not there is no mistyped name
  }
  const std::string name = unescaped(pointer.substr(std::min(pointer.rfind('/') + 1, pointer.size())));
  std::vector<std::pair<const io::Value*, std::string>> level = {{&root, ""}};
  while (!level.empty()) {
    std::vector<std::pair<const io::Value*, std::string>> below;
    for (const auto& [value, path] : level) {
      for (const io::Member& member : value->members()) {
        std::string here = path + "/" + escaped(member.key());
        if (member.key() == name) {
          return here;
        }
        below.emplace_back(&member.value, std::move(here));
      }
      for (std::size_t i = 0; i < value->items().size(); ++i) {
        below.emplace_back(&value->items()[i], path + "/" + step_to(value->items()[i], i));
      }
    }
    level = std::move(below);
  }
  return {};
}

}  // namespace gpusched::check
