#include "cel/named_format.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "cel/time.hpp"
#include "cel/url.hpp"
#include "gpusched/base/ascii.hpp"

namespace gpusched::cel {
namespace {

using Messages = std::vector<std::string>;

// Patterns as Kubernetes' messages show them (k8s.io/apimachinery/pkg/util/validation).
constexpr std::string_view kLabelPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kSubdomainPattern = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
constexpr std::string_view kLabel1035Pattern = "[a-z]([-a-z0-9]*[a-z0-9])?";
constexpr std::string_view kKeyPattern = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
constexpr std::string_view kValuePattern = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_lower_or_digit(char c) {
  return is_lower(c) || is_digit(c);
}
bool is_alphanumeric(char c) {
  return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z');
}

std::string too_long(std::size_t length) {
  return fmt::format("must be no more than {} bytes", length);
}

std::string wrong(std::string_view what, std::string_view examples, std::string_view pattern) {
  return fmt::format("{} (e.g. {}, regex used for validation is '{}')", what, examples, pattern);
}

bool is_label(std::string_view text) {
  return !text.empty() && is_lower_or_digit(text.front()) && is_lower_or_digit(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_subdomain(std::string_view text) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

bool is_key_name(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

Messages check_label(std::string_view text) {
  Messages messages;
  if (text.size() > 63) messages.push_back(too_long(63));
  if (is_label(text)) return messages;
  if (is_subdomain(text)) {
    messages.emplace_back("must not contain dots");
  } else {
    messages.push_back(
        wrong("a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
              "must start and end with an alphanumeric character",
              "'my-name',  or '123-abc'", kLabelPattern));
  }
  return messages;
}

Messages check_subdomain(std::string_view text) {
  Messages messages;
  if (text.size() > 253) messages.push_back(too_long(253));
  if (!is_subdomain(text)) {
    messages.push_back(
        wrong("a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
              "'.', and must start and end with an alphanumeric character",
              "'example.com'", kSubdomainPattern));
  }
  return messages;
}

Messages check_label_1035(std::string_view text) {
  Messages messages;
  if (text.size() > 63) messages.push_back(too_long(63));
  if (!is_label(text) || !is_lower(text.front())) {
    messages.push_back(
        wrong("a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
              "alphabetic character, and end with an alphanumeric character",
              "'my-name',  or 'abc-123'", kLabel1035Pattern));
  }
  return messages;
}

/// A name that more can be appended to: a dash at its end counts as a letter.
std::string masked_dash(std::string_view text) {
  if (text.size() <= 1 || !text.ends_with('-')) return std::string(text);
  return std::string(text.substr(0, text.size() - 2)) + "a";
}

Messages check_label_prefix(std::string_view text) {
  return check_label(masked_dash(text));
}
Messages check_subdomain_prefix(std::string_view text) {
  return check_subdomain(masked_dash(text));
}
Messages check_label_1035_prefix(std::string_view text) {
  return check_label_1035(masked_dash(text));
}

Messages check_qualified_name(std::string_view text) {
  constexpr std::string_view kRule =
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  constexpr std::string_view kExamples = "'MyName',  or 'my.name',  or '123-abc'";
  Messages messages;
  const std::size_t slash = text.find('/');
  if (slash != text.rfind('/')) {
    return {"a valid label key " + wrong(kRule, kExamples, kKeyPattern) +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  }
  std::string_view name = text;
  if (slash != std::string_view::npos) {
    const std::string_view prefix = text.substr(0, slash);
    name = text.substr(slash + 1);
    if (prefix.empty()) messages.emplace_back("prefix part must be non-empty");
    if (!prefix.empty()) {
      for (const std::string& message : check_subdomain(prefix)) messages.push_back("prefix part " + message);
    }
  }
  if (name.empty()) messages.emplace_back("name part must be non-empty");
  if (name.size() > 63) messages.push_back("name part " + too_long(63));
  if (!is_key_name(name)) messages.push_back("name part " + wrong(kRule, kExamples, kKeyPattern));
  return messages;
}

Messages check_label_value(std::string_view text) {
  Messages messages;
  if (text.size() > 63) messages.push_back(too_long(63));
  if (!text.empty() && !is_key_name(text)) {
    messages.push_back(
        wrong("a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
              "'.', and must start and end with an alphanumeric character",
              "'MyValue',  or 'my_value',  or '12345'", kValuePattern));
  }
  return messages;
}

Messages check_uri(std::string_view text) {
  const auto parts = parse_request_uri(text);
  return parts ? Messages{} : Messages{parts.error()};
}

/// 8-4-4-4-12 hexadecimal digits, each dash may be missing.
Messages check_uuid(std::string_view text) {
  constexpr std::size_t kGroups[] = {8, 4, 4, 4, 12};
  std::size_t at = 0;
  for (std::size_t g = 0; g < std::size(kGroups); ++g) {
    if (g > 0 && at < text.size() && text[at] == '-') ++at;
    for (std::size_t i = 0; i < kGroups[g]; ++i, ++at) {
      const bool hex = at < text.size() && (is_digit(text[at]) || (text[at] >= 'a' && text[at] <= 'f') ||
                                            (text[at] >= 'A' && text[at] <= 'F'));
      if (!hex) return {"does not match the UUID format"};
    }
  }
  return at == text.size() ? Messages{} : Messages{"does not match the UUID format"};
}

Messages check_base64(std::string_view text) {
  std::string_view data = text;
  for (int i = 0; i < 2 && data.ends_with('='); ++i) data.remove_suffix(1);
  const bool good = !text.empty() && text.size() % 4 == 0 &&
                    std::ranges::all_of(data, [](char c) { return is_alphanumeric(c) || c == '+' || c == '/'; });
  return good ? Messages{} : Messages{"invalid base64"};
}

/// YYYY-MM-DD of a day that exists.
bool is_date(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto number = [text](std::size_t begin, std::size_t length) {
    int value = 0;
    for (std::size_t i = begin; i < begin + length; ++i)
      value = is_digit(text[i]) && value >= 0 ? value * 10 + (text[i] - '0') : -1;
    return value;
  };
  return is_day(number(0, 4), number(5, 2), number(8, 2));
}

Messages check_date(std::string_view text) {
  return is_date(text) ? Messages{} : Messages{"invalid date"};
}

/// Behind the T: HH:MM:SS with a fraction and a zone, each pair of digits up to 23, 59, 59.
bool is_time(std::string_view text) {
  const auto pair = [text](std::size_t at) {
    return at + 1 < text.size() && is_digit(text[at]) && is_digit(text[at + 1]);
  };
  const auto colon = [text](std::size_t at) { return at < text.size() && text[at] == ':'; };
  if (!pair(0) || !colon(2) || !pair(3) || !colon(5) || !pair(6)) return false;
  if (text.substr(0, 2) > "23" || text.substr(3, 2) > "59" || text.substr(6, 2) > "59") return false;
  std::string_view rest = text.substr(8);
  const auto is_zone = [](std::string_view zone) {
    if (zone == "z") return true;
    return zone.size() == 6 && (zone[0] == '+' || zone[0] == '-') && is_digit(zone[1]) && is_digit(zone[2]) &&
           zone[3] == ':' && is_digit(zone[4]) && is_digit(zone[5]);
  };
  if (is_zone(rest)) return true;
  // The separator of the fraction may be any character but a newline.
  if (rest.size() < 2 || rest[0] == '\n') return false;
  std::size_t length = static_cast<unsigned char>(rest[0]) < 0x80 ? 1 : 0;
  while (length == 0 || (length < rest.size() && (static_cast<unsigned char>(rest[length]) & 0xC0) == 0x80)) ++length;
  rest.remove_prefix(std::min(length, rest.size()));
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  return digits > 0 && is_zone(rest.substr(digits));
}

Messages check_datetime(std::string_view text) {
  const std::string lower = ascii_lower(text);
  const std::size_t mark = lower.find('t');
  if (mark != std::string::npos && is_date(std::string_view(lower).substr(0, mark))) {
    const std::string_view rest = std::string_view(lower).substr(mark + 1);
    if (is_time(rest.substr(0, rest.find('t')))) return {};
  }
  return {"invalid datetime"};
}

constexpr NamedFormat kFormats[] = {
    {"dns1123Label", "DNS1123Label", check_label, 30},
    {"dns1123Subdomain", "DNS1123Subdomain", check_subdomain, 60},
    {"dns1035Label", "DNS1035Label", check_label_1035, 30},
    {"qualifiedName", "QualifiedName", check_qualified_name, 60},
    {"dns1123LabelPrefix", "DNS1123LabelPrefix", check_label_prefix, 30},
    {"dns1123SubdomainPrefix", "DNS1123SubdomainPrefix", check_subdomain_prefix, 60},
    {"dns1035LabelPrefix", "DNS1035LabelPrefix", check_label_1035_prefix, 30},
    {"labelValue", "LabelValue", check_label_value, 40},
    {"uri", "URI", check_uri, 1103},
    {"uuid", "uuid", check_uuid, 70},
    {"byte", "byte", check_base64, 84},
    {"date", "date", check_date, 71},
    {"datetime", "datetime", check_datetime, 71},
};

}  // namespace

std::span<const NamedFormat> named_formats() {
  return kFormats;
}

const NamedFormat* find_named_format(std::string_view function) {
  const auto found = std::ranges::find(kFormats, function, &NamedFormat::function);
  return found == std::end(kFormats) ? nullptr : &*found;
}

}  // namespace gpusched::cel
