#include "cel/time.hpp"

#include <limits>

#include <fmt/format.h>

#include "cel/numbers.hpp"

namespace gpusched::cel {
namespace {

constexpr std::int64_t kDay = 86400;
constexpr std::uint64_t kTwo63 = std::uint64_t{1} << 63;

bool is_leap(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int days_in(int month, std::int64_t year) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[month - 1];
}

/// Days since 1970-01-01; eras of 400 years that start in March (the usual closed form).
std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

/// Reads a text from the left; the first thing that does not fit makes it bad.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  bool next_is(char c) const { return !rest_.empty() && rest_[0] == c; }
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  void literal(char c) {
    if (!next_is(c)) return fail();
    rest_.remove_prefix(1);
  }
  /// Exactly so many digits, or at least one of them.
  int number(std::size_t digits, bool fewer = false) {
    int value = 0;
    std::size_t read = 0;
    while (read < digits && read < rest_.size() && is_digit(rest_[read])) value = value * 10 + (rest_[read++] - '0');
    if (read < digits && !(fewer && read > 0)) fail();
    rest_.remove_prefix(read);
    return value;
  }
  /// Digits behind a point, as nanoseconds; more than nine are cut off.
  std::uint32_t fraction() {
    std::uint32_t value = 0;
    std::uint32_t scale = 1'000'000'000;
    while (!rest_.empty() && is_digit(rest_[0])) {
      scale /= 10;
      value += static_cast<std::uint32_t>(rest_[0] - '0') * scale;
      rest_.remove_prefix(1);
    }
    return value;
  }
  void skip() { rest_.remove_prefix(1); }
  void fail() { good_ = false; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace

bool is_day(std::int64_t year, int month, int day) {
  return year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= days_in(month, year);
}

CivilTime civil_time(std::int64_t seconds) {
  std::int64_t days = seconds / kDay;
  std::int64_t rest = seconds % kDay;
  if (rest < 0) {
    rest += kDay;
    --days;
  }
  const std::int64_t shifted = days + 719468;
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const std::int64_t day_of_era = shifted - era * 146097;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t month = (5 * day_of_year + 2) / 153;
  CivilTime civil;
  civil.day = static_cast<int>(day_of_year - (153 * month + 2) / 5 + 1);
  civil.month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  civil.year = year_of_era + era * 400 + (civil.month <= 2 ? 1 : 0);
  civil.hour = static_cast<int>(rest / 3600);
  civil.minute = static_cast<int>(rest / 60 % 60);
  civil.second = static_cast<int>(rest % 60);
  civil.weekday = static_cast<int>(((days + 4) % 7 + 7) % 7);
  civil.year_day = static_cast<int>(days - days_from_civil(civil.year, 1, 1));
  return civil;
}

std::optional<Moment> parse_rfc3339(std::string_view text) {
  Scanner in(text);
  const int year = in.number(4);
  in.literal('-');
  const int month = in.number(2);
  in.literal('-');
  const int day = in.number(2);
  in.literal('T');
  const int hour = in.number(2, true);
  in.literal(':');
  const int minute = in.number(2);
  in.literal(':');
  const int second = in.number(2);
  Moment moment;
  if ((in.next_is('.') || in.next_is(',')) && in.rest().size() > 1 && Scanner::is_digit(in.rest()[1])) {
    in.skip();
    moment.nanoseconds = in.fraction();
  }
  if (in.next_is('Z')) {
    in.skip();
  } else {
    const int sign = in.next_is('-') ? -1 : 1;
    if (sign == 1 && !in.next_is('+')) in.fail();
    if (!in.rest().empty()) in.skip();
    const int hours = in.number(2);
    in.literal(':');
    const int minutes = in.number(2);
    if (hours > 24 || minutes > 60) in.fail();
    moment.zone_minutes = sign * (hours * 60 + minutes);
  }
  if (!in.good() || !in.rest().empty()) return std::nullopt;
  if (!is_day(year, month, day) || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  moment.seconds = days_from_civil(year, month, day) * kDay + hour * 3600 + minute * 60 + second -
                   std::int64_t{moment.zone_minutes} * 60;
  return moment;
}

std::string format_rfc3339(const Moment& moment) {
  const CivilTime civil = civil_time(moment.seconds + std::int64_t{moment.zone_minutes} * 60);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", civil.year, civil.month, civil.day, civil.hour,
                                 civil.minute, civil.second);
  if (moment.nanoseconds != 0) {
    std::string digits = fmt::format("{:09}", moment.nanoseconds);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  if (moment.zone_minutes == 0) return text + "Z";
  const std::int32_t zone = moment.zone_minutes < 0 ? -moment.zone_minutes : moment.zone_minutes;
  return text + fmt::format("{}{:02}:{:02}", moment.zone_minutes < 0 ? '-' : '+', zone / 60, zone % 60);
}

namespace {

std::uint64_t unit_nanoseconds(std::string_view unit) {
  struct Unit {
    std::string_view name;
    std::uint64_t nanoseconds;
  };
  constexpr Unit kUnits[] = {{"ns", 1},         {"us", 1'000},        {"µs", 1'000},         {"μs", 1'000},
                             {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000}};
  for (const Unit& known : kUnits) {
    if (known.name == unit) return known.nanoseconds;
  }
  return 0;
}

/// The digits in front, at most 2^63.
std::optional<std::uint64_t> leading_int(std::string_view& text) {
  std::uint64_t value = 0;
  while (!text.empty() && Scanner::is_digit(text[0])) {
    if (value > kTwo63 / 10) return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(text[0] - '0');
    if (value > kTwo63) return std::nullopt;
    text.remove_prefix(1);
  }
  return value;
}

/// The digits in front as value / scale; digits that do not fit are dropped.
std::uint64_t leading_fraction(std::string_view& text, double& scale) {
  std::uint64_t value = 0;
  scale = 1;
  bool full = false;
  for (; !text.empty() && Scanner::is_digit(text[0]); text.remove_prefix(1)) {
    const std::uint64_t next = value * 10 + static_cast<std::uint64_t>(text[0] - '0');
    full = full || value > (kTwo63 - 1) / 10 || next > kTwo63;
    if (full) continue;
    value = next;
    scale *= 10;
  }
  return value;
}

/// One number with its unit, in nanoseconds.
std::optional<std::uint64_t> duration_part(std::string_view& text) {
  if (text[0] != '.' && !Scanner::is_digit(text[0])) return std::nullopt;
  std::size_t before = text.size();
  const auto whole = leading_int(text);
  if (!whole) return std::nullopt;
  bool digits = text.size() != before;
  std::uint64_t fraction = 0;
  double scale = 1;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    before = text.size();
    fraction = leading_fraction(text, scale);
    digits = digits || text.size() != before;
  }
  if (!digits) return std::nullopt;
  const std::size_t length = std::min(text.find_first_of(".0123456789"), text.size());
  const std::uint64_t unit = unit_nanoseconds(text.substr(0, length));
  text.remove_prefix(length);
  if (unit == 0 || *whole > kTwo63 / unit) return std::nullopt;
  std::uint64_t value = *whole * unit;
  if (fraction > 0) {
    value += static_cast<std::uint64_t>(static_cast<double>(fraction) * (static_cast<double>(unit) / scale));
    if (value > kTwo63) return std::nullopt;
  }
  return value;
}

}  // namespace

std::optional<std::int64_t> parse_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  while (!text.empty()) {
    const auto part = duration_part(text);
    if (!part) return std::nullopt;
    sum += *part;
    if (sum > kTwo63) return std::nullopt;
  }
  if (negative) return static_cast<std::int64_t>(0 - sum);
  if (sum > kTwo63 - 1) return std::nullopt;
  return static_cast<std::int64_t>(sum);
}

std::string format_duration(std::int64_t nanoseconds) {
  // Go's Seconds(): whole seconds and the rest are added as floating point numbers.
  const double seconds =
      static_cast<double>(nanoseconds / 1'000'000'000) + static_cast<double>(nanoseconds % 1'000'000'000) / 1e9;
  return shortest_fixed(seconds) + "s";
}

}  // namespace gpusched::cel
