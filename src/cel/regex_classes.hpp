#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpusched::cel {

/// Go's class \p{name} (or \P{name}) as RE2 writes it; nothing when RE2 has no such class. Go takes names in any case
/// and with or without underscores between the words.
[[nodiscard]] std::optional<std::string> unicode_class(std::string_view name, bool negated);

}  // namespace gpusched::cel
