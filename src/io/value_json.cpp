#include "gpusched/io/value_json.hpp"

#include <fmt/format.h>

namespace gpusched::io {

namespace {

void append(const Value& value, std::string& out) {
  switch (value.kind()) {
    case Kind::kNull:
      out += "null";
      return;
    case Kind::kFalse:
    case Kind::kTrue:
      out += value.as_bool() ? "true" : "false";
      return;
    case Kind::kNumber:
      out += value.text();
      return;
    case Kind::kString:
      append_json_string(value.text(), out);
      return;
    case Kind::kArray:
      out += '[';
      for (std::size_t i = 0; i < value.items().size(); ++i) {
        out += i == 0 ? "" : ",";
        append(value.items()[i], out);
      }
      out += ']';
      return;
    case Kind::kObject:
      out += '{';
      for (std::size_t i = 0; i < value.members().size(); ++i) {
        out += i == 0 ? "" : ",";
        append_json_string(value.members()[i].key(), out);
        out += ':';
        append(value.members()[i].value, out);
      }
      out += '}';
      return;
  }
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  out += '"';
}

std::string to_json(const Value& value) {
  std::string out;
  append(value, out);
  return out;
}

}  // namespace gpusched::io
