#include "gpusched/io/decode.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gpusched/base/text.hpp"
#include "io/excerpt.hpp"

namespace gpusched::io {

namespace {

/// What to do about a scalar that is no string; YAML makes booleans of the words y, no and on.
std::string quoting_hint(const Document& document, const Value& value) {
  if (!value.is_bool() && !value.is_number()) {
    return {};
  }
  std::string_view word = value.is_number() ? value.text() : value.as_bool() ? "true" : "false";
  if (!document.cut_out) {
    const std::string_view from = document.text().substr(value.offset());
    word = from.substr(0, from.find_first_of(" \t\r\n,]}"));
  }
  return fmt::format(
      "{}put it in quotes: {}",
      document.format == Format::kYaml && value.is_bool() ? "a plain word in YAML may be a boolean; " : "",
      quote(word));
}

}  // namespace

void Decoder::record(Severity severity, std::uint32_t offset, std::string code, std::string message, std::string hint) {
  const std::size_t order = found_.size();
  Found& found = found_.emplace_back();
  found.offset = offset;
  found.order = order;
  found.diagnostic.severity = severity;
  found.diagnostic.code = std::move(code);
  found.diagnostic.message = std::move(message);
  found.diagnostic.source = document_.source_name();
  found.diagnostic.pointer = pointer();
  found.diagnostic.object = object_;
  found.diagnostic.hint = std::move(hint);
  if (severity == Severity::kError) ++errors_;
}

void Decoder::error(const Value& value, std::string code, std::string message, std::string hint) {
  record(Severity::kError, value.offset(), std::move(code), std::move(message), std::move(hint));
}

void Decoder::error_at(std::string_view key, std::uint32_t offset, std::string code, std::string message,
                       std::string hint) {
  at_key(key, [&] { record(Severity::kError, offset, std::move(code), std::move(message), std::move(hint)); });
}

void Decoder::warn(const Value& value, std::string code, std::string message, std::string hint) {
  record(Severity::kWarning, value.offset(), std::move(code), std::move(message), std::move(hint));
}

std::string Decoder::pointer() const {
  std::string pointer;
  for (const Step& step : path_) {
    pointer += '/';
    if (!step.is_key) pointer += std::to_string(step.index);
    for (const char c : step.key) {
      if (c == '~') {
        pointer += "~0";
      } else if (c == '/') {
        pointer += "~1";
      } else {
        pointer += c;
      }
    }
  }
  return pointer;
}

Diagnostics Decoder::take_diagnostics() {
  std::ranges::sort(found_, {}, [](const Found& found) { return std::pair(found.offset, found.order); });
  const std::string item = document_.item ? fmt::format("/items/{}", *document_.item) : std::string();
  Diagnostics diagnostics;
  diagnostics.reserve(found_.size());
  std::size_t counted = 0;  // start of the line that `line` counts, so that the text is walked once
  std::uint32_t line = 1;
  for (Found& found : found_) {
    found.diagnostic.pointer.insert(0, item);
    if (!document_.cut_out) {
      const Position rest = position_of(document_.text().substr(counted), found.offset - counted);
      line += rest.line - 1;
      counted = found.offset - (rest.column - 1);
      found.diagnostic.line = line;
      found.diagnostic.column = rest.column;
    }
    diagnostics.push_back(std::move(found.diagnostic));
  }
  found_.clear();
  errors_ = 0;
  return diagnostics;
}

ObjectReader::ObjectReader(Decoder& decoder, const Value& value, std::string_view what)
    : decoder_(decoder),
      value_(value),
      what_(what),
      outer_object_(decoder.object_),
      first_found_(decoder.found_.size()) {
  if (value.is_object()) return;
  decoder_.error(value, "wrong-type", fmt::format("expected an object for the {}, found {}", what, describe(value)));
  ignore_other_keys_ = true;
}

ObjectReader::~ObjectReader() {
  if (!ignore_other_keys_) report_unknown_keys();
  decoder_.object_ = std::move(outer_object_);
}

void ObjectReader::set_name(std::string_view name) {
  decoder_.object_ = name.empty() ? std::string(what_) : fmt::format("{} {}", what_, shorten(name, 80));
  for (std::size_t i = first_found_; i < decoder_.found_.size(); ++i) {
    std::string& object = decoder_.found_[i].diagnostic.object;
    if (object == outer_object_) object = decoder_.object_;
  }
}

const Value* ObjectReader::find(std::string_view key) {
  if (!ignore_other_keys_) asked_.push_back(key);
  const Value* const value = value_.find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

const Value* ObjectReader::require(std::string_view key) {
  const Value* const value = find(key);
  if (value != nullptr || !value_.is_object()) return value;
  if (const Value* const null = value_.find(key); null != nullptr) {
    error(key, "missing-key", fmt::format("{} must not be null", quote(key)));
  } else {
    decoder_.error(value_, "missing-key", fmt::format("the {} has no {}", what_, quote(key)));
  }
  return nullptr;
}

bool ObjectReader::check_kind(std::string_view key, const Value& value, bool fits, std::string_view expected) {
  if (!fits) {
    decoder_.error_at(key, value.offset(), "wrong-type",
                      fmt::format("{}: expected {}, found {}", quote(key), expected, describe(value)),
                      expected == "a string" ? quoting_hint(decoder_.document(), value) : std::string());
  }
  return fits;
}

void ObjectReader::error(std::string_view key, std::string code, std::string message, std::string hint) {
  const Value* const value = value_.find(key);
  decoder_.error_at(key, value == nullptr ? value_.offset() : value->offset(), std::move(code), std::move(message),
                    std::move(hint));
}

std::string_view ObjectReader::required_string(std::string_view key) {
  const Value* const value = require(key);
  return value != nullptr && check_kind(key, *value, value->is_string(), "a string") ? value->text()
                                                                                     : std::string_view();
}

std::optional<std::string_view> ObjectReader::optional_string(std::string_view key) {
  const Value* const value = find(key);
  if (value == nullptr || !check_kind(key, *value, value->is_string(), "a string")) return std::nullopt;
  return value->text();
}

std::int64_t ObjectReader::read_int64(std::string_view key, const Value& value, std::int64_t min, std::int64_t max) {
  const std::optional<std::int64_t> number = value.is_number() ? to_int64(value.text()) : std::nullopt;
  if (number && *number >= min && *number <= max) return *number;
  std::string expected = "a whole number";
  if (min != kMinInt64 && max != kMaxInt64) {
    expected += fmt::format(" from {} to {}", min, max);
  } else if (min != kMinInt64) {
    expected += fmt::format(" of at least {}", min);
  } else if (max != kMaxInt64) {
    expected += fmt::format(" of at most {}", max);
  }
  const bool written_as_float = value.is_number() && value.text().find_first_of(".eE") != std::string_view::npos;
  const bool quoted = value.is_string() && to_int64(value.text()).has_value();
  const std::string hint = written_as_float ? "write it without fraction and exponent"
                           : quoted         ? fmt::format("write {} without quotes", shorten(value.text()))
                                            : "";
  const std::string found = value.is_number() ? shorten(value.text()) : describe(value);
  decoder_.error_at(key, value.offset(), value.is_number() && !written_as_float ? "out-of-range" : "wrong-type",
                    fmt::format("{}: expected {}, found {}", quote(key), expected, found), hint);
  return min == kMinInt64 ? std::min<std::int64_t>(0, max) : min;
}

std::int64_t ObjectReader::required_int64(std::string_view key, std::int64_t min, std::int64_t max) {
  const Value* const value = require(key);
  return value == nullptr ? std::clamp<std::int64_t>(0, min, max) : read_int64(key, *value, min, max);
}

std::optional<std::int64_t> ObjectReader::optional_int64(std::string_view key, std::int64_t min, std::int64_t max) {
  const Value* const value = find(key);
  if (value == nullptr) return std::nullopt;
  return read_int64(key, *value, min, max);
}

bool ObjectReader::required_bool(std::string_view key) {
  const Value* const value = require(key);
  return value != nullptr && check_kind(key, *value, value->is_bool(), "true or false") && value->as_bool();
}

std::optional<bool> ObjectReader::optional_bool(std::string_view key) {
  const Value* const value = find(key);
  if (value == nullptr || !check_kind(key, *value, value->is_bool(), "true or false")) return std::nullopt;
  return value->as_bool();
}

std::string_view ObjectReader::required_decimal(std::string_view key) {
  const Value* const value = require(key);
  return value != nullptr && check_kind(key, *value, value->is_number(), "a number") ? value->text() : "0";
}

std::optional<std::string_view> ObjectReader::optional_decimal(std::string_view key) {
  const Value* const value = find(key);
  if (value == nullptr || !check_kind(key, *value, value->is_number(), "a number")) return std::nullopt;
  return value->text();
}

std::optional<std::string_view> ObjectReader::optional_text(std::string_view key) {
  const Value* const value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!check_kind(key, *value, value->is_string() || value->is_number(), "a string or a number")) return std::nullopt;
  return value->text();
}

std::size_t ObjectReader::read_one_of(std::string_view key, const Value& value,
                                      std::span<const std::string_view> allowed) {
  const auto found = value.is_string() ? std::ranges::find(allowed, value.text()) : allowed.end();
  if (found != allowed.end()) return static_cast<std::size_t>(found - allowed.begin());
  const std::string similar = value.is_string() ? suggest(value.text(), allowed) : "";
  decoder_.error_at(key, value.offset(), value.is_string() ? "unknown-value" : "wrong-type",
                    fmt::format("{}: expected one of {}, found {}", quote(key), join(allowed, ", "), describe(value)),
                    similar.empty() ? "" : fmt::format("did you mean {}?", similar));
  return 0;
}

std::size_t ObjectReader::required_one_of(std::string_view key, std::span<const std::string_view> allowed) {
  const Value* const value = require(key);
  return value == nullptr ? 0 : read_one_of(key, *value, allowed);
}

std::optional<std::size_t> ObjectReader::optional_one_of(std::string_view key,
                                                         std::span<const std::string_view> allowed) {
  const Value* const value = find(key);
  if (value == nullptr) return std::nullopt;
  return read_one_of(key, *value, allowed);
}

std::vector<std::string_view> ObjectReader::strings(std::string_view key) {
  std::vector<std::string_view> strings;
  array(key, [&](const Value& item, std::size_t) {
    if (item.is_string()) {
      strings.push_back(item.text());
    } else {
      decoder_.error(item, "wrong-type", fmt::format("expected a string, found {}", describe(item)));
    }
  });
  return strings;
}

std::vector<std::pair<std::string_view, std::string_view>> ObjectReader::string_map(std::string_view key) {
  std::vector<std::pair<std::string_view, std::string_view>> entries;
  object(key, [&](const Value& map) {
    for (const Member& member : map.members()) {
      if (member.value.is_string()) {
        entries.emplace_back(member.key(), member.value.text());
      } else {
        decoder_.error_at(member.key(), member.value.offset(), "wrong-type",
                          fmt::format("{}: expected a string, found {}", quote(member.key()), describe(member.value)),
                          "put it in quotes");
      }
    }
  });
  return entries;
}

void ObjectReader::report_unknown_keys() {
  for (const Member& member : value_.members()) {
    if (std::ranges::find(asked_, member.key()) != asked_.end()) continue;
    std::vector<std::string_view> allowed;
    for (const std::string_view key : asked_) {
      if (std::ranges::find(allowed, key) == allowed.end()) allowed.push_back(key);
    }
    const std::string similar = suggest(member.key(), allowed);
    decoder_.error_at(member.key(), member.key_offset, "unknown-key",
                      fmt::format("the {} has no key {}; allowed: {}", what_, quote(member.key()), join(allowed, ", ")),
                      similar.empty() ? "" : fmt::format("did you mean {}?", quote(similar)));
  }
}

}  // namespace gpusched::io
