#include "gpusched/io/dra_objects.hpp"
#include "io/value_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace gpusched::io {

namespace {

class DraObjectsReader {
 public:
  void read(const Document& document);
  Result<DraObjects> finish() &&;

 private:
  void read_item(Decoder& decoder, const Value& value);
  void read_object(Decoder& decoder, const Value& value, std::string_view kind, ResourceApi api);
  void check_name(Decoder& decoder, const Value& value, std::string_view kind, const std::string& name);

  DraObjects objects_;
  struct Place {
    const Document* document = nullptr;
    std::uint32_t offset = 0;  // turned into a line only when it is needed
  };
  std::map<std::pair<std::string, std::string>, Place> places_;  // of kind and name
  Diagnostics diagnostics_;
};

void DraObjectsReader::read(const Document& document) {
  Decoder decoder(document);
  read_item(decoder, document.root);
  std::ranges::move(decoder.take_diagnostics(), std::back_inserter(diagnostics_));
}

void DraObjectsReader::read_item(Decoder& decoder, const Value& value) {
  const std::string_view kind = text_of(value, "kind");
  const Value* const items = value.find("items");
  if (items != nullptr && items->is_array() && kind.ends_with("List")) {
    decoder.at_key("items", [&] {
      for (std::size_t i = 0; i < items->items().size(); ++i) {
        decoder.at_index(i, [&] { read_item(decoder, items->items()[i]); });
      }
    });
    return;
  }
  if (kind.empty()) {
    decoder.error(value, "not-an-object",
                  fmt::format("expected a Kubernetes object with a kind, found {}",
                              value.is_object() ? "one without" : describe(value)));
    return;
  }
  const std::optional<ResourceApi> api = resource_api(text_of(value, "apiVersion"));
  if (api) {
    read_object(decoder, value, kind, *api);
  } else {
    ++objects_.other_kinds[std::string(kind)];
  }
}

void DraObjectsReader::read_object(Decoder& decoder, const Value& value, std::string_view kind, ResourceApi api) {
  if (kind == "ResourceSlice") {
    objects_.slices.push_back(decode_resource_slice(decoder, value, api));
    check_name(decoder, value, kind, objects_.slices.back().name);
  } else if (kind == "DeviceClass") {
    objects_.classes.push_back(decode_device_class(decoder, value));
    check_name(decoder, value, kind, objects_.classes.back().name);
  } else if (kind == "DeviceTaintRule") {
    objects_.taint_rules.push_back(decode_device_taint_rule(decoder, value));
    check_name(decoder, value, kind, objects_.taint_rules.back().name);
  } else if (kind == "ResourceClaim") {
    const objects::ResourceClaim& claim = objects_.claims.emplace_back(decode_resource_claim(decoder, value, api));
    check_name(decoder, value, kind, claim.namespace_name + "/" + claim.name);
  } else if (kind == "ResourceClaimTemplate") {
    const objects::ResourceClaimTemplate& claim =
        objects_.templates.emplace_back(decode_resource_claim_template(decoder, value, api));
    check_name(decoder, value, kind, claim.namespace_name + "/" + claim.name);
  } else {
    ++objects_.other_kinds[std::string(kind)];
  }
}

void DraObjectsReader::check_name(Decoder& decoder, const Value& value, std::string_view kind,
                                  const std::string& name) {
  const auto [first, added] =
      places_.try_emplace({std::string(kind), name}, Place{&decoder.document(), value.offset()});
  if (added) return;
  const Document& document = *first->second.document;
  const std::string place =
      document.cut_out
          ? fmt::format("{}{}", document.source_name(), document.item ? fmt::format(" /items/{}", *document.item) : "")
          : fmt::format("{}:{}", document.source_name(), position_of(document.text(), first->second.offset).line);
  const std::string_view shown = name.starts_with('/') ? std::string_view(name).substr(1) : std::string_view(name);
  decoder.error(value, "duplicate-object",
                fmt::format("a second {} named \"{}\"; the first is at {}", kind, shown, place));
}

Result<DraObjects> DraObjectsReader::finish() && {
  if (std::ranges::any_of(diagnostics_, [](const Diagnostic& d) { return d.severity == Severity::kError; })) {
    return std::unexpected(std::move(diagnostics_));
  }
  objects_.warnings = std::move(diagnostics_);
  return std::move(objects_);
}

}  // namespace

std::optional<ResourceApi> resource_api(std::string_view api_version) {
  constexpr std::string_view kGroup = "resource.k8s.io/";
  if (!api_version.starts_with(kGroup)) return std::nullopt;
  return api_version.substr(kGroup.size()) == "v1beta1" ? ResourceApi::kV1beta1 : ResourceApi::kV1;
}

Result<DraObjects> read_dra_objects(std::span<const Document> documents) {
  DraObjectsReader reader;
  for (const Document& document : documents) reader.read(document);
  return std::move(reader).finish();
}

}  // namespace gpusched::io
