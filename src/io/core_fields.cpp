#include "io/core_fields.hpp"

#include <fmt/format.h>

#include "io/excerpt.hpp"

namespace gpusched::io::core {

namespace {

/// kubectl's copy of the whole object, which nobody reads here.
constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

objects::OwnerReference read_owner(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "owner reference");
  reader.ignore_other_keys();
  objects::OwnerReference owner;
  owner.api_version = read_string(reader, "apiVersion");
  owner.kind = read_string(reader, "kind");
  owner.name = read_string(reader, "name");
  owner.uid = read_string(reader, "uid");
  owner.controller = read_bool(reader, "controller");
  return owner;
}

Quantity to_quantity(Decoder& decoder, std::string_view key, const Value& value) {
  if (value.is_null()) {
    return {};
  }
  if (!value.is_string() && !value.is_number()) {
    decoder.error_at(key, value.offset(), "wrong-type",
                     fmt::format("{}: expected a quantity, found {}", quote(key), describe(value)));
    return {};
  }
  Result<Quantity> quantity = parse_quantity(value.text());
  if (!quantity) {
    Diagnostic& diagnostic = quantity.error().front();
    decoder.error_at(key, value.offset(), std::move(diagnostic.code),
                     fmt::format("{}: {}", quote(key), diagnostic.message), std::move(diagnostic.hint));
    return {};
  }
  return *std::move(quantity);
}

objects::NodeSelectorRequirement read_node_requirement(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "requirement");
  reader.ignore_other_keys();
  return {read_string(reader, "key"), read_string(reader, "operator"), read_strings(reader, "values")};
}

objects::LabelSelectorRequirement read_label_requirement(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "requirement");
  reader.ignore_other_keys();
  return {read_string(reader, "key"), read_string(reader, "operator"), read_strings(reader, "values")};
}

}  // namespace

objects::ObjectMeta read_meta(Decoder& decoder, ObjectReader& reader) {
  objects::ObjectMeta meta;
  reader.object("metadata", [&](const Value& value) {
    ObjectReader fields(decoder, value, "metadata");
    fields.ignore_other_keys();
    meta.name = read_string(fields, "name");
    meta.namespace_name = read_string(fields, "namespace");
    meta.uid = read_string(fields, "uid");
    meta.labels = read_string_map(fields, "labels");
    meta.annotations = read_string_map(fields, "annotations");
    std::erase_if(meta.annotations.edit(), [](const auto& entry) { return entry.first == kLastApplied; });
    meta.owner_references =
        read_list(fields, "ownerReferences", [&](const Value& item) { return read_owner(decoder, item); });
    meta.creation_timestamp = read_timestamp(fields, "creationTimestamp");
    meta.deletion_timestamp = read_timestamp(fields, "deletionTimestamp");
  });
  if (!meta.name.empty()) {
    reader.set_name(meta.namespace_name.empty() ? meta.name : meta.namespace_name + "/" + meta.name);
  }
  return meta;
}

std::string read_string(ObjectReader& reader, std::string_view key) {
  return std::string(reader.optional_string(key).value_or(""));
}

std::optional<std::string> read_optional_string(ObjectReader& reader, std::string_view key) {
  const auto text = reader.optional_string(key);
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::vector<std::string> read_strings(ObjectReader& reader, std::string_view key) {
  const std::vector<std::string_view> texts = reader.strings(key);
  return {texts.begin(), texts.end()};
}

objects::Labels read_string_map(ObjectReader& reader, std::string_view key) {
  objects::Labels map;
  for (const auto& [name, text] : reader.string_map(key)) {
    map.emplace_back(name, text);
  }
  return map;
}

bool read_bool(ObjectReader& reader, std::string_view key) {
  return reader.optional_bool(key).value_or(false);
}

std::int32_t read_int32(ObjectReader& reader, std::string_view key) {
  return read_optional_int32(reader, key).value_or(0);
}

std::optional<std::int32_t> read_optional_int32(ObjectReader& reader, std::string_view key) {
  const auto number = reader.optional_int64(key, kMinInt32, kMaxInt32);
  return number ? std::optional(static_cast<std::int32_t>(*number)) : std::nullopt;
}

std::optional<objects::Timestamp> read_timestamp(ObjectReader& reader, std::string_view key) {
  const auto text = reader.optional_string(key);
  if (!text) {
    return std::nullopt;
  }
  const auto time = objects::parse_timestamp(*text);
  if (!time) {
    reader.error(key, "invalid-timestamp",
                 fmt::format("{}: expected a time such as 2026-03-01T12:00:00Z, found {}", quote(key), quote(*text)));
  }
  return time;
}

std::optional<Quantity> read_quantity(ObjectReader& reader, std::string_view key) {
  const auto text = reader.optional_text(key);
  if (!text) {
    return std::nullopt;
  }
  Result<Quantity> quantity = parse_quantity(*text);
  if (!quantity) {
    Diagnostic& diagnostic = quantity.error().front();
    reader.error(key, std::move(diagnostic.code), fmt::format("{}: {}", quote(key), diagnostic.message),
                 std::move(diagnostic.hint));
    return std::nullopt;
  }
  return *std::move(quantity);
}

std::optional<objects::ResourceList> read_resources(Decoder& decoder, ObjectReader& reader, std::string_view key) {
  std::optional<objects::ResourceList> resources;
  reader.object(key, [&](const Value& map) {
    resources.emplace();
    for (const Member& member : map.members()) {
      resources->emplace_back(member.key(), to_quantity(decoder, member.key(), member.value));
    }
  });
  return resources;
}

std::optional<objects::LabelSelector> read_label_selector(Decoder& decoder, ObjectReader& reader,
                                                          std::string_view key) {
  std::optional<objects::LabelSelector> selector;
  reader.object(key, [&](const Value& value) {
    ObjectReader fields(decoder, value, "selector");
    fields.ignore_other_keys();
    selector.emplace();
    selector->match_labels = read_string_map(fields, "matchLabels");
    selector->match_expressions =
        read_list(fields, "matchExpressions", [&](const Value& item) { return read_label_requirement(decoder, item); });
  });
  return selector;
}

objects::NodeSelectorTerm read_node_selector_term(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "term");
  reader.ignore_other_keys();
  const auto read = [&](const Value& item) { return read_node_requirement(decoder, item); };
  return {read_list(reader, "matchExpressions", read), read_list(reader, "matchFields", read)};
}

std::optional<objects::NodeSelector> read_node_selector(Decoder& decoder, ObjectReader& reader, std::string_view key) {
  std::optional<objects::NodeSelector> selector;
  reader.object(key, [&](const Value& value) {
    ObjectReader fields(decoder, value, "node selector");
    fields.ignore_other_keys();
    selector.emplace();
    selector->terms = read_list(fields, "nodeSelectorTerms",
                                [&](const Value& item) { return read_node_selector_term(decoder, item); });
  });
  return selector;
}

}  // namespace gpusched::io::core
