#include "io/hardware_tables.hpp"

#include <algorithm>
#include <array>

namespace gpusched::io {

namespace {

#include "io/product_table.inc"
#include "io/shape_table.inc"

/// Words that say nothing about the board.
constexpr std::array<std::string_view, 8> kVendorWords = {"NVIDIA", "TESLA",    "AMD",  "INSTINCT",
                                                          "GPU",    "GRAPHICS", "CORE", "TENSOR"};

char upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, upper, upper);
}

std::string letters_and_digits(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (is_alnum(upper(c))) result.push_back(upper(c));
  }
  return result;
}

}  // namespace

std::string product_words(std::string_view name) {
  std::string result, word;
  const auto finish = [&] {
    if (!word.empty() && std::ranges::find(kVendorWords, word) == kVendorWords.end()) {
      if (!result.empty()) result.push_back(' ');
      result += word;
    }
    word.clear();
  };
  for (const char c : name) {
    if (is_alnum(upper(c))) {
      word.push_back(upper(c));
    } else {
      finish();
    }
  }
  finish();
  return result;
}

std::vector<const Product*> find_products(std::string_view name, std::int64_t memory_mib) {
  const std::string words = product_words(name);
  std::vector<const Product*> found;
  for (const Product& product : kProducts) {
    if (std::ranges::find(product.names, words) != product.names.end()) found.push_back(&product);
  }
  const auto outside = [&](const Product* product) {
    return memory_mib < product->memory_from_mib || memory_mib > product->memory_to_mib;
  };
  if (memory_mib > 0 && found.size() > 1 && !std::ranges::all_of(found, outside)) std::erase_if(found, outside);
  const auto exact = std::ranges::find_if(found, [&](const Product* product) {
    return product->names.front() == words && product_words(product->name) == words;
  });
  if (exact != found.end()) return {*exact};
  return found;
}

const Product* find_gke_product(std::string_view label_value) {
  for (const Product& product : kProducts) {
    for (const std::string_view name : product.gke) {
      if (equal_ignoring_case(name, label_value)) return &product;
    }
  }
  return nullptr;
}

const Product* product_named(std::string_view name) {
  const auto* const found = std::ranges::find(kProducts, name, &Product::name);
  return found == std::end(kProducts) ? nullptr : found;
}

const Shape* find_shape(std::string_view instance_type) {
  const auto* const found = std::ranges::find_if(
      kShapes, [&](const Shape& shape) { return equal_ignoring_case(shape.instance_type, instance_type); });
  return found == std::end(kShapes) ? nullptr : found;
}

const Shape* find_machine(std::string_view dmi_product) {
  const std::string machine = letters_and_digits(dmi_product);
  const auto* const found = std::ranges::find_if(kShapes, [&](const Shape& shape) {
    return shape.provider == "on-prem" && machine.starts_with(letters_and_digits(shape.instance_type));
  });
  return found == std::end(kShapes) ? nullptr : found;
}

}  // namespace gpusched::io
