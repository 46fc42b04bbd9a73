#include "check/values.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

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

}  // namespace gpusched::check
