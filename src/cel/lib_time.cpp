// Parts of timestamps and durations (cel-go common/stdlib, common/types).

#include <cmath>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "cel/evaluation.hpp"
#include "cel/function.hpp"
#include "cel/literal.hpp"
#include "cel/numbers.hpp"
#include "cel/time.hpp"

namespace gpusched::cel {
namespace {

using Args = std::span<const Value>;

/// Go's message when strconv.Atoi refuses a text.
std::string atoi_error(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
  const bool number = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  return fmt::format("strconv.Atoi: parsing {}: {}", go_quote(text), number ? "value out of range" : "invalid syntax");
}

/// Seconds east of UTC of a zone: "+01:30", "UTC" or a name; an error otherwise.
Value zone_offset(Evaluation& e, std::string_view zone, std::int64_t seconds) {
  const std::size_t colon = zone.find(':');
  if (colon == std::string_view::npos) {
    if (zone.empty() || zone == "UTC") return Value::of_int(0);
    const auto offset = e.zones() == nullptr ? std::nullopt : e.zones()->offset(zone, seconds);
    return offset ? Value::of_int(*offset) : e.error("unknown time zone " + std::string(zone));
  }
  const auto hours = parse_int(zone.substr(0, colon));
  if (!hours) return e.error(atoi_error(zone.substr(0, colon)));
  const auto minutes = parse_int(zone.substr(colon + 1));
  if (!minutes) return e.error(atoi_error(zone.substr(colon + 1)));
  // Far beyond any zone the original's arithmetic wraps around; nothing real is lost by stopping at a century.
  constexpr std::int64_t kFar = 876'000;
  const std::int64_t hour = std::max(-kFar, std::min(kFar, *hours));
  const std::int64_t minute = std::max(-kFar * 60, std::min(kFar * 60, *minutes));
  return Value::of_int((zone[0] == '-' ? hour * 60 - minute : hour * 60 + minute) * 60);
}

using Part = std::int64_t (*)(const CivilTime&, const Value&);

template <Part part>
Value of_timestamp(Evaluation& e, Args args) {
  std::int64_t offset = 0;
  if (args.size() == 2) {
    const Value zone = zone_offset(e, args[1].view(), args[0].integer);
    if (zone.is_error()) return zone;
    offset = zone.integer;
  }
  return Value::of_int(part(civil_time(args[0].integer + offset), args[0]));
}

std::int64_t full_year(const CivilTime& t, const Value&) {
  return t.year;
}
std::int64_t month(const CivilTime& t, const Value&) {
  return t.month - 1;
}
std::int64_t day_of_year(const CivilTime& t, const Value&) {
  return t.year_day;
}
std::int64_t day_of_month(const CivilTime& t, const Value&) {
  return t.day - 1;
}
std::int64_t date(const CivilTime& t, const Value&) {
  return t.day;
}
std::int64_t day_of_week(const CivilTime& t, const Value&) {
  return t.weekday;
}
std::int64_t hours(const CivilTime& t, const Value&) {
  return t.hour;
}
std::int64_t minutes(const CivilTime& t, const Value&) {
  return t.minute;
}
std::int64_t seconds(const CivilTime& t, const Value&) {
  return t.second;
}
std::int64_t milliseconds(const CivilTime&, const Value& v) {
  return v.size / 1'000'000;
}

/// Whole units of a duration; the original divides floating point numbers, which makes no difference here.
template <std::int64_t unit>
Value of_duration(Evaluation&, Args args) {
  return Value::of_int(args[0].integer / unit);
}

constexpr OverloadRow kRows[] = {
    {"getFullYear", "timestamp_to_year", "timestamp.() int", of_timestamp<full_year>},
    {"getFullYear", "timestamp_to_year_with_tz", "timestamp.(string) int", of_timestamp<full_year>},
    {"getMonth", "timestamp_to_month", "timestamp.() int", of_timestamp<month>},
    {"getMonth", "timestamp_to_month_with_tz", "timestamp.(string) int", of_timestamp<month>},
    {"getDayOfYear", "timestamp_to_day_of_year", "timestamp.() int", of_timestamp<day_of_year>},
    {"getDayOfYear", "timestamp_to_day_of_year_with_tz", "timestamp.(string) int", of_timestamp<day_of_year>},
    {"getDayOfMonth", "timestamp_to_day_of_month", "timestamp.() int", of_timestamp<day_of_month>},
    {"getDayOfMonth", "timestamp_to_day_of_month_with_tz", "timestamp.(string) int", of_timestamp<day_of_month>},
    {"getDate", "timestamp_to_day_of_month_1_based", "timestamp.() int", of_timestamp<date>},
    {"getDate", "timestamp_to_day_of_month_1_based_with_tz", "timestamp.(string) int", of_timestamp<date>},
    {"getDayOfWeek", "timestamp_to_day_of_week", "timestamp.() int", of_timestamp<day_of_week>},
    {"getDayOfWeek", "timestamp_to_day_of_week_with_tz", "timestamp.(string) int", of_timestamp<day_of_week>},
    {"getHours", "timestamp_to_hours", "timestamp.() int", of_timestamp<hours>},
    {"getHours", "timestamp_to_hours_with_tz", "timestamp.(string) int", of_timestamp<hours>},
    {"getHours", "duration_to_hours", "duration.() int", of_duration<3'600'000'000'000>},
    {"getMinutes", "timestamp_to_minutes", "timestamp.() int", of_timestamp<minutes>},
    {"getMinutes", "timestamp_to_minutes_with_tz", "timestamp.(string) int", of_timestamp<minutes>},
    {"getMinutes", "duration_to_minutes", "duration.() int", of_duration<60'000'000'000>},
    {"getSeconds", "timestamp_to_seconds", "timestamp.() int", of_timestamp<seconds>},
    {"getSeconds", "timestamp_to_seconds_tz", "timestamp.(string) int", of_timestamp<seconds>},
    {"getSeconds", "duration_to_seconds", "duration.() int", of_duration<1'000'000'000>},
    {"getMilliseconds", "timestamp_to_milliseconds", "timestamp.() int", of_timestamp<milliseconds>},
    {"getMilliseconds", "timestamp_to_milliseconds_with_tz", "timestamp.(string) int", of_timestamp<milliseconds>},
    {"getMilliseconds", "duration_to_milliseconds", "duration.() int", of_duration<1'000'000>},
};

}  // namespace

Library time_library() {
  return {kRows};
}

}  // namespace gpusched::cel
