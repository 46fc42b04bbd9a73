#include "io/yaml_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gpusched/base/text.hpp"
#include "io/excerpt.hpp"
#include "io/json_token.hpp"
#include "io/yaml_scalar.hpp"

namespace gpusched::io {

namespace {

constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

/// yaml-cpp's tags of nodes without a tag in the text: plain, and quoted or block.
constexpr std::string_view kPlainTag = "?";
constexpr std::string_view kQuotedTag = "!";

std::string short_tag(std::string_view tag) {
  return tag.starts_with(kTagPrefix) ? "!!" + std::string(tag.substr(kTagPrefix.size())) : std::string(tag);
}

/// yaml-cpp decodes the escapes \N and \_ to the lone bytes 0x85 and 0xa0 where U+0085 and U+00A0 are meant.
std::string repair_escapes(std::string_view text) {
  std::string repaired;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i, 4));
    if (length == 0) repaired += '\xC2';
    const std::size_t step = std::max<std::size_t>(1, length);
    repaired += text.substr(i, step);
    i += step;
  }
  return repaired;
}

bool kind_fits_tag(const YamlScalar& scalar, std::string_view name) {
  if (name == "int") return scalar.kind == Kind::kNumber && scalar.number.find_first_of(".eE") == std::string::npos;
  if (name == "float") return scalar.kind == Kind::kNumber;
  if (name == "bool") return scalar.kind == Kind::kTrue || scalar.kind == Kind::kFalse;
  return name == "null" && scalar.kind == Kind::kNull;
}

}  // namespace

void YamlEvents::refuse(std::size_t offset, std::string code, std::string message, std::string hint) const {
  throw YamlRefusal{{offset, std::move(code), std::move(message), std::move(hint)}};
}

std::uint32_t YamlEvents::offset_of(const YAML::Mark& mark) const {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(mark.pos, 0, static_cast<std::int64_t>(text_.size())));
}

/// A document after the first one starts with `---`, or behind `...` with directives and comments between. yaml-cpp
/// asks for neither, and at a token such as a lone ',' it gives one empty document after the other.
bool YamlEvents::may_start_document(std::uint32_t offset) const {
  if (!document_start_) return true;
  if (*document_start_ == offset) return false;
  if (text_.substr(offset, 3) == "---") return true;
  std::string_view before = text_.substr(0, offset);
  while (!before.empty()) {
    const std::size_t line_break = before.rfind('\n');
    const std::size_t start = line_break == std::string_view::npos ? 0 : line_break + 1;
    const std::string_view line = before.substr(start);
    if (line.starts_with("...")) return true;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#' && line[first] != '%') return false;
    before = before.substr(0, start == 0 ? 0 : start - 1);
  }
  return false;
}

void YamlEvents::OnDocumentStart(const YAML::Mark& mark) {
  const std::uint32_t offset = offset_of(mark);
  if (!may_start_document(offset)) {
    refuse(offset, "yaml-syntax",
           fmt::format("expected '---' or the end of the text, found {}", found_at(text_, offset)),
           "check the indentation, or separate documents by a line with ---");
  }
  if (roots_.size() >= limits_.max_documents) refuse(offset, "too-many-documents", "too many documents in one input");
  document_start_ = offset;
  anchors_.clear();
  open_.clear();
  alias_values_ = 0;
}

void YamlEvents::OnDocumentEnd() {}

void YamlEvents::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const std::uint32_t offset = offset_of(mark);
  // yaml-cpp takes a block key without ':' as one with the value null, and then gives the key's own place for it.
  if (!open_.empty() && open_.back().block && open_.back().has_key && open_.back().key_offset == offset) {
    refuse(offset, "yaml-syntax", fmt::format("expected ':' after the key {}", quote(open_.back().key)),
           "put a text of several lines in quotes, or check the indentation");
  }
  const Node node{Value(Kind::kNull, offset), 1, 0, true};
  remember(anchor, node);
  add(node);
}

