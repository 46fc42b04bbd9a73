#include "cel/net.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "cel/literal.hpp"
#include "cel/numbers.hpp"

namespace gpusched::cel {
namespace {

using Error = std::unexpected<std::string>;

std::string address_error(std::string_view in, std::string_view message, std::string_view at = {}) {
  std::string text = fmt::format("ParseAddr({}): {}", go_quote(in), message);
  if (!at.empty()) text += fmt::format(" (at {})", go_quote(at));
  return text;
}

/// Four decimal octets; `in` is the whole text for messages. Empty when good.
std::string parse_octets(std::string_view in, std::string_view text, std::uint8_t* octets) {
  unsigned value = 0;
  int digits = 0;
  int octet = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c >= '0' && c <= '9') {
      if (digits == 1 && value == 0) return address_error(in, "IPv4 field has octet with leading zero");
      value = value * 10 + static_cast<unsigned>(c - '0');
      ++digits;
      if (value > 255) return address_error(in, "IPv4 field has value >255");
    } else if (c == '.') {
      if (i == 0 || i == text.size() - 1 || text[i - 1] == '.') {
        return address_error(in, "IPv4 field must have at least one digit", text.substr(i));
      }
      if (octet == 3) return address_error(in, "IPv4 address too long");
      octets[octet++] = static_cast<std::uint8_t>(value);
      value = 0;
      digits = 0;
    } else {
      return address_error(in, "unexpected character", text.substr(i));
    }
  }
  if (octet < 3) return address_error(in, "IPv4 address too short");
  octets[3] = static_cast<std::uint8_t>(value);
  return {};
}

std::optional<unsigned> hex(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

/// Reads an IPv6 address group by group.
class V6Reader {
 public:
  V6Reader(std::string_view in, std::string_view text) : in_(in), rest_(text) {}

  std::string run(IpAddress& address) {
    if (rest_.starts_with("::")) {
      ellipsis_ = 0;
      rest_.remove_prefix(2);
      if (rest_.empty()) return {};
    }
    while (at_ < 16 && !done_) {
      if (std::string error = group(address.bytes); !error.empty()) return error;
    }
    if (!rest_.empty()) return fail("trailing garbage after address");
    return expand(address.bytes);
  }

 private:
  std::string fail(std::string_view message) const { return address_error(in_, message, rest_); }

  std::string group(std::uint8_t* bytes) {
    unsigned value = 0;
    std::size_t length = 0;
    for (; length < rest_.size(); ++length) {
      const auto digit = hex(rest_[length]);
      if (!digit) break;
      if (length > 3) return fail("each group must have 4 or less digits");
      value = value << 4 | *digit;
    }
    if (length == 0) return fail("each colon-separated field must have at least one digit");
    if (length < rest_.size() && rest_[length] == '.') return embedded(bytes);
    bytes[at_] = static_cast<std::uint8_t>(value >> 8);
    bytes[at_ + 1] = static_cast<std::uint8_t>(value);
    at_ += 2;
    rest_.remove_prefix(length);
    if (rest_.empty()) return done_ = true, std::string();
    return separator();
  }

  std::string embedded(std::uint8_t* bytes) {
    if (ellipsis_ < 0 && at_ != 12) return fail("embedded IPv4 address must replace the final 2 fields of the address");
    if (at_ + 4 > 16) return fail("too many hex fields to fit an embedded IPv4 at the end of the address");
    std::string error = parse_octets(in_, rest_, bytes + at_);
    rest_ = {};
    at_ += 4;
    done_ = true;
    return error;
  }

  std::string separator() {
    if (rest_[0] != ':') return fail("unexpected character, want colon");
    if (rest_.size() == 1) return fail("colon must be followed by more characters");
    rest_.remove_prefix(1);
    if (rest_[0] != ':') return {};
    if (ellipsis_ >= 0) return fail("multiple :: in address");
    ellipsis_ = at_;
    rest_.remove_prefix(1);
    done_ = rest_.empty();
    return {};
  }

  std::string expand(std::uint8_t* bytes) const {
    if (at_ == 16) {
      return ellipsis_ < 0 ? std::string() : address_error(in_, "the :: must expand to at least one field of zeros");
    }
    if (ellipsis_ < 0) return address_error(in_, "address string too short");
    const int missing = 16 - at_;
    for (int i = at_ - 1; i >= ellipsis_; --i) bytes[i + missing] = bytes[i];
    std::fill(bytes + ellipsis_, bytes + ellipsis_ + missing, std::uint8_t{0});
    return {};
  }

  std::string_view in_, rest_;
  int at_ = 0;
  int ellipsis_ = -1;
  bool done_ = false;
};

bool is_v4_in_v6(const IpAddress& a) {
  return std::all_of(a.bytes, a.bytes + 10, [](std::uint8_t b) { return b == 0; }) && a.bytes[10] == 0xFF &&
         a.bytes[11] == 0xFF;
}

unsigned length_of(const IpAddress& a) {
  return a.v4 ? 4 : 16;
}

}  // namespace

std::expected<IpAddress, std::string> parse_address(std::string_view text, std::string_view& zone) {
  zone = {};
  const std::size_t mark = text.find_first_of(".:%");
  if (mark == std::string_view::npos) return Error(address_error(text, "unable to parse IP"));
  if (text[mark] == '%') return Error(address_error(text, "missing IPv6 address"));
  IpAddress address;
  if (text[mark] == '.') {
    address.v4 = true;
    std::string error = parse_octets(text, text, address.bytes);
    if (!error.empty()) return Error(std::move(error));
    return address;
  }
  const std::size_t percent = text.find('%');
  if (percent != std::string_view::npos) {
    zone = text.substr(percent + 1);
    if (zone.empty()) return Error(address_error(text, "zone must be a non-empty string"));
  }
  std::string error = V6Reader(text, text.substr(0, percent)).run(address);
  if (!error.empty()) return Error(std::move(error));
  address.v4_in_v6 = is_v4_in_v6(address);
  return address;
}

