#include "gpusched/io/gpustack_objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "gpusched/io/core_objects.hpp"
#include "io/core_fields.hpp"
#include "io/seen_objects.hpp"
#include "io/value_fields.hpp"

namespace gpusched::io {

namespace {

using namespace core;

/// The status of a condition of that type; "" when there is none.
std::string condition_status(Decoder& decoder, ObjectReader& reader, std::string_view type) {
  std::string status;
  reader.array("conditions", [&](const Value& item, std::size_t) {
    ObjectReader fields(decoder, item, "condition");
    fields.ignore_other_keys();
    if (read_string(fields, "type") == type) status = read_string(fields, "status");
  });
  return status;
}

objects::OperatorCheck decode_check(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "AdmissionCheck");
  reader.ignore_other_keys();
  objects::OperatorCheck check;
  check.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "AdmissionCheck spec");
    fields.ignore_other_keys();
    check.controller = read_string(fields, "controllerName");
  });
  reader.object("status", [&](const Value& status) {
    ObjectReader fields(decoder, status, "AdmissionCheck status");
    fields.ignore_other_keys();
    check.active = condition_status(decoder, fields, "Active") == "True";
  });
  return check;
}

objects::OperatorTopology decode_topology(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "Topology");
  reader.ignore_other_keys();
  objects::OperatorTopology topology;
  topology.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "Topology spec");
    fields.ignore_other_keys();
    topology.levels = read_list(fields, "levels", [&](const Value& item) {
      ObjectReader level(decoder, item, "level");
      level.ignore_other_keys();
      return read_string(level, "nodeLabel");
    });
  });
  return topology;
}

objects::GpustackSetting decode_setting(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "Setting");
  reader.ignore_other_keys();
  objects::GpustackSetting setting;
  setting.name = read_meta(decoder, reader).name;
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "Setting spec");
    fields.ignore_other_keys();
    setting.value = read_string(fields, "value");
  });
  return setting;
}

/// The entries of the Secret gpustack-settings, whose values are base64.
std::vector<objects::GpustackSetting> decode_settings_secret(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "Secret");
  reader.ignore_other_keys();
  std::vector<objects::GpustackSetting> settings;
  if (read_meta(decoder, reader).name != "gpustack-settings") return settings;
  for (const auto& [name, text] : reader.string_map("data")) {
    const std::optional<std::string> plain = decode_base64(text);
    if (!plain) {
      reader.error("data", "invalid-base64", fmt::format("the value of \"{}\" is not base64", name));
      continue;
    }
    settings.push_back({std::string(name), *plain});
  }
  for (const auto& [name, text] : reader.string_map("stringData")) {
    settings.push_back({std::string(name), std::string(text)});
  }
  return settings;
}

struct Reading {
  Decoder& decoder;
  const Value& value;
  GpustackObjects& objects;
  std::string name;
};

template <class Object>
void keep(Reading& reading, std::vector<Object>& list, Object object) {
  reading.name = object.meta.name;
  list.push_back(std::move(object));
}

struct KindReader {
  std::string_view kind;
  void (*read)(Reading&);
};

constexpr std::array kKinds = {
    KindReader{"Devices", [](Reading& r) { keep(r, r.objects.devices, decode_devices(r.decoder, r.value)); }},
    KindReader{"InstanceType", [](Reading& r) { keep(r, r.objects.types, decode_instance_type(r.decoder, r.value)); }},
    KindReader{"TopologySource",
               [](Reading& r) { keep(r, r.objects.topology_sources, decode_topology_source(r.decoder, r.value)); }},
    KindReader{"ClusterQueue",
               [](Reading& r) { keep(r, r.objects.queues, decode_operator_queue(r.decoder, r.value)); }},
    KindReader{"AdmissionCheck", [](Reading& r) { keep(r, r.objects.checks, decode_check(r.decoder, r.value)); }},
    KindReader{"Topology", [](Reading& r) { keep(r, r.objects.topologies, decode_topology(r.decoder, r.value)); }},
    KindReader{"Namespace", [](Reading& r) { keep(r, r.objects.namespaces, decode_namespace(r.decoder, r.value)); }},
    KindReader{"Setting",
               [](Reading& r) {
                 r.objects.settings.push_back(decode_setting(r.decoder, r.value));
                 r.name = r.objects.settings.back().name;
               }},
    KindReader{"Secret",
               [](Reading& r) {
                 std::ranges::move(decode_settings_secret(r.decoder, r.value),
                                   std::back_inserter(r.objects.secret_settings));
               }},
};

}  // namespace

