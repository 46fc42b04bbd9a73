#include "gpusched/check/update.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "check/value_spelling.hpp"
#include "check/values.hpp"

namespace gpusched::check {

namespace {

using io::Value;

/// An edit that may be tried.
struct Edit {
  Value place;
  std::string_view json;
  io::Document read;  ///< the new value alone in a list
  std::size_t index;  ///< among all edits

  [[nodiscard]] std::uint32_t at() const { return place.offset(); }
  [[nodiscard]] const Value& wanted() const { return read.root.items().front(); }
};
using Edits = std::span<const Edit>;

/// Holds the document after an edit against the one before.
class Comparison {
 public:
  explicit Comparison(Edits edits) {
    for (const Edit& edit : edits) {
      wanted_.emplace(edit.at(), &edit.wanted());
    }
  }

  /// Whether all is as before but the values of the edits, and these are there and as wanted.
  bool holds(const Value& before, const Value& after) { return same(before, after) && seen_.size() == wanted_.size(); }

 private:
  bool same(const Value& before, const Value& after) {
    if (const auto found = wanted_.find(before.offset()); found != wanted_.end()) {
      const bool as_wanted = same_value(after, *found->second);
      // A list in block style starts where its first element does: then the element is meant.
      if (as_wanted || !(before.is_object() || before.is_array())) {
        seen_.insert(before.offset());
        return as_wanted;
      }
    }
    if (before.kind() != after.kind() || before.text() != after.text() ||
        before.items().size() != after.items().size() || before.members().size() != after.members().size()) {
      return false;
    }
    for (std::size_t i = 0; i < before.items().size(); ++i) {
      if (!same(before.items()[i], after.items()[i])) {
        return false;
      }
    }
    for (std::size_t i = 0; i < before.members().size(); ++i) {
      const io::Member& a = before.members()[i];
      const io::Member& b = after.members()[i];
      if (a.key() != b.key() || !same(a.value, b.value)) {
        return false;
      }
    }
    return true;
  }

  std::map<std::uint32_t, const Value*> wanted_;
  std::set<std::uint32_t> seen_;
};

/// The text read again, if it says what the edits want.
std::optional<io::Document> read_again(const io::Document& before, std::string text, Edits edits) {
  auto again = io::parse_documents({before.source_name(), std::move(text)});
  const bool good = again && again->size() == 1 && Comparison(edits).holds(before.root, again->front().root);
  return good ? std::optional(std::move(again->front())) : std::nullopt;
}

/// Every spelling with every end, until one is right.
std::optional<io::Document> replace_one(const io::Document& document, const Edit& edit) {
  const std::string_view text = document.text();
  const std::vector<std::size_t> ends = possible_ends(text, edit.place);
  for (const std::string& replacement : spellings(text, edit.at(), edit.wanted(), edit.json)) {
    for (const std::size_t end : ends) {
      std::string edited(text.substr(0, edit.at()));
      edited.append(replacement).append(text.substr(end));
      if (auto again = read_again(document, std::move(edited), Edits(&edit, 1))) {
        return again;
      }
    }
  }
  return std::nullopt;
}

/// The likeliest spelling and end of each, with one reading for all of them.
std::optional<io::Document> replace_at_once(const io::Document& document, Edits edits) {
  std::string edited(document.text());
  for (const Edit& edit : edits) {
    const std::size_t end = possible_ends(document.text(), edit.place).front();
    edited.replace(edit.at(), end - edit.at(), spellings(document.text(), edit.at(), edit.wanted(), edit.json).front());
  }
  return read_again(document, std::move(edited), edits);
}

/// Makes the edits, which are sorted back to front: what stands before an edit keeps its place. When they do not go all
/// at once, the halves are tried.
void replace(Edits edits, EditedDocument& result) {
  if (edits.empty()) {
    return;
  }
  auto edited =
      edits.size() == 1 ? replace_one(result.document, edits.front()) : replace_at_once(result.document, edits);
  if (edited) {
    result.document = std::move(*edited);
    std::ranges::for_each(edits, [&](const Edit& edit) { result.made[edit.index] = true; });
  } else if (edits.size() > 1) {
    replace(edits.first(edits.size() / 2), result);
    replace(edits.subspan(edits.size() / 2), result);
  }
}

}  // namespace

EditedDocument replace_values(const io::Document& document, std::span<const ValueEdit> edits) {
  EditedDocument result{document, std::vector<bool>(edits.size())};
  const std::string_view text = document.text();
  std::vector<Edit> tried;
  std::map<std::uint32_t, std::size_t> first_at;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const Value& place = edits[i].place;
    const std::size_t at = place.offset();
    const bool in_block =
        at < text.size() && (place.is_array() || place.is_object()) && text[at] != '[' && text[at] != '{';
    if (at >= text.size() || in_block || !first_at.emplace(place.offset(), i).second) {
      continue;
    }
    if (auto read = io::parse_documents({"replacement", "[" + edits[i].json + "]"})) {
      tried.push_back({place, edits[i].json, std::move(read->front()), i});
    }
  }
  std::ranges::sort(tried, std::greater(), &Edit::at);
  replace(tried, result);
  for (std::size_t i = 0; i < edits.size(); ++i) {  // an alias stands for one value several times
    const auto first = first_at.find(edits[i].place.offset());
    if (first != first_at.end() && first->second != i && edits[first->second].json == edits[i].json) {
      result.made[i] = result.made[first->second];
    }
  }
  return result;
}

}  // namespace gpusched::check
