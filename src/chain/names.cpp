#include "gpusched/chain/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpusched/base/ascii.hpp"
#include "gpusched/base/quantity.hpp"

namespace gpusched::chain {

namespace {

constexpr std::size_t kMaxLabelName = 63;
constexpr std::size_t kMaxGeneralKey = 54;  // ".capacity" must fit behind it

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_separator(char c) {
  return c == '-' || c == '_' || c == '.';
}
bool is_letter_or_digit(char c) {
  return is_digit(c) || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) text.erase(at, part.size());
}

/// Drops "Genuine " and "11th Gen ", as often as they lead.
std::string_view drop_leading_words(std::string_view text) {
  constexpr std::string_view kGenuine = "Genuine ";
  constexpr std::array<std::string_view, 4> kOrdinals = {"st Gen ", "nd Gen ", "rd Gen ", "th Gen "};
  for (;;) {
    if (text.starts_with(kGenuine)) {
      text.remove_prefix(kGenuine.size());
      continue;
    }
    const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
    const std::string_view rest = text.substr(digits);
    const auto ordinal = std::ranges::find_if(kOrdinals, [&](std::string_view word) { return rest.starts_with(word); });
    if (digits == 0 || ordinal == kOrdinals.end()) return text;
    text = rest.substr(ordinal->size());
  }
}

void drop_suffix(std::string_view& text, std::string_view suffix) {
  if (text.ends_with(suffix)) text.remove_suffix(suffix.size());
}

/// Drops " 64-Core" or " 64-Cores" at the end, in any case.
std::string_view drop_core_count(std::string_view text) {
  const std::size_t blank = text.rfind(' ');
  if (blank == std::string_view::npos) return text;
  const std::string word = ascii_lower(text.substr(blank + 1));
  const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(word, is_digit) - word.begin());
  const std::string_view rest = std::string_view(word).substr(digits);
  return digits != 0 && (rest == "-core" || rest == "-cores") ? text.substr(0, blank) : text;
}

std::string strip_cpu_cruft(std::string_view name) {
  std::string kept(name.substr(0, name.find(" @ ")));
  for (const std::string_view mark : {"(R)", "(r)", "(TM)", "(tm)"}) erase_all(kept, mark);
  std::string_view text = trim(drop_leading_words(kept));
  drop_suffix(text, " CPU");
  drop_suffix(text, " Processor");
  return std::string(drop_core_count(text));
}

/// FNV-1a 64 of the text, as 16 lower-case hexadecimal digits.
std::string fnv64(std::string_view text) {
  constexpr std::uint64_t kOffset = 0xcbf29ce484222325U;
  constexpr std::uint64_t kPrime = 0x100000001b3U;
  std::uint64_t hash = kOffset;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return fmt::format("{:016x}", hash);
}

std::string_view label(const objects::Labels& labels, std::string_view key) {
  const std::string* const value = objects::find(labels, key);
  return value == nullptr ? std::string_view() : std::string_view(*value);
}

}  // namespace

std::string normalize_name(std::string_view name, std::string_view prefix, std::size_t max_length, bool strip_cruft) {
  const std::string stripped = strip_cruft ? strip_cpu_cruft(name) : std::string(name);
  const std::string head = ascii_lower(prefix);
  std::string out;
  for (const char c : stripped) {
    if (max_length != 0 && out.size() >= max_length) break;
    const char next = c == ' ' ? '-' : ascii_lower(c);
    if (is_separator(next)) {
      if (out.empty() || is_separator(out.back())) continue;
    } else if (!is_letter_or_digit(next)) {
      continue;
    }
    out += next;
    if (out == head) out.clear();
  }
  if (!out.empty() && is_separator(out.back())) out.pop_back();
  return out;
}

