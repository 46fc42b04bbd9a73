#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gpusched/io/decode.hpp"

namespace gpusched::io {

/// A duration as Go writes it ("1h30m", "300s", "1500ms"), in milliseconds, rounded down; none when the key is absent.
/// Another text is an error ("wrong-duration"), and 0.
[[nodiscard]] std::optional<std::int64_t> read_go_duration(ObjectReader& reader, std::string_view key);

}  // namespace gpusched::io
