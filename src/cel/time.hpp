#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpusched::cel {

/// A moment of the proleptic Gregorian calendar.
struct Moment {
  std::int64_t seconds = 0;  ///< since 1970-01-01T00:00:00Z
  std::uint32_t nanoseconds = 0;
  std::int32_t zone_minutes = 0;  ///< east of UTC, as it was written
};

/// The calendar's view of a moment.
struct CivilTime {
  std::int64_t year = 1970;
  int month = 1, day = 1;  ///< from 1
  int hour = 0, minute = 0, second = 0;
  int weekday = 4;   ///< Sunday is 0
  int year_day = 0;  ///< from 0
};

inline constexpr std::int64_t kMinTimestamp = -62135596800;  ///< 0001-01-01T00:00:00Z
inline constexpr std::int64_t kMaxTimestamp = 253402300799;  ///< 9999-12-31T23:59:59Z

[[nodiscard]] bool is_day(std::int64_t year, int month, int day);
[[nodiscard]] CivilTime civil_time(std::int64_t seconds);

/// Go's time.Parse(time.RFC3339, text).
[[nodiscard]] std::optional<Moment> parse_rfc3339(std::string_view text);
/// Go's time.RFC3339Nano in the moment's zone.
[[nodiscard]] std::string format_rfc3339(const Moment& moment);
/// Go's time.ParseDuration, in nanoseconds.
[[nodiscard]] std::optional<std::int64_t> parse_duration(std::string_view text);
/// Go's Duration.Seconds(), in shortest form with an s: "1.5s".
[[nodiscard]] std::string format_duration(std::int64_t nanoseconds);

}  // namespace gpusched::cel
