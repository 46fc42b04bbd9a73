#include "base/quantity_big.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace gpusched::detail {
namespace {

constexpr std::uint32_t kBase = 1'000'000'000;
constexpr std::size_t kLimbDigits = 9;
constexpr std::array<std::uint32_t, kLimbDigits> kPow10 = {1,       10,        100,        1'000,      10'000,
                                                           100'000, 1'000'000, 10'000'000, 100'000'000};

}  // namespace

BigUnsigned::BigUnsigned(std::uint64_t value) {
  for (; value != 0; value /= kBase) {
    limbs_.push_back(static_cast<std::uint32_t>(value % kBase));
  }
}

BigUnsigned BigUnsigned::from_digits(std::string_view digits) {
  BigUnsigned result;
  result.limbs_.reserve(digits.size() / kLimbDigits + 1);
  while (!digits.empty()) {
    const std::size_t length = std::min(digits.size(), kLimbDigits);
    const std::string_view part = digits.substr(digits.size() - length);
    std::uint32_t limb = 0;
    std::from_chars(part.data(), part.data() + part.size(), limb);
    result.limbs_.push_back(limb);
    digits.remove_suffix(length);
  }
  result.trim();
  return result;
}

std::size_t BigUnsigned::digit_count() const {
  if (limbs_.empty()) {
    return 0;
  }
  std::size_t digits = (limbs_.size() - 1) * kLimbDigits;
  for (std::uint32_t top = limbs_.back(); top != 0; top /= 10) {
    ++digits;
  }
  return digits;
}

std::size_t BigUnsigned::trailing_zeros() const {
  std::size_t zeros = 0;
  for (const std::uint32_t limb : limbs_) {
    if (limb != 0) {
      for (std::uint32_t rest = limb; rest % 10 == 0; rest /= 10) {
        ++zeros;
      }
      return zeros;
    }
    zeros += kLimbDigits;
  }
  return 0;
}

std::uint64_t BigUnsigned::modulo_2_64() const {
  std::uint64_t value = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) {
    value = value * kBase + limbs_[i];
  }
  return value;
}

std::string BigUnsigned::to_string() const {
  if (limbs_.empty()) {
    return "0";
  }
  std::string text = fmt::format("{}", limbs_.back());
  text.reserve(limbs_.size() * kLimbDigits);
  for (std::size_t i = limbs_.size() - 1; i-- > 0;) {
    fmt::format_to(std::back_inserter(text), "{:09}", limbs_[i]);
  }
  return text;
}

void BigUnsigned::multiply(std::uint32_t factor) {
  std::uint64_t carry = 0;
  for (std::uint32_t& limb : limbs_) {
    carry += std::uint64_t{limb} * factor;
    limb = static_cast<std::uint32_t>(carry % kBase);
    carry /= kBase;
  }
  for (; carry != 0; carry /= kBase) {
    limbs_.push_back(static_cast<std::uint32_t>(carry % kBase));
  }
  trim();
}

void BigUnsigned::multiply_pow10(std::size_t power) {
  if (limbs_.empty()) {
    return;
  }
  multiply(kPow10[power % kLimbDigits]);
  limbs_.insert(limbs_.begin(), power / kLimbDigits, 0);
}

bool BigUnsigned::divide_pow10(std::size_t power) {
  const std::size_t whole = power / kLimbDigits;
  if (whole >= limbs_.size()) {
    const bool cut = !limbs_.empty();
    limbs_.clear();
    return cut;
  }
  const auto end = limbs_.begin() + static_cast<std::ptrdiff_t>(whole);
  bool cut = std::any_of(limbs_.begin(), end, [](std::uint32_t limb) { return limb != 0; });
  limbs_.erase(limbs_.begin(), end);
  cut |= divide(kPow10[power % kLimbDigits]) != 0;
  return cut;
}

std::uint32_t BigUnsigned::divide(std::uint32_t divisor) {
  std::uint64_t rest = 0;
  for (std::size_t i = limbs_.size(); i-- > 0;) {
    rest = rest * kBase + limbs_[i];
    limbs_[i] = static_cast<std::uint32_t>(rest / divisor);
    rest %= divisor;
  }
  trim();
  return static_cast<std::uint32_t>(rest);
}

void BigUnsigned::add(const BigUnsigned& other) {
  limbs_.resize(std::max(limbs_.size(), other.limbs_.size()) + 1);
  std::uint32_t carry = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const std::uint32_t sum = limbs_[i] + (i < other.limbs_.size() ? other.limbs_[i] : 0) + carry;
    carry = sum >= kBase ? 1 : 0;
    limbs_[i] = sum - carry * kBase;
  }
  trim();
}

void BigUnsigned::subtract(const BigUnsigned& other) {
  std::uint32_t borrow = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const std::uint32_t taken = (i < other.limbs_.size() ? other.limbs_[i] : 0) + borrow;
    borrow = limbs_[i] < taken ? 1 : 0;
    limbs_[i] = limbs_[i] + borrow * kBase - taken;
  }
  trim();
}

int BigUnsigned::compare(const BigUnsigned& other) const {
  if (limbs_.size() != other.limbs_.size()) {
    return limbs_.size() < other.limbs_.size() ? -1 : 1;
  }
  for (std::size_t i = limbs_.size(); i-- > 0;) {
    if (limbs_[i] != other.limbs_[i]) {
      return limbs_[i] < other.limbs_[i] ? -1 : 1;
    }
  }
  return 0;
}

void BigUnsigned::trim() {
  while (!limbs_.empty() && limbs_.back() == 0) {
    limbs_.pop_back();
  }
}

}  // namespace gpusched::detail
