#include "gpusched/objects/meta.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpusched/objects/pod.hpp"

namespace gpusched::objects {

namespace {

/// Reads digits from the front of a text; fails for good once something else comes.
class DigitReader {
 public:
  explicit DigitReader(std::string_view text) : rest_(text) {}

  std::int64_t number(std::size_t digits) {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') {
        failed_ = true;
        return 0;
      }
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }
  bool accept(char c) {
    if (rest_.empty() || rest_.front() != c) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) { failed_ = !accept(c) || failed_; }
  [[nodiscard]] bool at_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }
  [[nodiscard]] bool done() const { return !failed_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

/// Days since 1970-01-01 in the proleptic Gregorian calendar: years start in March, so that the leap day is the last.
std::int64_t days_from_civil(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

struct Civil {
  std::int64_t year = 0, month = 0, day = 0;
};

/// The way back.
Civil civil_from_days(std::int64_t days) {
  days += 719468;
  const std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const std::int64_t day_of_era = days - era * 146097;
  const std::int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t shifted = (5 * day_of_year + 2) / 153;  // months from March on
  const std::int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day_of_year - (153 * shifted + 2) / 5 + 1};
}

bool is_leap(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

std::int64_t days_in_month(std::int64_t year, std::int64_t month) {
  constexpr std::array<std::int64_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[static_cast<std::size_t>(month - 1)];
}

/// Digits beyond nanoseconds are read and dropped.
std::int32_t read_fraction(DigitReader& reader) {
  std::int32_t nanoseconds = 0;
  std::int32_t unit = 100'000'000;
  do {
    nanoseconds += static_cast<std::int32_t>(reader.number(1)) * unit;
    unit /= 10;
  } while (reader.at_digit());
  return nanoseconds;
}

}  // namespace

std::optional<Timestamp> parse_timestamp(std::string_view text) {
  DigitReader reader(text);
  const std::int64_t year = reader.number(4);
  reader.expect('-');
  const std::int64_t month = reader.number(2);
  reader.expect('-');
  const std::int64_t day = reader.number(2);
  reader.expect('T');
  const std::int64_t hour = reader.number(2);
  reader.expect(':');
  const std::int64_t minute = reader.number(2);
  reader.expect(':');
  const std::int64_t second = reader.number(2);
  Timestamp time;
  if (reader.accept('.')) {
    time.nanoseconds = read_fraction(reader);
  }
  std::int64_t offset = 0;
  if (!reader.accept('Z')) {
    const bool behind = reader.accept('-');
    if (!behind) {
      reader.expect('+');
    }
    const std::int64_t hours = reader.number(2);
    reader.expect(':');
    const std::int64_t minutes = reader.number(2);
    if (hours > 23 || minutes > 59) {
      return std::nullopt;
    }
    offset = (hours * 60 + minutes) * (behind ? -60 : 60);
  }
  const bool date_fits = month >= 1 && month <= 12 && day >= 1;
  if (!reader.done() || !date_fits || day > days_in_month(year, month) || hour > 23 || minute > 59 || second > 59) {
    return std::nullopt;
  }
  time.seconds = days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
  return time;
}

std::string to_text(const Timestamp& time) {
  constexpr std::int64_t kDay = 86400;
  const std::int64_t days = (time.seconds >= 0 ? time.seconds : time.seconds - kDay + 1) / kDay;
  const std::int64_t second = time.seconds - days * kDay;
  const Civil date = civil_from_days(days);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", date.year, date.month, date.day, second / 3600,
                     second / 60 % 60, second % 60);
}

const OwnerReference* controller_of(const ObjectMeta& meta) {
  const auto found = std::ranges::find_if(meta.owner_references, &OwnerReference::controller);
  return found == meta.owner_references->end() ? nullptr : &*found;
}

const PodCondition* find_condition(const PodStatus& status, std::string_view type) {
  for (const PodCondition& condition : status.conditions) {
    if (condition.type == type) {
      return &condition;
    }
  }
  return nullptr;
}

}  // namespace gpusched::objects