void YamlEvents::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  if (anchor >= anchors_.size() || !anchors_[anchor].complete) {
    refuse(offset_of(mark), "alias-loop",
           fmt::format("the alias {} stands inside its own anchor", found_at(text_, offset_of(mark) + 1)));
  }
  const Node node = anchors_[anchor];
  alias_values_ += node.weight;
  if (alias_values_ > limits_.max_alias_values) {
    refuse(offset_of(mark), "alias-bomb",
           fmt::format("the aliases up to here stand for more than {} values", limits_.max_alias_values),
           "write the values out, or use fewer aliases of aliases");
  }
  if (open_.size() + node.height > limits_.max_depth) {
    refuse(offset_of(mark), "too-deep",
           fmt::format("with this alias more than {} objects and lists are nested", limits_.max_depth));
  }
  add(node);
}

YamlEvents::Node YamlEvents::string_node(std::uint32_t offset, const std::string& value) {
  if (!valid_utf8(value)) {
    return {Value(Kind::kString, builder_.keep(repair_escapes(value)), offset), 1, 0, true};
  }
  return {Value(Kind::kString, builder_.keep(value), offset), 1, 0, true};
}

YamlEvents::Node YamlEvents::scalar_node(std::uint32_t offset, const std::string& tag, const std::string& value) {
  const bool core_tag = tag.starts_with(kTagPrefix);
  const std::string_view name = core_tag ? std::string_view(tag).substr(kTagPrefix.size()) : std::string_view();
  if (tag == kQuotedTag || name == "str" || name == "timestamp") return string_node(offset, value);
  const bool plain = tag == kPlainTag || tag.empty();
  if (!plain && name != "int" && name != "float" && name != "bool" && name != "null") {
    refuse(offset, "yaml-tag", fmt::format("the tag {} is not known", quote(short_tag(tag))),
           "known are !!str, !!int, !!float, !!bool, !!null, !!map and !!seq");
  }
  YamlScalar scalar = resolve_plain_scalar(value);
  if (!plain && !kind_fits_tag(scalar, name)) {
    refuse(offset, "yaml-tag", fmt::format("{} does not fit its tag {}", quote(value), quote(short_tag(tag))));
  }
  if (scalar.infinite) {
    refuse(offset, "not-a-number", fmt::format("{} cannot be used: a number must be finite", quote(value)),
           "put it in quotes if it is a string");
  }
  if (scalar.kind == Kind::kNumber) {
    return {Value(Kind::kNumber, builder_.keep(scalar.number), offset), 1, 0, true};
  }
  if (scalar.kind != Kind::kString) return {Value(scalar.kind, offset), 1, 0, true};
  Node node = string_node(offset, value);
  node.merge = plain && value == "<<";
  return node;
}

/// yaml-cpp takes the end of the text as the end of a quoted string when a line break comes before it.
void YamlEvents::check_closed(std::uint32_t offset) const {
  std::size_t at = offset;
  while (at < text_.size() && (text_[at] == '&' || text_[at] == '!')) {  // anchor and tag come first
    at = std::min(text_.find_first_of(" \t\r\n", at), text_.size());
    at = std::min(text_.find_first_not_of(" \t\r\n", at), text_.size());
  }
  if (at == text_.size() || (text_[at] != '"' && text_[at] != '\'')) return;
  const std::string_view ends = text_[at] == '"' ? "\"\\" : "'";
  std::size_t end = text_.find_first_of(ends, at + 1);
  while (end < text_.size()) {
    const bool escape = text_[end] == '\\' || text_.substr(end, 2) == "''";
    if (!escape) return;
    end = text_.find_first_of(ends, end + 2);
  }
  refuse(at, "cut-off", "the quoted string that starts here is never closed",
         "the file may be cut off, or a closing quote is missing");
}

void YamlEvents::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                          const std::string& value) {
  check_closed(offset_of(mark));
  const Node node = scalar_node(offset_of(mark), tag, value);
  remember(anchor, node);
  add(node);
}

void YamlEvents::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                                 YAML::EmitterStyle::value style) {
  open(false, mark, tag, anchor, style);
}

void YamlEvents::OnSequenceEnd() {
  close();
}

void YamlEvents::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                            YAML::EmitterStyle::value style) {
  open(true, mark, tag, anchor, style);
}

void YamlEvents::OnMapEnd() {
  close();
}

