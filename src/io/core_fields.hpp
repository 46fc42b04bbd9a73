#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/io/decode.hpp"
#include "gpusched/objects/affinity.hpp"
#include "gpusched/objects/meta.hpp"
#include "gpusched/objects/node_selector.hpp"
#include "gpusched/objects/resources.hpp"

/// Fields that many Kubernetes objects share. Each function reads the member `key` of the object that `reader` stands
/// at; an absent one gives an empty value.
namespace gpusched::io::core {

inline constexpr std::int64_t kMinInt32 = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

/// metadata of an object; names the object in later diagnostics: "Pod team-a/train".
[[nodiscard]] objects::ObjectMeta read_meta(Decoder& decoder, ObjectReader& reader);

[[nodiscard]] std::string read_string(ObjectReader& reader, std::string_view key);
[[nodiscard]] std::optional<std::string> read_optional_string(ObjectReader& reader, std::string_view key);
[[nodiscard]] std::vector<std::string> read_strings(ObjectReader& reader, std::string_view key);
[[nodiscard]] objects::Labels read_string_map(ObjectReader& reader, std::string_view key);
[[nodiscard]] bool read_bool(ObjectReader& reader, std::string_view key);
[[nodiscard]] std::int32_t read_int32(ObjectReader& reader, std::string_view key);
[[nodiscard]] std::optional<std::int32_t> read_optional_int32(ObjectReader& reader, std::string_view key);
[[nodiscard]] std::optional<objects::Timestamp> read_timestamp(ObjectReader& reader, std::string_view key);

[[nodiscard]] std::optional<Quantity> read_quantity(ObjectReader& reader, std::string_view key);
/// None when the member is absent; an absent list is not always an empty one.
[[nodiscard]] std::optional<objects::ResourceList> read_resources(Decoder& decoder, ObjectReader& reader,
                                                                  std::string_view key);
[[nodiscard]] std::optional<objects::LabelSelector> read_label_selector(Decoder& decoder, ObjectReader& reader,
                                                                        std::string_view key);
[[nodiscard]] std::optional<objects::NodeSelector> read_node_selector(Decoder& decoder, ObjectReader& reader,
                                                                      std::string_view key);
[[nodiscard]] objects::NodeSelectorTerm read_node_selector_term(Decoder& decoder, const Value& value);

/// Every element of a list through `read(const Value&)`.
template <class Read>
[[nodiscard]] auto read_list(ObjectReader& reader, std::string_view key, Read&& read) {
  std::vector<decltype(read(std::declval<const Value&>()))> list;
  reader.array(key, [&](const Value& item, std::size_t) { list.push_back(read(item)); });
  return list;
}

}  // namespace gpusched::io::core
