#include "dra/near_misses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "dra/cel_device.hpp"
#include "dra/device_values.hpp"
#include "gpusched/base/ascii.hpp"
#include "gpusched/base/quantity.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::dra {

namespace {

constexpr std::size_t kMaxSamples = 4096;
constexpr std::size_t kMaxCandidates = 8;
constexpr std::size_t kMaxListed = 4;
constexpr std::size_t kMaxPartBytes = 160;

std::string part_text(const SelectorPart& part) {
  return shorten(part.text, kMaxPartBytes);
}

bool contains_ignoring_case(const std::string& text, const std::string& part) {
  const auto same = [](char a, char b) { return ascii_lower(a) == ascii_lower(b); };
  return !part.empty() && !std::ranges::search(text, part, same).empty();
}

/// How far a value is from a word: by amount where both are amounts, else by letters; a part of it is near.
double distance(const std::string& word, const std::string& value) {
  const auto a = try_parse_quantity(word), b = try_parse_quantity(value);
  if (a && b) return std::abs(a->as_approximate_double() - b->as_approximate_double());
  const auto edits = static_cast<double>(edit_distance(word, value));
  constexpr double kNearness = 1e-3;
  return contains_ignoring_case(value, word) || contains_ignoring_case(word, value) ? edits * kNearness : edits;
}

/// The different texts, the nearest to `word` first, without the word itself.
std::vector<std::string> nearest(const std::string& word, std::set<std::string> texts) {
  texts.erase(word);
  std::vector<std::pair<double, std::string>> ranked;
  for (const std::string& text : texts) ranked.emplace_back(distance(word, text), text);
  std::ranges::sort(ranked);
  std::vector<std::string> result;
  for (auto& [rank, text] : ranked) {
    if (result.size() < kMaxCandidates) result.push_back(std::move(text));
  }
  return result;
}

std::string list_of(const std::set<std::string>& words) {
  std::string text;
  std::size_t shown = 0;
  for (const std::string& word : words) {
    if (shown++ == kMaxListed) return fmt::format("{} and {} more", text, words.size() - kMaxListed);
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

/// The words that are near enough for a misspelling.
std::string near_word(const std::string& word, const std::set<std::string>& allowed) {
  const std::vector<std::string_view> words(allowed.begin(), allowed.end());
  return suggest(word, words);
}

std::pair<std::string, std::string> split_name(const std::string& full) {
  const std::size_t slash = full.find('/');
  if (slash == std::string::npos) return {"", full};
  return {full.substr(0, slash), full.substr(slash + 1)};
}

/// Text of a value as it would stand in an expression, between quotes or as a number.
std::optional<std::string> plain_text(const objects::AttributeValue& value, cel::Word::Kind kind) {
  if (kind == cel::Word::Kind::kNumber) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
    return std::nullopt;
  }
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* version = std::get_if<objects::Version>(&value)) return version->text;
  return std::nullopt;
}

}  // namespace

NearMisses::NearMisses(std::span<const objects::ResourceSlice> slices) {
  std::size_t count = 0;
  for (const objects::ResourceSlice& slice : slices) count += slice.spec.devices.size();
  const std::size_t step = count / kMaxSamples + 1;
  all_ = step == 1;
  std::size_t number = 0;
  for (const objects::ResourceSlice& slice : slices) {
    for (const objects::Device& device : slice.spec.devices) {
      if (number++ % step != 0) continue;
      samples_.push_back({slice.spec.driver, &device, cel_device(slice.spec.driver, device)});
    }
  }
}

std::string NearMisses::counted(std::size_t devices) const {
  return fmt::format("{}{} device{}", all_ ? "" : "at least ", devices, devices == 1 ? "" : "s");
}

NearMisses::Chosen NearMisses::matching(const cel::Program& program, const Chosen& devices) {
  Chosen chosen;
  for (const std::uint32_t d : devices) {
    const cel::Outcome outcome = cel::evaluate(program, samples_[d].asked, scratch_);
    if (outcome.ok() && outcome.match) chosen.push_back(d);
  }
  return chosen;
}

