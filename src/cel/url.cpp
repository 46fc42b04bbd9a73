#include "cel/url.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "cel/net.hpp"
#include "cel/numbers.hpp"
#include "cel/source.hpp"
#include "cel/url_escape.hpp"
#include "gpusched/base/ascii.hpp"

namespace gpusched::cel {
namespace {

using Error = std::unexpected<std::string>;

std::string_view cut(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  const std::string_view before = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return before;
}

bool valid_optional_port(std::string_view text) {
  if (text.empty()) return true;
  return text[0] == ':' && text.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

bool valid_user(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-._:~!$&'()*+,;=%@").find(c) != std::string_view::npos;
  });
}

/// Reads one URL reference; the first error ends it.
class UrlReader {
 public:
  UrlReader(std::string_view text, bool request) : text_(text), request_(request) {}

  std::expected<UrlParts, std::string> run() {
    read();
    if (error_) return Error(*error_);
    return std::move(parts_);
  }

 private:
  void fail(std::string error) { error_ = std::move(error); }

  void read() {
    if (std::ranges::any_of(text_, [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; })) {
      return fail("net/url: invalid control character in URL");
    }
    if (text_.empty() && request_) return fail("empty url");
    if (text_ == "*") {
      parts_.path = "*";
      return;
    }
    std::string_view rest = scheme();
    if (error_) return;
    if (rest.ends_with('?') && std::ranges::count(rest, '?') == 1) {
      parts_.force_query = true;
      rest.remove_suffix(1);
    } else {
      std::string_view query = rest;
      rest = cut(query, '?');
      parts_.raw_query = query;
    }
    if (!rest.starts_with('/') && opaque_or_relative(rest)) return;
    const bool authority_allowed = !parts_.scheme.empty() || (!request_ && !rest.starts_with("///"));
    if (authority_allowed && rest.starts_with("//")) {
      std::string_view authority = rest.substr(2);
      const std::size_t slash = authority.find('/');
      rest = slash == std::string_view::npos ? std::string_view() : authority.substr(slash);
      read_authority(authority.substr(0, slash));
      if (error_) return;
    } else if (!parts_.scheme.empty() && rest.starts_with('/')) {
      parts_.omit_host = true;
    }
    read_path(rest);
  }

  /// What stands behind the scheme.
  std::string_view scheme() {
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) continue;
      if ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.') {
        if (i == 0) return text_;
        continue;
      }
      if (c != ':') return text_;
      if (i == 0) {
        fail("missing protocol scheme");
        return {};
      }
      parts_.scheme = text_.substr(0, i);
      for (char& s : parts_.scheme) s = ascii_lower(s);
      return text_.substr(i + 1);
    }
    return text_;
  }

  /// A text that does not start with a slash; true when it needs no more reading.
  bool opaque_or_relative(std::string_view rest) {
    if (!parts_.scheme.empty()) {
      parts_.opaque = rest;
      return true;
    }
    if (request_) {
      fail("invalid URI for request");
    } else if (rest.substr(0, rest.find('/')).find(':') != std::string_view::npos) {
      fail("first path segment in URL cannot contain colon");
    }
    return error_.has_value();
  }

  std::string unescape(std::string_view text, UrlPart part) {
    auto result = url_unescape(text, part);
    if (!result && !error_) fail(result.error());
    return result ? *result : std::string();
  }

  void read_authority(std::string_view authority) {
    const std::size_t at = authority.rfind('@');
    read_host(at == std::string_view::npos ? authority : authority.substr(at + 1));
    if (error_ || at == std::string_view::npos) return;
    const std::string_view user = authority.substr(0, at);
    if (!valid_user(user)) return fail("net/url: invalid userinfo");
    const std::size_t colon = user.find(':');
    parts_.has_user = true;
    parts_.user = url_escape(unescape(user.substr(0, colon), UrlPart::kUser), UrlPart::kUser);
    if (error_ || colon == std::string_view::npos) return;
    parts_.user += ":" + url_escape(unescape(user.substr(colon + 1), UrlPart::kUser), UrlPart::kUser);
  }

  void read_host(std::string_view host) {
    const std::size_t open = host.rfind('[');
    if (open != std::string_view::npos && open > 0) return fail("invalid IP-literal");
    if (open == 0) return read_ip_literal(host);
    if (std::size_t colon = host.find(':'); colon != std::string_view::npos) {
      const std::size_t last = host.rfind(':');
      if (last != colon && parts_.scheme != "http" && parts_.scheme != "https") colon = last;
      const std::string_view port = host.substr(colon);
      if (!valid_optional_port(port)) return fail(fmt::format("invalid port {} after host", go_quote(port)));
    }
    parts_.host = unescape(host, UrlPart::kHost);
  }

  void read_ip_literal(std::string_view host) {
    const std::size_t close = host.rfind(']');
    if (close == std::string_view::npos) return fail("missing ']' in host");
    const std::string_view port = host.substr(close + 1);
    if (!valid_optional_port(port)) return fail(fmt::format("invalid port {} after host", go_quote(port)));
    const std::string_view name = host.substr(1, close - 1);
    const std::size_t zone_mark = name.find("%25");
    std::string address = unescape(name.substr(0, zone_mark), UrlPart::kHost);
    if (zone_mark != std::string_view::npos && !error_) address += unescape(name.substr(zone_mark), UrlPart::kZone);
    if (error_) return;
    std::string_view zone;
    const auto parsed = parse_address(address, zone);
    if (!parsed) return fail("invalid host: " + parsed.error());
    if (parsed->v4) return fail("invalid IP-literal");
    parts_.host = "[" + address + "]" + std::string(port);
  }

  void read_path(std::string_view path) {
    parts_.path = unescape(path, UrlPart::kPath);
    if (!error_ && url_escape(parts_.path, UrlPart::kPath) != path) parts_.raw_path = path;
  }

  std::string_view text_;
  bool request_;
  UrlParts parts_;
  std::optional<std::string> error_;
};

