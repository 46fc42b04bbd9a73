#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "cel/value.hpp"

namespace gpusched::cel {

/// What Kubernetes' ip() and cidr() read (Go's net/netip without zones and IPv4-mapped addresses). The error is the
/// message.
[[nodiscard]] std::expected<IpAddress, std::string> parse_ip(std::string_view text);
[[nodiscard]] std::expected<IpAddress, std::string> parse_cidr(std::string_view text);
/// Go's netip.ParseAddr itself; `zone` is what stands behind '%'.
[[nodiscard]] std::expected<IpAddress, std::string> parse_address(std::string_view text, std::string_view& zone);

[[nodiscard]] std::string to_string(const IpAddress& address);
[[nodiscard]] std::string cidr_to_string(const IpAddress& cidr);
[[nodiscard]] bool same_address(const IpAddress& a, const IpAddress& b);
/// The address with the bits behind the prefix cleared.
[[nodiscard]] IpAddress masked(const IpAddress& cidr, unsigned prefix);
[[nodiscard]] bool contains(const IpAddress& cidr, const IpAddress& address);
[[nodiscard]] bool contains_cidr(const IpAddress& outer, const IpAddress& inner);

[[nodiscard]] bool is_unspecified(const IpAddress& address);
[[nodiscard]] bool is_loopback(const IpAddress& address);
[[nodiscard]] bool is_link_local_multicast(const IpAddress& address);
[[nodiscard]] bool is_link_local_unicast(const IpAddress& address);
[[nodiscard]] bool is_global_unicast(const IpAddress& address);

}  // namespace gpusched::cel
