#include "gpusched/chain/manufacturer.hpp"

#include <algorithm>
#include <array>

namespace gpusched::chain {

namespace {

// Resource names, PCI vendors and slice counts: GPUStack operator v0.9.0-rc2. amd's slices come from its detector, the
// sources disagree about T-Head's and say nothing about Iluvatar's.
constexpr std::array kManufacturers = {
    Manufacturer{"amd", "amd.com/gpu", "1002", "", 128, true},
    Manufacturer{"ascend", "huawei.com/npu", "19e5", "", 63, true},
    Manufacturer{"cambricon", "cambricon.com/mlu", "cabc", "", 16, false},
    Manufacturer{"hygon", "hygon.com/dcu", "1d94", "mig", 4, false},
    Manufacturer{"iluvatar", "iluvatar.com/gpu", "1e3e", "", 0, false},
    Manufacturer{"metax", "metax-tech.com/gpu", "9999", "", 16, false},
    Manufacturer{"mthreads", "mthreads.com/gpu", "1ed5", "", 16, false},
    Manufacturer{"nvidia", "nvidia.com/gpu", "10de", "mig", 128, true},
    Manufacturer{"thead", "alibabacloud.com/ppu", "1ded", "mig", 0, false},
};

constexpr std::size_t kMaxName = 63;
constexpr std::size_t kMaxPrefix = 253;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alphanumeric(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string_view digits_at(std::string_view text) {
  return text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin()));
}

/// "4g48gb" (dot false) or "4g.48gb" (dot true): digits, "g", digits, "gb" and nothing else. The length of the first
/// part with its "g", 0 for anything else.
std::size_t geometry_split(std::string_view name, bool dot) {
  const std::size_t first = digits_at(name).size();
  if (first == 0 || first >= name.size() || name[first] != 'g') return 0;
  std::string_view rest = name.substr(first + 1);
  if (dot) {
    if (!rest.starts_with('.')) return 0;
    rest.remove_prefix(1);
  }
  const std::size_t second = digits_at(rest).size();
  return second != 0 && rest.substr(second) == "gb" ? first + 1 : 0;
}

bool is_dns_label(std::string_view label) {
  const auto fits = [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-'; };
  return !label.empty() && label.size() <= kMaxName && label.front() != '-' && label.back() != '-' &&
         std::ranges::all_of(label, fits);
}

bool is_dns_prefix(std::string_view prefix) {
  if (prefix.empty() || prefix.size() > kMaxPrefix) return false;
  for (;;) {
    const std::size_t dot = prefix.find('.');
    if (!is_dns_label(prefix.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    prefix.remove_prefix(dot + 1);
  }
}

bool is_name_part(std::string_view name) {
  const auto fits = [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  return !name.empty() && name.size() <= kMaxName && is_alphanumeric(name.front()) && is_alphanumeric(name.back()) &&
         std::ranges::all_of(name, fits);
}

}  // namespace

std::span<const Manufacturer> manufacturers() {
  return kManufacturers;
}

const Manufacturer* find_manufacturer(std::string_view name) {
  const auto found = std::ranges::find(kManufacturers, name, &Manufacturer::name);
  return found == kManufacturers.end() ? nullptr : &*found;
}

const Manufacturer* manufacturer_of_key(std::string_view accelerator_key) {
  const std::size_t dash = accelerator_key.find('-');
  return dash == std::string_view::npos ? nullptr : find_manufacturer(accelerator_key.substr(0, dash));
}

std::string_view name_of(Family family) {
  constexpr std::array<std::string_view, 4> kNames = {"exclusive", "shared", "sliced", "partitioned"};
  return kNames[static_cast<std::size_t>(family)];
}

std::optional<AcceleratorResource> classify(std::string_view resource) {
  for (const Manufacturer& manufacturer : kManufacturers) {
    if (!resource.starts_with(manufacturer.resource)) continue;
    std::string_view rest = resource.substr(manufacturer.resource.size());
    if (rest.empty()) return AcceleratorResource{&manufacturer, Family::kExclusive, {}};
    if (rest == ".shared") return AcceleratorResource{&manufacturer, Family::kShared, {}};
    for (const Family family : {Family::kSliced, Family::kPartitioned}) {
      const std::string_view word = name_of(family);
      if (!rest.starts_with('.') || !rest.substr(1).starts_with(word)) continue;
      rest.remove_prefix(1 + word.size());
      if (rest.empty()) return AcceleratorResource{&manufacturer, family, {}};
      if (!rest.starts_with('.')) return std::nullopt;
      rest.remove_prefix(1);
      const std::string_view kind = manufacturer.partition_kind;
      const bool profile = family == Family::kPartitioned && !kind.empty() && rest.size() > kind.size() + 1 &&
                           rest.starts_with(kind) && rest[kind.size()] == '-';
      return AcceleratorResource{&manufacturer, family, profile ? rest.substr(kind.size() + 1) : rest, profile};
    }
    return std::nullopt;
  }
  return std::nullopt;
}

std::string published_profile(std::string_view manufacturer, std::string_view name) {
  const std::size_t split = manufacturer == "thead" ? geometry_split(name, false) : 0;
  return split == 0 ? std::string(name) : std::string(name.substr(0, split)).append(".").append(name.substr(split));
}

std::string vendor_profile(std::string_view manufacturer, std::string_view name) {
  const std::size_t split = manufacturer == "thead" ? geometry_split(name, true) : 0;
  return split == 0 ? std::string(name) : std::string(name.substr(0, split)).append(name.substr(split + 1));
}

std::string profile_key(const Manufacturer& manufacturer, std::string_view published) {
  return std::string(manufacturer.resource)
      .append(".partitioned.")
      .append(manufacturer.partition_kind)
      .append("-")
      .append(published);
}

bool can_be_offered(const Manufacturer& manufacturer, std::string_view published) {
  return !manufacturer.partition_kind.empty() && !published.empty() &&
         is_qualified_name(profile_key(manufacturer, published));
}

bool is_qualified_name(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return is_name_part(key);
  return is_dns_prefix(key.substr(0, slash)) && is_name_part(key.substr(slash + 1));
}

bool is_label_value(std::string_view text) {
  return text.empty() || is_name_part(text);
}

}  // namespace gpusched::chain
