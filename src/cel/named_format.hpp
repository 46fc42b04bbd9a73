#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpusched::cel {

/// One of Kubernetes' named string formats, format.<function>() in expressions.
struct NamedFormat {
  std::string_view function;
  std::string_view name;                                ///< equal formats have the same
  std::vector<std::string> (*check)(std::string_view);  ///< what is wrong with the text, as Kubernetes words it
  std::uint64_t regex_size;                             ///< for the cost
};

[[nodiscard]] std::span<const NamedFormat> named_formats();
/// Null when there is none of that name.
[[nodiscard]] const NamedFormat* find_named_format(std::string_view function);

}  // namespace gpusched::cel