std::string memory_suffix(std::int64_t memory_mib) {
  constexpr std::int64_t kMibPerGib = 1024;
  const std::int64_t mib = std::max<std::int64_t>(memory_mib, 0);
  const std::int64_t gib = mib / kMibPerGib + (mib % kMibPerGib >= kMibPerGib / 2 ? 1 : 0);
  return fmt::format("{}g", mib == 0 ? 0 : std::max<std::int64_t>(gib, 1));
}

std::string group_id(std::string_view manufacturer, std::string_view product, std::int64_t memory_mib,
                     bool with_memory) {
  constexpr std::size_t kSuffixRoom = 7;
  const std::size_t taken = manufacturer.size() + 1 + (with_memory ? kSuffixRoom : 0);
  const std::size_t room = taken < kMaxLabelName ? kMaxLabelName - taken : 1;
  std::string id = normalize_name(product, manufacturer, room, false);
  if (with_memory) id += (id.empty() ? "" : "-") + memory_suffix(memory_mib);
  return id;
}

std::string general_manufacturer(const objects::Labels& labels) {
  const std::string vendor = ascii_lower(label(labels, "feature.node.kubernetes.io/cpu-model.vendor_id"));
  return vendor.empty() || vendor == "vendorunknown" ? "generic" : vendor;
}

std::string general_key(const objects::Labels& labels, const objects::Labels& annotations) {
  std::string manufacturer = general_manufacturer(labels);
  manufacturer.resize(std::min(manufacturer.size(), kMaxGeneralKey));
  const std::string_view name = label(annotations, "feature.gpustack.ai/cpu-name");
  if (!name.empty() && !name.starts_with('@')) {
    if (manufacturer.size() + 2 > kMaxGeneralKey) return manufacturer;
    const std::string model = normalize_name(name, manufacturer, kMaxGeneralKey - manufacturer.size() - 1, true);
    return model.empty() ? manufacturer : manufacturer + "-" + model;
  }
  const std::string_view family = label(labels, "feature.node.kubernetes.io/cpu-model.family");
  const std::string_view id = label(labels, "feature.node.kubernetes.io/cpu-model.id");
  if (family.empty() || id.empty()) return manufacturer;
  return fmt::format("{}-{}-{}", manufacturer, family, id).substr(0, kMaxGeneralKey);
}

std::string memory_label(std::int64_t bytes) {
  constexpr std::array<std::string_view, 7> kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  constexpr unsigned kBits = 10;
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
  unsigned unit = 0;
  while (unit + 1 < kUnits.size() && (value >> (kBits * (unit + 1))) != 0) ++unit;
  const unsigned shift = kBits * unit;
  const bool up = shift != 0 && ((value >> (shift - 1)) & 1U) != 0;
  return fmt::format("{}{}", (value >> shift) + (up ? 1 : 0), kUnits[unit]);
}

std::int64_t memory_label_mib(std::string_view label) {
  constexpr std::int64_t kBytesPerMib = std::int64_t{1} << 20U;
  const auto quantity = try_parse_quantity(label);
  if (!quantity || quantity->sign() <= 0) return 0;
  return quantity->value() / kBytesPerMib;
}

std::string product_label(std::string_view product) {
  std::string out;
  for (const char c : product) {
    if (out.size() >= kMaxLabelName) break;
    const char next = c == ' ' ? '-' : c;
    if (is_separator(next)) {
      if (out.empty() || is_separator(out.back())) continue;
    } else if (!is_letter_or_digit(next)) {
      continue;
    }
    out += next;
  }
  if (!out.empty() && is_separator(out.back())) out.pop_back();
  return out;
}

std::string canonical(std::int64_t value) {
  return Quantity::from_int64(value).to_string();
}

std::string topology_profile(std::span<const std::string> levels) {
  std::string joined;
  for (const std::string& level : levels) {
    if (!joined.empty()) joined += '\0';
    joined += level;
  }
  return "fnv64-" + fnv64(joined);
}

std::string local_queue_name(std::string_view cluster_queue) {
  return "gpustack-fnv64-" + fnv64(cluster_queue);
}

}  // namespace gpusched::chain
