#include "io/json_tree.hpp"

#include <functional>
#include <utility>

#include "io/json_token.hpp"

namespace gpusched::io {

namespace {

namespace ondemand = simdjson::ondemand;

/// Walks everything that simdjson finds and builds the tree. On-demand parsing checks only what is asked for, so
/// numbers, literals and strings are checked here. `false` means that the text is no valid JSON, or nested too deeply;
/// json_error.hpp then finds out why.
class JsonWalker {
 public:
  JsonWalker(std::string_view text, std::size_t max_depth, TreeBuilder& builder)
      : text_(text), max_depth_(max_depth), builder_(builder) {}

  bool build_document(ondemand::document& document, std::size_t offset, Value& out) {
    if (max_depth_ == 0) return false;
    if (text_[offset] == '{') {
      ondemand::object object;
      return document.get_object().get(object) == simdjson::SUCCESS && build_members(object, offset, 1, out);
    }
    ondemand::array array;
    return document.get_array().get(array) == simdjson::SUCCESS && build_items(array, offset, 1, out);
  }

 private:
  /// Texts with escapes are in the arena already.
  std::string_view kept(std::string_view text) {
    const bool in_text =
        std::less_equal<>()(text_.data(), text.data()) && std::less<>()(text.data(), text_.data() + text_.size());
    return builder_.owns_texts() && in_text ? builder_.keep_once(text) : text;
  }
  std::string_view text_from(const char* place) const {
    return text_.substr(static_cast<std::size_t>(place - text_.data()));
  }
  std::uint32_t offset_of(const char* place) const { return static_cast<std::uint32_t>(place - text_.data()); }

  bool build(ondemand::value value, std::size_t depth, Value& out) {
    const char* const place = value.raw_json_token().data();
    const std::size_t offset = offset_of(place);
    switch (*place) {
      case '{': {
        ondemand::object object;
        return depth < max_depth_ && value.get_object().get(object) == simdjson::SUCCESS &&
               build_members(object, offset, depth + 1, out);
      }
      case '[': {
        ondemand::array array;
        return depth < max_depth_ && value.get_array().get(array) == simdjson::SUCCESS &&
               build_items(array, offset, depth + 1, out);
      }
      case '"':
        return build_string(value, place, out);
      case 't':
      case 'f':
        return build_bool(value, place, out);
      case 'n':
        return build_null(value, place, out);
      default:
        return build_number(place, out);
    }
  }

  bool build_members(ondemand::object& object, std::size_t offset, std::size_t depth, Value& out) {
    const std::size_t mark = builder_.member_mark();
    for (auto item : object) {
      ondemand::field field;
      if (std::move(item).get(field) != simdjson::SUCCESS) return false;
      const char* const key_place = field.key().raw();
      const JsonString key = read_json_string(text_from(key_place), builder_);
      Value child;
      if (!key.ok || !build(field.value(), depth, child)) return false;
      builder_.add_member(kept(key.content), offset_of(key_place) - 1, child);
    }
    builder_.check_duplicates(mark);
    out = builder_.finish_object(mark, static_cast<std::uint32_t>(offset));
    return true;
  }

  bool build_items(ondemand::array& array, std::size_t offset, std::size_t depth, Value& out) {
    const std::size_t mark = builder_.item_mark();
    for (auto item : array) {
      ondemand::value value;
      Value child;
      if (std::move(item).get(value) != simdjson::SUCCESS || !build(value, depth, child)) return false;
      builder_.add_item(child);
    }
    out = builder_.finish_array(mark, static_cast<std::uint32_t>(offset));
    return true;
  }

  bool build_string(ondemand::value& value, const char* place, Value& out) {
    ondemand::raw_json_string raw;
    if (value.get_raw_json_string().get(raw) != simdjson::SUCCESS) return false;
    const JsonString string = read_json_string(text_from(raw.raw()), builder_);
    out = Value(Kind::kString, kept(string.content), offset_of(place));
    return string.ok;
  }

  /// simdjson moves past a number that nobody asked for, so its conversion to double is never paid.
  bool build_number(const char* place, Value& out) {
    const std::string_view rest = text_from(place);
    const std::size_t length = json_number_length(rest);
    out = Value(Kind::kNumber, kept(rest.substr(0, length)), offset_of(place));
    return length != 0 && ends_json_scalar(rest, length);
  }

  bool build_bool(ondemand::value& value, const char* place, Value& out) const {
    bool truth = false;
    if (value.get_bool().get(truth) != simdjson::SUCCESS) return false;
    out = Value(truth ? Kind::kTrue : Kind::kFalse, offset_of(place));
    return ends_json_scalar(text_from(place), truth ? 4 : 5);
  }

  bool build_null(ondemand::value& value, const char* place, Value& out) const {
    bool null = false;
    if (value.is_null().get(null) != simdjson::SUCCESS || !null) return false;
    out = Value(Kind::kNull, offset_of(place));
    return ends_json_scalar(text_from(place), 4);
  }

  std::string_view text_;
  std::size_t max_depth_;
  TreeBuilder& builder_;
};

}  // namespace

bool build_json_tree(ondemand::document& document, std::string_view text, std::size_t offset, std::size_t max_depth,
                     TreeBuilder& builder, Value& root) {
  return JsonWalker(text, max_depth, builder).build_document(document, offset, root);
}

}  // namespace gpusched::io