std::string parse_error(std::string_view text, std::string_view error) {
  return fmt::format("parse {}: {}", go_quote(text), error);
}

}  // namespace

std::expected<UrlParts, std::string> parse_request_uri(std::string_view text) {
  auto parts = UrlReader(text, true).run();
  if (!parts) return Error(parse_error(text, parts.error()));
  return parts;
}

std::expected<UrlParts, std::string> parse_url(std::string_view text) {
  std::string_view fragment = text;
  const std::string_view main = cut(fragment, '#');
  auto parts = UrlReader(main, false).run();
  if (!parts) return Error(parse_error(main, parts.error()));
  if (fragment.empty()) return parts;
  const auto plain = url_unescape(fragment, UrlPart::kFragment);
  if (!plain) return Error(parse_error(text, plain.error()));
  parts->fragment = valid_encoded(fragment, UrlPart::kFragment) ? fragment : url_escape(*plain, UrlPart::kFragment);
  return parts;
}

std::string escaped_path(const Url& url) {
  if (!url.raw_path.empty() && valid_encoded(url.raw_path, UrlPart::kPath)) {
    const auto plain = url_unescape(url.raw_path, UrlPart::kPath);
    if (plain && *plain == url.path) return std::string(url.raw_path);
  }
  return url.path == "*" ? "*" : url_escape(url.path, UrlPart::kPath);
}

std::string to_string(const Url& url) {
  std::string text;
  if (!url.scheme.empty()) text = std::string(url.scheme) + ":";
  if (!url.opaque.empty()) {
    text += url.opaque;
  } else {
    const bool any = !url.scheme.empty() || !url.host.empty() || url.has_user;
    if (any && !(url.omit_host && url.host.empty() && !url.has_user)) {
      if (!url.host.empty() || !url.path.empty() || url.has_user) text += "//";
      if (url.has_user) text += std::string(url.user) + "@";
      text += url_escape(url.host, UrlPart::kHost);
    }
    const std::string path = escaped_path(url);
    if (!path.empty() && path[0] != '/' && !url.host.empty()) text += '/';
    if (text.empty() && path.substr(0, path.find('/')).find(':') != std::string::npos) text += "./";
    text += path;
  }
  if (url.force_query || !url.raw_query.empty()) text += "?" + std::string(url.raw_query);
  if (!url.fragment.empty()) text += "#" + std::string(url.fragment);
  return text;
}

std::string_view hostname(const Url& url) {
  std::string_view host = url.host;
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && valid_optional_port(host.substr(colon))) host = host.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return host;
}

std::string_view port(const Url& url) {
  const std::size_t colon = url.host.rfind(':');
  if (colon == std::string_view::npos || !valid_optional_port(url.host.substr(colon))) return {};
  return url.host.substr(colon + 1);
}

std::vector<std::pair<std::string, std::vector<std::string>>> query_of(const Url& url) {
  constexpr std::ptrdiff_t kMaxParameters = 10000;
  std::vector<std::pair<std::string, std::vector<std::string>>> parameters;
  std::string_view query = url.raw_query;
  if (std::ranges::count(query, '&') + 1 > kMaxParameters) return parameters;
  while (!query.empty()) {
    std::string_view raw = cut(query, '&');
    if (raw.empty() || raw.find(';') != std::string_view::npos) continue;
    const auto key = url_unescape(cut(raw, '='), UrlPart::kQuery);
    const auto value = url_unescape(raw, UrlPart::kQuery);
    if (!key || !value) continue;
    auto found = std::ranges::find(parameters, *key, &std::pair<std::string, std::vector<std::string>>::first);
    if (found == parameters.end()) found = parameters.insert(found, {*key, {}});
    found->second.push_back(*value);
  }
  return parameters;
}

}  // namespace gpusched::cel
