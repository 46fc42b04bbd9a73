#include "gpusched/io/object_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gpusched::io {

namespace {

using Names = std::pair<std::string_view, std::string_view>;

constexpr std::array kFixtureLists = {Names{"nodes", "node"}, Names{"pods", "pod"}, Names{"jobs", "job"}};
std::string_view text_of(const Value& object, std::string_view key) {
  const Value* const value = object.find(key);
  return value == nullptr ? std::string_view() : value->text();
}

std::string kind_name(std::string_view kind) {
  std::string name(kind == "ResourceClaim" ? "claim" : kind);
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return name;
}

class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {}

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

  /// Objects come in the order of the text, so each line feed is counted once.
  std::uint32_t line_of(std::uint32_t offset) {
    if (offset < counted_) {
      counted_ = 0;
      line_ = 1;
    }
    const std::string_view between = text_.substr(counted_, offset - counted_);
    line_ += static_cast<std::uint32_t>(std::ranges::count(between, '\n'));
    counted_ = offset;
    return line_;
  }

  std::string_view text_;
  std::uint32_t counted_ = 0;
  std::uint32_t line_ = 1;
  std::vector<NamedPlace> places_;
};

}  // namespace

std::vector<NamedPlace> named_places(const Document& document) {
  Places places(document.text());
  places.visit(document.root, "");
  return places.take();
}

}  // namespace gpusched::io