void YamlEvents::open(bool object, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                      YAML::EmitterStyle::value style) {
  const std::uint32_t offset = offset_of(mark);
  if (!open_.empty() && open_.back().object && !open_.back().has_key) {
    if (text_.substr(offset, 1).find_first_of("[{") == 0 &&
        json_document_end(text_, offset) == std::string_view::npos) {
      refuse(offset, "cut-off",
             fmt::format("the bracket {} that stands here is never closed", found_at(text_, offset)));
    }
    refuse(offset, "yaml-key", object ? "an object cannot be a key" : "a list cannot be a key",
           "if this is a template, render it first");
  }
  if (open_.size() >= limits_.max_depth) {
    refuse(offset, "too-deep", fmt::format("more than {} objects and lists are nested here", limits_.max_depth));
  }
  const std::string fitting = std::string(kTagPrefix) + (object ? "map" : "seq");
  if (!tag.empty() && tag != kPlainTag && tag != kQuotedTag && tag != fitting) {
    refuse(offset, "yaml-tag", fmt::format("the tag {} is not known", quote(short_tag(tag))),
           "known are !!str, !!int, !!float, !!bool, !!null, !!map and !!seq");
  }
  Frame frame;
  frame.object = object;
  frame.block = style == YAML::EmitterStyle::Block;
  frame.mark = object ? builder_.member_mark() : builder_.item_mark();
  frame.offset = offset;
  frame.anchor = anchor;
  remember(anchor, Node{});
  open_.push_back(std::move(frame));
}

void YamlEvents::close() {
  Frame frame = std::move(open_.back());
  open_.pop_back();
  Node node;
  node.weight = frame.weight;
  node.height = frame.height;
  node.complete = true;
  if (frame.object) {
    builder_.check_duplicates(frame.mark);
    if (!frame.merged.empty()) builder_.merge_members(frame.mark, frame.merged);
    node.value = builder_.finish_object(frame.mark, frame.offset);
  } else {
    node.value = builder_.finish_array(frame.mark, frame.offset);
  }
  remember(frame.anchor, node);
  add(node);
}

void YamlEvents::remember(YAML::anchor_t anchor, const Node& node) {
  if (anchor == 0) return;
  if (anchors_.size() <= anchor) anchors_.resize(anchor + 1);
  anchors_[anchor] = node;
}

void YamlEvents::add(const Node& node) {
  if (open_.empty()) {
    if (node.value.is_null()) return;  // an empty document
    if (!node.value.is_array() && !node.value.is_object()) {
      refuse(node.value.offset(), "not-a-document",
             fmt::format("expected an object or a list, found {}", describe(node.value)),
             "an input holds 'key: value' lines, or JSON");
    }
    roots_.push_back(node.value);
    return;
  }
  Frame& frame = open_.back();
  if (frame.object && !frame.has_key) {
    add_key(frame, node);
    return;
  }
  frame.weight += node.weight;
  frame.height = std::max(frame.height, node.height + 1);
  if (!frame.object) {
    builder_.add_item(node.value);
    return;
  }
  frame.has_key = false;
  if (frame.merge_key) {
    add_merge(frame, node.value);
  } else {
    builder_.add_member(frame.key, frame.key_offset, node.value);
  }
}

/// Keys become strings as in JSON: numbers by their text, booleans as "true" and "false".
void YamlEvents::add_key(Frame& frame, const Node& node) {
  const Value& key = node.value;
  if (key.is_null()) refuse(key.offset(), "yaml-key", "null cannot be a key", "put it in quotes if it is a string");
  if (key.is_array() || key.is_object())
    refuse(key.offset(), "yaml-key", "an alias of an object or list cannot be a key");
  frame.has_key = true;
  frame.merge_key = node.merge;
  frame.key_offset = key.offset();
  frame.key = key.is_bool() ? (key.as_bool() ? "true" : "false") : key.text();
}

void YamlEvents::add_merge(Frame& frame, const Value& value) const {
  if (value.is_object()) {
    frame.merged.insert(frame.merged.end(), value.members().begin(), value.members().end());
    return;
  }
  const bool objects = value.is_array() && std::ranges::all_of(value.items(), &Value::is_object);
  if (!objects) {
    refuse(value.offset(), "yaml-merge",
           fmt::format("'<<' merges an object or a list of objects, found {}", describe(value)));
  }
  for (const Value& item : value.items()) {
    frame.merged.insert(frame.merged.end(), item.members().begin(), item.members().end());
  }
}

}  // namespace gpusched::io
