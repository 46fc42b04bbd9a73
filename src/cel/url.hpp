#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cel/value.hpp"

namespace gpusched::cel {

/// Go's net/url URL, in so far as expressions can see it. All texts are owned by whoever made them.
struct Url {
  std::string_view scheme, host, path, raw_path, raw_query, opaque;
  std::string_view user;      ///< escaped, with password
  std::string_view fragment;  ///< escaped
  bool has_user = false, force_query = false, omit_host = false;
};

/// The same with texts of its own.
struct UrlParts {
  std::string scheme, host, path, raw_path, raw_query, opaque, user, fragment;
  bool has_user = false, force_query = false, omit_host = false;

  [[nodiscard]] Url view() const {
    return {scheme, host, path, raw_path, raw_query, opaque, user, fragment, has_user, force_query, omit_host};
  }
};

/// url.ParseRequestURI: an absolute URI or an absolute path. The error is Go's.
[[nodiscard]] std::expected<UrlParts, std::string> parse_request_uri(std::string_view text);
/// url.Parse: also relative references and fragments.
[[nodiscard]] std::expected<UrlParts, std::string> parse_url(std::string_view text);

[[nodiscard]] std::string to_string(const Url& url);
[[nodiscard]] std::string escaped_path(const Url& url);
[[nodiscard]] std::string_view hostname(const Url& url);
[[nodiscard]] std::string_view port(const Url& url);
/// The parameters of the query in order; what cannot be read is left out.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<std::string>>> query_of(const Url& url);

}  // namespace gpusched::cel
