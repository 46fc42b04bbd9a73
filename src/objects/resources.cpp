#include "gpusched/objects/resources.hpp"

#include <algorithm>

namespace gpusched::objects {

namespace {

constexpr std::string_view kNativeDomain = "kubernetes.io/";
constexpr std::string_view kQuotaPrefix = "requests.";

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_lower_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
}

bool is_dns_subdomain(std::string_view text) {
  constexpr std::size_t kMaxLength = 253;
  if (text.empty() || text.size() > kMaxLength) {
    return false;
  }
  char before = '.';
  for (const char c : text) {
    const bool starts = before == '.';
    const bool fits = is_lower_alphanumeric(c) || (!starts && c == '-') || (c == '.' && !starts && before != '-');
    if (!fits) {
      return false;
    }
    before = c;
  }
  return is_lower_alphanumeric(before);
}

bool is_name_part(std::string_view text) {
  constexpr std::size_t kMaxLength = 63;
  return !text.empty() && text.size() <= kMaxLength && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

}  // namespace

bool is_hugepages(std::string_view name) {
  return name.starts_with("hugepages-");
}

bool is_extended_resource(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos || name.find(kNativeDomain) != std::string_view::npos ||
      name.starts_with(kQuotaPrefix)) {
    return false;
  }
  const std::string for_quota = std::string(kQuotaPrefix).append(name.substr(0, slash));
  return is_dns_subdomain(for_quota) && is_name_part(name.substr(slash + 1));
}

bool is_scalar_resource(std::string_view name) {
  return is_hugepages(name) || name.find(kNativeDomain) != std::string_view::npos ||
         name.starts_with("attachable-volumes-") || is_extended_resource(name);
}

}  // namespace gpusched::objects
