#include "gpusched/io/object_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "gpusched/base/ascii.hpp"

namespace gpusched::io {

namespace {

using Names = std::pair<std::string_view, std::string_view>;

constexpr std::array kFixtureLists = {Names{"nodes", "node"}, Names{"pods", "pod"}, Names{"jobs", "job"}};

std::string_view text_of(const Value& object, std::string_view key) {
  const Value* const value = object.find(key);
  return value == nullptr ? std::string_view() : value->text();
}

std::string kind_name(std::string_view kind) {
  return kind == "ResourceClaim" ? "claim" : ascii_lower(kind);
}

class Places {
 public:
  explicit Places(std::string_view text) {
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
      line_feeds_.push_back(static_cast<std::uint32_t>(at));
    }
  }

  void visit(const Value& value, const std::string& pointer) {
    if (const Value* const items = value.find("items")) {
      each(*items, pointer + "/items", [&](const Value& item, const std::string& at) { visit(item, at); });
    }
    if (const Value* const meta = value.find("metadata"); meta != nullptr && value.find("kind") != nullptr) {
      add(kind_name(text_of(value, "kind")), *meta, value, pointer);
    }
    if (value.find("kind") != nullptr) {
      return;
    }
    for (const auto& [key, name] : kFixtureLists) {
      if (const Value* const list = value.find(key)) {
        each(*list, fmt::format("{}/{}", pointer, key),
             [&, name = name](const Value& item, const std::string& at) { add(name, item, item, at); });
      }
    }
  }

  std::vector<NamedPlace> take() { return std::move(places_); }

 private:
  template <class Body>
  static void each(const Value& list, const std::string& pointer, Body&& body) {
    for (std::size_t i = 0; i < list.items().size(); ++i) {
      body(list.items()[i], fmt::format("{}/{}", pointer, i));
    }
  }

  void add(std::string_view kind, const Value& names, const Value& object, const std::string& pointer) {
    if (const std::string_view name = text_of(names, "name"); !name.empty()) {
      places_.push_back({std::string(kind), std::string(text_of(names, "namespace")), std::string(name),
                         line_of(object.offset()), pointer});
    }
  }

  /// Objects need not come in the order of the text: a list may stand before the name of its owner.
  [[nodiscard]] std::uint32_t line_of(std::uint32_t offset) const {
    const auto line = std::ranges::lower_bound(line_feeds_, offset) - line_feeds_.begin();
    return static_cast<std::uint32_t>(line) + 1;
  }

  std::vector<std::uint32_t> line_feeds_;
  std::vector<NamedPlace> places_;
};

}  // namespace

std::vector<NamedPlace> named_places(const Document& document) {
  Places places(document.text());
  places.visit(document.root, "");
  return places.take();
}

}  // namespace gpusched::io