objects::InstanceType decode_instance_type(Decoder& decoder, const Value& value) {
  constexpr std::int64_t kMaxCount = 1'000'000'000;
  constexpr std::int64_t kMaxMib = std::int64_t{1} << 40U;
  ObjectReader reader(decoder, value, "InstanceType");
  reader.ignore_other_keys();
  objects::InstanceType type;
  type.meta = read_meta(decoder, reader);
  const auto text = [](ObjectReader& fields, std::string_view key) {
    return std::string(fields.optional_text(key).value_or(""));
  };
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "InstanceType spec");
    fields.ignore_other_keys();
    type.acceleratable = read_bool(fields, "acceleratable");
    type.accelerator_group = read_string(fields, "acceleratorGroup");
    type.general_group = read_string(fields, "generalGroup");
    type.os = read_string(fields, "os");
    type.arch = read_string(fields, "arch");
    type.display_name = read_string(fields, "displayName");
    type.inactive = read_bool(fields, "inactive");
    type.memory = text(fields, "memory");
    type.local_storage = text(fields, "localStorage");
    fields.object("unitResources", [&](const Value& unit) {
      ObjectReader amounts(decoder, unit, "unitResources");
      amounts.ignore_other_keys();
      type.cpu = text(amounts, "cpu");
      type.ram = text(amounts, "ram");
    });
  });
  reader.object("status", [&](const Value& status) {
    ObjectReader fields(decoder, status, "InstanceType status");
    fields.ignore_other_keys();
    fields.object("detail", [&](const Value& value_of_detail) {
      ObjectReader detail(decoder, value_of_detail, "detail");
      detail.ignore_other_keys();
      if (type.memory.empty()) type.memory = text(detail, "memory");
      detail.object("slicedDetail", [&](const Value& value_of_sliced) {
        ObjectReader sliced(decoder, value_of_sliced, "slicedDetail");
        sliced.ignore_other_keys();
        sliced.object("physical", [&](const Value& value_of_physical) {
          ObjectReader physical(decoder, value_of_physical, "physical");
          physical.ignore_other_keys();
          type.profiles = read_list(physical, "profiles", [&](const Value& item) {
            ObjectReader profile(decoder, item, "profile");
            profile.ignore_other_keys();
            objects::PartitionProfile offered;
            offered.name = profile.required_string("name");
            offered.count = profile.optional_int64("count", 0, kMaxCount).value_or(0);
            offered.memory_mib = profile.optional_int64("memoryMib", 0, kMaxMib).value_or(0);
            return offered;
          });
        });
      });
    });
  });
  return type;
}

objects::TopologySource decode_topology_source(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "TopologySource");
  reader.ignore_other_keys();
  objects::TopologySource source;
  source.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "TopologySource spec");
    fields.ignore_other_keys();
    source.levels = read_strings(fields, "levels");
    fields.object("nodeSelector", [&](const Value& selector) {
      const bool wrapped = selector.find("matchLabels") != nullptr;
      ObjectReader labels(decoder, selector, "nodeSelector");
      labels.ignore_other_keys();
      if (wrapped) {
        source.node_selector = read_string_map(labels, "matchLabels");
        return;
      }
      for (const Member& member : selector.members()) {
        source.node_selector.emplace_back(member.key(), labels.optional_string(member.key()).value_or(""));
      }
    });
  });
  reader.object("status", [&](const Value& status) {
    ObjectReader fields(decoder, status, "TopologySource status");
    fields.ignore_other_keys();
    source.ready = condition_status(decoder, fields, "Ready") != "False";
  });
  return source;
}

std::optional<std::string> decode_base64(std::string_view text) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr unsigned kBits = 6;
  constexpr unsigned kByte = 8;
  std::string plain;
  std::uint32_t held = 0;
  unsigned bits = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    const std::size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    held = (held << kBits) | static_cast<std::uint32_t>(digit);
    bits += kBits;
    if (bits >= kByte) {
      bits -= kByte;
      plain += static_cast<char>((held >> bits) & 0xFFU);
      held &= (1U << bits) - 1U;
    }
  }
  return bits < kBits ? std::optional(plain) : std::nullopt;
}

Result<GpustackObjects> read_gpustack_objects(const ClusterDump& dump) {
  GpustackObjects objects;
  SeenObjects seen;
  Diagnostics found;
  for (const Document& document : dump.others) {
    const std::string_view kind = text_of(document.root, "kind");
    const auto known = std::ranges::find(kKinds, kind, &KindReader::kind);
    if (known == kKinds.end()) {
      ++objects.other_kinds[std::string(kind)];
      continue;
    }
    Decoder decoder(document);
    Reading reading{decoder, document.root, objects, {}};
    known->read(reading);
    finish_object(decoder, document, reading.name.empty() ? "" : fmt::format("{} {}", kind, reading.name), seen, found);
  }
  Diagnostics errors;
  for (Diagnostic& diagnostic : found) {
    (diagnostic.severity == Severity::kError ? errors : objects.warnings).push_back(std::move(diagnostic));
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return objects;
}

}  // namespace gpusched::io