std::optional<SelectorMiss> NearMisses::of_selectors(std::span<const std::string> selectors) {
  Chosen devices(samples_.size());
  std::iota(devices.begin(), devices.end(), 0U);
  for (std::size_t s = 0; s < selectors.size(); ++s) {
    const std::vector<SelectorPart> parts = parts_of(selectors[s]);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (!parts[p].program) return std::nullopt;
      Chosen left = matching(*parts[p].program, devices);
      if (!left.empty()) {
        devices = std::move(left);
        continue;
      }
      if (devices.empty()) return std::nullopt;
      SelectorMiss miss{s, {}, {}};
      const std::optional<Change> change = nearest_change(parts[p], devices);
      std::string why = missing_names(parts[p], devices);
      if (why.empty()) {
        const std::string values = published_values(parts[p], devices);
        why = fmt::format("no device matches {}{}{}", part_text(parts[p]), values.empty() ? "" : ": ", values);
      }
      miss.text = std::move(why);
      if (change) {
        miss.text += "; " + change->text;
        for (std::size_t i = 0; i < parts.size(); ++i) {
          miss.replacement += (i == 0 ? "" : " && ") + (i == p ? change->part : parts[i].text);
        }
      }
      return miss;
    }
  }
  return std::nullopt;
}

std::string NearMisses::missing_names(const SelectorPart& part, const Chosen& devices) const {
  const cel::Observed& look = cel::observed(*part.program);
  for (const bool capacity : {false, true}) {
    for (const cel::ObservedName& name : capacity ? look.capacities : look.attributes) {
      if (std::string text = missing_name(name, capacity, devices); !text.empty()) return text;
    }
  }
  return "";
}

std::string NearMisses::missing_name(const cel::ObservedName& name, bool capacity, const Chosen& devices) const {
  const std::string full = name.domain + "/" + name.name;
  std::set<std::string> same_domain, domains, elsewhere;
  bool other_kind = false;
  for (const std::uint32_t d : devices) {
    const Sample& sample = samples_[d];
    if (capacity ? capacity_of(*sample.device, sample.driver, full) != nullptr
                 : attribute_of(*sample.device, sample.driver, full) != nullptr) {
      return "";
    }
    other_kind |= capacity ? attribute_of(*sample.device, sample.driver, full) != nullptr
                           : capacity_of(*sample.device, sample.driver, full) != nullptr;
    const auto look = [&](const std::string& published) {
      const auto [domain, bare] = split_name(full_name(sample.driver, published));
      domains.insert(domain);
      if (domain == name.domain) same_domain.insert(bare);
      if (bare == name.name) elsewhere.insert(domain);
    };
    for (const auto& [published, value] : sample.device->attributes) {
      if (!capacity) look(published);
    }
    for (const auto& [published, value] : sample.device->capacity) {
      if (capacity) look(published);
    }
  }
  const std::string_view kind = capacity ? "capacity" : "attribute";
  const std::string nobody = fmt::format("no device has {} {} {}", capacity ? "a" : "an", kind, full);
  if (other_kind) {
    return fmt::format("{}: {} is {}", nobody, name.name,
                       capacity ? "an attribute, device.attributes[...]" : "a capacity, device.capacity[...]");
  }
  if (!elsewhere.empty()) return fmt::format("{}: {} is published under {}", nobody, name.name, list_of(elsewhere));
  if (const std::string near = near_word(name.name, same_domain); !near.empty()) {
    return fmt::format("{}: did you mean {}?", nobody, near);
  }
  if (!same_domain.empty()) return fmt::format("{}: {} has {}", nobody, name.domain, list_of(same_domain));
  return fmt::format("{}: the domains that have one are {}", nobody, domains.empty() ? "none" : list_of(domains));
}

