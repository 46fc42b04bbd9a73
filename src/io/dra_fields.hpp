#pragma once

#include <string_view>
#include <utility>

#include "gpusched/io/decode.hpp"
#include "gpusched/objects/resource_slice.hpp"

/// Fields that several objects of resource.k8s.io share.
namespace gpusched::io::dra_fields {

[[nodiscard]] objects::DeviceTaint read_taint(Decoder& decoder, const Value& value);

/// The entries of a map, each through `read(decoder, value)`.
template <class Read>
[[nodiscard]] auto read_named(Decoder& decoder, ObjectReader& reader, std::string_view key, Read&& read) {
  objects::Named<decltype(read(decoder, std::declval<const Value&>()))> entries;
  reader.object(key, [&](const Value& map) {
    entries.reserve(map.members().size());
    for (const Member& member : map.members()) {
      decoder.at_key(member.key(), [&] { entries.emplace_back(member.key(), read(decoder, member.value)); });
    }
  });
  return entries;
}

}  // namespace gpusched::io::dra_fields
