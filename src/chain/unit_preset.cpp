#include "gpusched/chain/unit_preset.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gpusched/chain/names.hpp"

namespace gpusched::chain {

namespace {

enum class Tier : std::uint8_t { kFallback, kSmall, kMedium, kLarge, kXlarge };

constexpr std::array kTiers = {UnitResources{4, 16}, UnitResources{8, 32}, UnitResources{8, 64}, UnitResources{12, 128},
                               UnitResources{12, 192}};

/// A size word that changes the tier of a product; of several the first that is listed counts.
struct Size {
  std::string_view word;
  Tier tier = Tier::kFallback;
};

struct Preset {
  std::string_view manufacturer;
  std::string_view product;  ///< its words must lead the product's words
  Tier tier;
  std::array<Size, 2> sizes = {};
};

constexpr std::array<Size, 2> kA100Sizes = {Size{"80gb", Tier::kLarge}, Size{"40gb", Tier::kMedium}};
constexpr std::array<Size, 2> kV100Sizes = {Size{"32gb", Tier::kMedium}, Size{}};

constexpr std::array kPresets = {
    Preset{"nvidia", "b200", Tier::kXlarge},
    Preset{"nvidia", "b300", Tier::kXlarge},
    Preset{"nvidia", "gb200", Tier::kXlarge},
    Preset{"nvidia", "gb300", Tier::kXlarge},
    Preset{"nvidia", "h100", Tier::kXlarge},
    Preset{"nvidia", "h200", Tier::kXlarge},
    Preset{"nvidia", "h800", Tier::kXlarge},
    Preset{"nvidia", "gh200", Tier::kXlarge},
    Preset{"nvidia", "l40s", Tier::kLarge},
    Preset{"nvidia", "a100", Tier::kMedium, kA100Sizes},
    Preset{"nvidia", "a800", Tier::kMedium, kA100Sizes},
    Preset{"nvidia", "a10", Tier::kMedium},
    Preset{"nvidia", "a10g", Tier::kMedium},
    Preset{"nvidia", "l40", Tier::kMedium},
    Preset{"nvidia", "rtx-4090", Tier::kMedium},
    Preset{"nvidia", "rtx-5090", Tier::kMedium},
    Preset{"nvidia", "gb10", Tier::kSmall},
    Preset{"nvidia", "a30", Tier::kSmall},
    Preset{"nvidia", "l4", Tier::kSmall},
    Preset{"nvidia", "t4", Tier::kSmall},
    Preset{"nvidia", "v100", Tier::kSmall, kV100Sizes},
    Preset{"nvidia", "v100s", Tier::kSmall},
    Preset{"nvidia", "rtx-pro-4500", Tier::kSmall},
    Preset{"nvidia", "rtx-6000", Tier::kSmall},
    Preset{"nvidia", "rtx-4000", Tier::kSmall},
    Preset{"nvidia", "rtx-a6000", Tier::kSmall},
    Preset{"nvidia", "rtx-a5000", Tier::kSmall},
    Preset{"nvidia", "rtx-a4000", Tier::kSmall},
    Preset{"nvidia", "rtx-3090", Tier::kSmall},
    Preset{"ascend", "910_9362", Tier::kXlarge},
    Preset{"ascend", "910_9363", Tier::kXlarge},
    Preset{"ascend", "910_9372", Tier::kXlarge},
    Preset{"ascend", "910_9381", Tier::kXlarge},
    Preset{"ascend", "910_9382", Tier::kXlarge},
    Preset{"ascend", "910_9391", Tier::kXlarge},
    Preset{"ascend", "910_9392", Tier::kXlarge},
    Preset{"ascend", "950", Tier::kXlarge},
    Preset{"ascend", "950pr", Tier::kXlarge},
    Preset{"ascend", "950dt", Tier::kXlarge},
    Preset{"ascend", "310p", Tier::kMedium},
    Preset{"ascend", "310p1", Tier::kMedium},
    Preset{"ascend", "310p2", Tier::kMedium},
    Preset{"ascend", "310p3", Tier::kMedium},
    Preset{"ascend", "310p4", Tier::kMedium},
    Preset{"ascend", "310p5", Tier::kMedium},
    Preset{"ascend", "310p7", Tier::kMedium},
    Preset{"ascend", "910b", Tier::kMedium},
    Preset{"ascend", "910b1", Tier::kMedium},
    Preset{"ascend", "910b2", Tier::kMedium},
    Preset{"ascend", "910b2c", Tier::kMedium},
    Preset{"ascend", "910b3", Tier::kMedium},
    Preset{"ascend", "910b4", Tier::kMedium},
    Preset{"amd", "mi300x", Tier::kXlarge},
    Preset{"amd", "mi308x", Tier::kXlarge},
    Preset{"amd", "mi325x", Tier::kXlarge},
    Preset{"amd", "mi350x", Tier::kXlarge},
    Preset{"amd", "mi355x", Tier::kXlarge},
    Preset{"amd", "mi210", Tier::kLarge},
    Preset{"amd", "mi250", Tier::kMedium},
    Preset{"amd", "mi250x", Tier::kMedium},
    Preset{"cambricon", "mlu370", Tier::kMedium},
    Preset{"cambricon", "mlu590", Tier::kMedium},
    Preset{"hygon", "bw1000", Tier::kXlarge},
    Preset{"hygon", "k100", Tier::kLarge},
    Preset{"hygon", "bw100", Tier::kLarge},
    Preset{"hygon", "z100", Tier::kSmall},
    Preset{"hygon", "z100l", Tier::kSmall},
    Preset{"metax", "mxc550", Tier::kLarge},
    Preset{"metax", "mxc588", Tier::kLarge},
    Preset{"metax", "mxc600", Tier::kLarge},
    Preset{"metax", "mxc500", Tier::kMedium},
    Preset{"mthreads", "mtt-s4000", Tier::kMedium},
    Preset{"mthreads", "mtt-s5000", Tier::kMedium},
    Preset{"iluvatar", "bi-v100", Tier::kMedium},
    Preset{"iluvatar", "bi-v150", Tier::kMedium},
    Preset{"iluvatar", "mr-v50", Tier::kMedium},
    Preset{"iluvatar", "mr-v100", Tier::kMedium},
    Preset{"thead", "ppu-zw810e", Tier::kMedium},
    Preset{"thead", "ppu-zwm890", Tier::kMedium},
};

/// Series names that lead a product name and say nothing about its size.
constexpr std::array<std::string_view, 5> kSeries = {"tesla", "geforce", "quadro", "radeon", "instinct"};

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of("-_."), text.size());
    if (end != 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

Tier tier_of(const Preset& preset, const std::vector<std::string_view>& words) {
  for (const Size& size : preset.sizes) {
    if (!size.word.empty() && std::ranges::find(words, size.word) != words.end()) return size.tier;
  }
  return preset.tier;
}

}  // namespace

UnitResources accelerated_unit(std::string_view manufacturer, std::string_view product) {
  const std::string key = normalize_name(product, manufacturer, 0, false);
  std::vector<std::string_view> words = words_of(key);
  const auto named = std::ranges::find_if(
      words, [](std::string_view word) { return std::ranges::find(kSeries, word) == kSeries.end(); });
  words.erase(words.begin(), named);
  for (const Preset& preset : kPresets) {
    if (preset.manufacturer != manufacturer) continue;
    const std::vector<std::string_view> wanted = words_of(preset.product);
    if (wanted.size() <= words.size() && std::ranges::equal(wanted, std::span(words).first(wanted.size()))) {
      return kTiers[static_cast<std::size_t>(tier_of(preset, words))];
    }
  }
  return kTiers[static_cast<std::size_t>(Tier::kFallback)];
}

}  // namespace gpusched::chain