std::string NearMisses::published_values(const SelectorPart& part, const Chosen& devices) const {
  std::map<std::string, std::size_t> counts;
  for (const std::uint32_t d : devices) {
    const Sample& sample = samples_[d];
    std::string values = observed_values(*part.program, sample.driver, *sample.device);
    if (!values.empty()) ++counts[std::move(values)];
  }
  std::vector<std::pair<std::string, std::size_t>> ranked(counts.begin(), counts.end());
  std::ranges::stable_sort(ranked, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (std::size_t i = 0; i < ranked.size() && i < kMaxListed; ++i) {
    text += fmt::format("{}{} ({})", i == 0 ? "" : "; ", ranked[i].first, ranked[i].second);
  }
  if (ranked.size() > kMaxListed) text += fmt::format("; {} more", ranked.size() - kMaxListed);
  return text;
}

std::vector<std::string> NearMisses::candidates(const cel::Word& word, const SelectorPart& part,
                                                const Chosen& devices) const {
  using Kind = cel::Word::Kind;
  const cel::Observed& look = cel::observed(*part.program);
  std::set<std::string> texts;
  if (word.kind == Kind::kField && (word.value == "attributes" || word.value == "capacity")) {
    return {word.value == "attributes" ? "capacity" : "attributes"};
  }
  for (const std::uint32_t d : devices) {
    const Sample& sample = samples_[d];
    if (word.kind == Kind::kIndex || word.kind == Kind::kField) {
      // A name takes the place of a name, a domain that of a domain.
      const auto add = [&](const std::string& published) {
        const auto [domain, bare] = split_name(full_name(sample.driver, published));
        for (const auto* names : {&look.attributes, &look.capacities}) {
          for (const cel::ObservedName& name : *names) {
            if (name.domain == word.value && bare == name.name) texts.insert(domain);
            if (name.name == word.value && domain == name.domain &&
                !suggest(word.value, std::vector<std::string_view>{bare}).empty()) {
              texts.insert(bare);
            }
          }
        }
      };
      for (const auto& [published, value] : sample.device->attributes) add(published);
      for (const auto& [published, value] : sample.device->capacity) add(published);
      continue;
    }
    for (const cel::ObservedName& name : look.attributes) {
      const auto* const value = attribute_of(*sample.device, sample.driver, name.domain + "/" + name.name);
      if (value == nullptr) continue;
      if (auto text = plain_text(*value, word.kind)) texts.insert(std::move(*text));
    }
    if (word.kind != Kind::kText) continue;
    if (look.driver) texts.emplace(sample.driver);
    for (const cel::ObservedName& name : look.capacities) {
      const auto* const value = capacity_of(*sample.device, sample.driver, name.domain + "/" + name.name);
      if (value != nullptr) texts.insert(value->value.to_string());
    }
  }
  return nearest(word.value, std::move(texts));
}

std::optional<NearMisses::Change> NearMisses::nearest_change(const SelectorPart& part, const Chosen& devices) {
  for (const cel::Word& word : cel::words(part.text)) {
    for (const std::string& value : candidates(word, part, devices)) {
      std::string changed = cel::with_word(part.text, word, value);
      const auto program = cel::compile(changed);
      if (!program) continue;
      const std::size_t count = matching(*program, devices).size();
      if (count == 0) continue;
      return Change{std::move(changed), fmt::format("with {} in place of {} {} match{}", value, word.value,
                                                    counted(count), count == 1 ? "es" : "")};
    }
  }
  return std::nullopt;
}

std::string NearMisses::of_attribute(const std::string& name) const {
  const auto [domain, bare] = split_name(name);
  Chosen devices(samples_.size());
  std::iota(devices.begin(), devices.end(), 0U);
  for (const Sample& sample : samples_) {
    if (attribute_of(*sample.device, sample.driver, name) != nullptr) return "";
  }
  return missing_name({domain, bare}, false, devices);
}

}  // namespace gpusched::dra