std::expected<IpAddress, std::string> parse_ip(std::string_view text) {
  std::string_view zone;
  auto address = parse_address(text, zone);
  if (!address) {
    return Error(
        fmt::format("IP Address {} parse error during conversion from string: {}", go_quote(text), address.error()));
  }
  if (!zone.empty()) return Error(fmt::format("IP address {} with zone value is not allowed", go_quote(text)));
  if (address->v4_in_v6) return Error(fmt::format("IPv4-mapped IPv6 address {} is not allowed", go_quote(text)));
  return address;
}

std::expected<IpAddress, std::string> parse_cidr(std::string_view text) {
  const auto fail = [text](std::string_view message) {
    return Error(fmt::format("network address parse error during conversion from string: netip.ParsePrefix({}): {}",
                             go_quote(text), message));
  };
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) return fail("no '/'");
  std::string_view zone;
  auto address = parse_address(text.substr(0, slash), zone);
  if (!address) return fail(address.error());
  if (!zone.empty()) return fail("IPv6 zones cannot be present in a prefix");
  const std::string_view digits = text.substr(slash + 1);
  const bool sign_or_zero = digits.size() > 1 && (digits[0] < '1' || digits[0] > '9');
  const auto bits = parse_int(digits);
  if (sign_or_zero || !bits) return fail("bad bits after slash: " + go_quote(digits));
  if (*bits < 0 || *bits > (address->v4 ? 32 : 128)) return fail("prefix length out of range");
  if (address->v4_in_v6) return Error(fmt::format("IPv4-mapped IPv6 address {} is not allowed", go_quote(text)));
  address->prefix = static_cast<std::uint8_t>(*bits);
  return address;
}

std::string to_string(const IpAddress& a) {
  if (a.v4) return fmt::format("{}.{}.{}.{}", a.bytes[0], a.bytes[1], a.bytes[2], a.bytes[3]);
  const auto group = [&a](int i) { return static_cast<unsigned>(a.bytes[2 * i]) << 8 | a.bytes[2 * i + 1]; };
  int zero_begin = 8;
  int zero_end = 8;
  for (int i = 0; i < 8; ++i) {
    int j = i;
    while (j < 8 && group(j) == 0) ++j;
    if (j - i >= 2 && j - i > zero_end - zero_begin) {
      zero_begin = i;
      zero_end = j;
    }
  }
  std::string text;
  for (int i = 0; i < 8; ++i) {
    if (i == zero_begin) {
      text += "::";
      i = zero_end;
      if (i >= 8) break;
    } else if (i > 0) {
      text += ':';
    }
    text += fmt::format("{:x}", group(i));
  }
  return text;
}

std::string cidr_to_string(const IpAddress& cidr) {
  return fmt::format("{}/{}", to_string(cidr), cidr.prefix);
}

bool same_address(const IpAddress& a, const IpAddress& b) {
  return a.v4 == b.v4 && std::memcmp(a.bytes, b.bytes, sizeof a.bytes) == 0;
}

IpAddress masked(const IpAddress& cidr, unsigned prefix) {
  IpAddress result = cidr;
  for (unsigned i = 0; i < length_of(cidr); ++i) {
    const unsigned begin = i * 8;
    const unsigned kept = prefix <= begin ? 0 : std::min(prefix - begin, 8U);
    result.bytes[i] = static_cast<std::uint8_t>(result.bytes[i] & (0xFF00U >> kept));
  }
  return result;
}

bool contains(const IpAddress& cidr, const IpAddress& address) {
  return cidr.v4 == address.v4 && same_address(masked(cidr, cidr.prefix), masked(address, cidr.prefix));
}

bool contains_cidr(const IpAddress& outer, const IpAddress& inner) {
  return contains(outer, inner) && outer.prefix <= inner.prefix;
}

bool is_unspecified(const IpAddress& a) {
  return std::all_of(a.bytes, a.bytes + 16, [](std::uint8_t b) { return b == 0; });
}

bool is_loopback(const IpAddress& a) {
  if (a.v4) return a.bytes[0] == 127;
  return std::all_of(a.bytes, a.bytes + 15, [](std::uint8_t b) { return b == 0; }) && a.bytes[15] == 1;
}

bool is_link_local_multicast(const IpAddress& a) {
  if (a.v4) return a.bytes[0] == 224 && a.bytes[1] == 0 && a.bytes[2] == 0;
  return a.bytes[0] == 0xFF && (a.bytes[1] & 0x0F) == 0x02;
}

bool is_link_local_unicast(const IpAddress& a) {
  if (a.v4) return a.bytes[0] == 169 && a.bytes[1] == 254;
  return a.bytes[0] == 0xFE && (a.bytes[1] & 0xC0) == 0x80;
}

bool is_global_unicast(const IpAddress& a) {
  const bool broadcast = a.v4 && std::all_of(a.bytes, a.bytes + 4, [](std::uint8_t b) { return b == 255; });
  const bool multicast = a.v4 ? (a.bytes[0] & 0xF0) == 0xE0 : a.bytes[0] == 0xFF;
  return !broadcast && !is_unspecified(a) && !is_loopback(a) && !multicast && !is_link_local_unicast(a);
}

}  // namespace gpusched::cel
