#include "gpusched/io/mig_parted_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/io/decode.hpp"
#include "gpusched/io/document_kind.hpp"
#include "gpusched/mig/pci_ids.hpp"
#include "gpusched/mig/profile.hpp"
#include "io/config_map.hpp"

namespace gpusched::io {

namespace {

constexpr std::int64_t kMostGpus = 1024;

/// "0x20B010DE", also with ":" and the board's own ids behind it, which are not compared here.
std::optional<std::uint32_t> pci_id(std::string_view text) {
  text = text.substr(0, text.find(':'));
  if (text.size() < 3 || text[0] != '0' || (text[1] != 'x' && text[1] != 'X')) return std::nullopt;
  std::uint32_t id = 0;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + text.size(), id, 16);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(id) : std::nullopt;
}

void read_filter(Decoder& decoder, ObjectReader& reader, MigPartedRule& rule) {
  const Value* const filter = reader.find("device-filter");
  if (filter == nullptr) return;
  const std::span<const Value> items = filter->is_array() ? filter->items() : std::span(filter, 1);
  for (const Value& item : items) {
    if (item.is_string() && item.text().empty()) continue;
    if (const auto id = item.is_string() ? pci_id(item.text()) : std::nullopt) {
      rule.pci_ids.push_back(*id);
    } else {
      decoder.at_key("device-filter", [&] {
        decoder.error(item, "value-not-allowed",
                      fmt::format("expected a PCI id such as \"0x20B010DE\", found {}", describe(item)));
      });
    }
  }
}

void read_gpus(Decoder& decoder, ObjectReader& reader, MigPartedRule& rule) {
  const Value* const devices = reader.require("devices");
  if (devices == nullptr || (devices->is_string() && devices->text() == "all")) return;
  if (!devices->is_array()) {
    reader.error("devices", "value-not-allowed",
                 fmt::format("expected \"all\" or a list of GPU indices, found {}", describe(*devices)));
    return;
  }
  rule.gpus.emplace();
  decoder.at_key("devices", [&] {
    for (const Value& item : devices->items()) {
      const std::int64_t index = item.is_number() ? to_int64(item.text()).value_or(-1) : -1;
      if (index < 0 || index >= kMostGpus) {
        decoder.error(item, "out-of-range",
                      fmt::format("expected a GPU index from 0 to {}, found {}", kMostGpus - 1, describe(item)));
      } else {
        rule.gpus->push_back(index);
      }
    }
  });
}

MigPartedRule read_rule(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "MIG rule");
  MigPartedRule rule;
  read_filter(decoder, reader, rule);
  read_gpus(decoder, reader, rule);
  rule.mig_enabled = reader.required_bool("mig-enabled");
  bool some = false;
  const bool given = reader.object("mig-devices", [&](const Value& devices) {
    ObjectReader counts(decoder, devices, "MIG devices");
    some = devices.members().empty();
    for (const Member& member : devices.members()) {
      const std::int64_t count = counts.required_int64(member.key(), 0, kMostGpus);
      some |= count > 0;
      if (count > 0) rule.devices.emplace_back(member.key(), count);
    }
  });
  if (given && !some) reader.error("mig-devices", "value-not-allowed", "all counts for all MigProfiles are 0");
  if (!given && rule.mig_enabled) {
    decoder.error(value, "missing-key", "missing required field 'mig-devices' when 'mig-enabled' is true");
  }
  if (!rule.mig_enabled && !rule.devices.empty()) {
    reader.error("mig-devices", "value-not-allowed", "MIG devices included when 'mig-enabled' is false");
  }
  return rule;
}

void read_file(Decoder& decoder, const Value& root, std::vector<MigPartedConfig>& configs) {
  if (root.find("mig-configs") == nullptr) {
    decoder.error(root, "not-a-mig-parted-config",
                  fmt::format("expected \"mig-configs\" of mig-parted, found {}", describe_document(root)),
                  root.find("sharing") != nullptr ? "--device-plugin-config reads the device plugin's" : "");
    return;
  }
  ObjectReader reader(decoder, root, "mig-parted configuration");
  const Value* const version = reader.require("version");
  if (version != nullptr && version->text() != "v1") {
    reader.error("version", "value-not-allowed", fmt::format("unknown version: {}", shorten(version->text())));
  }
  reader.object("mig-configs", [&](const Value& list) {
    ObjectReader names(decoder, list, "MIG configurations");
    if (list.members().empty()) decoder.error(list, "missing-key", "at least one entry in 'mig-configs' is required");
    for (const Member& member : list.members()) {
      MigPartedConfig& config = configs.emplace_back();
      config.name = member.key();
      names.array(member.key(),
                  [&](const Value& rule, std::size_t) { config.rules.push_back(read_rule(decoder, rule)); });
      if (config.rules.empty()) {
        names.error(member.key(), "missing-key",
                    fmt::format("at least one entry in {} is required", quote(member.key())));
      }
    }
  });
}

bool is_for(const MigPartedRule& rule, const mig::Board& board, std::int64_t gpu) {
  const auto is_board = [&](std::uint32_t id) { return mig::has_pci_id(board, id); };
  if (!rule.pci_ids.empty() && std::ranges::none_of(rule.pci_ids, is_board)) return false;
  return gpu < 0 || !rule.gpus || std::ranges::find(*rule.gpus, gpu) != rule.gpus->end();
}

}  // namespace

Result<std::vector<MigPartedConfig>> read_mig_parted_configs(const Document& document) {
  std::vector<MigPartedConfig> configs;
  Diagnostics errors;
  const auto read = [&](const Document& one) {
    Decoder decoder(one);
    read_file(decoder, one.root, configs);
    std::ranges::move(decoder.take_diagnostics(), std::back_inserter(errors));
  };
  if (is_config_map(document)) {
    const Result<std::vector<ConfigMapEntry>> entries = config_map_entries(document);
    if (!entries) return std::unexpected(entries.error());
    for (const ConfigMapEntry& entry : *entries) read(entry.document);
  } else {
    read(document);
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return configs;
}

Result<mig::WantedLayout> layout_of(const MigPartedConfig& config, const mig::Board& board, std::int64_t gpu) {
  const MigPartedRule* rule = nullptr;
  for (const MigPartedRule& candidate : config.rules) {
    if (is_for(candidate, board, gpu)) rule = &candidate;
  }
  if (rule == nullptr) {
    return fail("mig-config-not-on-board",
                fmt::format("no rule of the MIG configuration {} is for {}{}", quote(config.name),
                            board.products.front(), gpu < 0 ? "" : fmt::format(" as GPU {}", gpu)));
  }
  mig::WantedLayout layout;
  layout.mig_enabled = rule->mig_enabled;
  for (const auto& [name, count] : rule->devices) {
    const auto profile = mig::find_profile(board, name);
    if (!profile) {
      return fail("mig-profile-unknown", fmt::format("MIG profile {} of the configuration {} not found on {}",
                                                     quote(name), quote(config.name), board.products.front()));
    }
    const auto wanted = std::min<std::size_t>(static_cast<std::size_t>(count), board.memory_slices + std::size_t{1});
    layout.entries.insert(layout.entries.end(), wanted, mig::LayoutEntry{.profile = *profile});
  }
  return layout;
}

}  // namespace gpusched::io
