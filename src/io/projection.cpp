#include "io/projection.hpp"

#include <algorithm>
#include <cstring>

namespace gpusched::io {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;
using simdjson::SUCCESS;

namespace {

/// A scalar's token runs up to the next one; the blanks behind it are not part of the value.
std::string_view trimmed(std::string_view token) {
  const std::size_t last = token.find_last_not_of(" \n\r\t");
  return token.substr(0, last + 1);
}

error_code project_list(ondemand::array list, const Projection& wanted, std::string& out) {
  out += '[';
  const std::size_t begin = out.size();
  for (auto element : list) {
    ondemand::value value;
    if (const error_code error = element.get(value)) {
      return error;
    }
    const std::size_t before = out.size();
    if (before != begin) {
      out += ',';
    }
    const std::size_t element_begin = out.size();
    if (const error_code error = project_value(value, wanted, out)) {
      return error;
    }
    const std::string_view text = std::string_view(out).substr(element_begin);
    if (wanted.drop_bare && text.starts_with('{') && text.find_first_of("{[", 1) == std::string_view::npos) {
      out.resize(before);
    }
  }
  out += ']';
  return SUCCESS;
}

}  // namespace

std::string_view key_text(ondemand::field& field) {
  const char* const raw = field.key().raw();
  const char* const quote = std::strchr(raw, '"');  // the text is padded with zeros, and a key has a closing quote
  const std::string_view key(raw, static_cast<std::size_t>(quote - raw));
  if (!key.contains('\\')) {
    return key;
  }
  std::string_view unescaped;
  return field.unescaped_key().get(unescaped) == SUCCESS ? unescaped : std::string_view();
}

error_code project_value(ondemand::value value, const Projection& wanted, std::string& out) {
  ondemand::json_type type;
  if (const error_code error = value.type().get(type)) {
    return error;
  }
  if (type == ondemand::json_type::object) {
    ondemand::object object;
    if (const error_code error = value.get_object().get(object)) {
      return error;
    }
    if (!wanted.children.empty()) {
      return project(object, wanted.children, out);
    }
    std::string_view text;
    const error_code error = object.raw_json().get(text);
    out += text;
    return error;
  }
  if (type == ondemand::json_type::array) {
    ondemand::array list;
    if (const error_code error = value.get_array().get(list)) {
      return error;
    }
    if (!wanted.children.empty()) {
      return project_list(list, wanted, out);
    }
    std::string_view text;
    const error_code error = list.raw_json().get(text);
    out += text;
    return error;
  }
  out += trimmed(value.raw_json_token());
  return SUCCESS;
}

error_code project(ondemand::object object, std::span<const Projection> fields, std::string& out) {
  out += '{';
  bool first = true;
  for (auto member : object) {
    ondemand::field field;
    if (const error_code error = std::move(member).get(field)) {
      return error;
    }
    const std::string_view key = key_text(field);
    const auto wanted = std::ranges::find(fields, key, &Projection::key);
    if (wanted == fields.end()) {
      continue;
    }
    if (!first) {
      out += ',';
    }
    first = false;
    out += '"';
    out += key;
    out += "\":";
    if (const error_code error = project_value(field.value(), *wanted, out)) {
      return error;
    }
  }
  out += '}';
  return SUCCESS;
}

}  // namespace gpusched::io
