#include "io/item_splitter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "io/excerpt.hpp"

namespace gpusched::io {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t npos = std::string_view::npos;
// Kind, version and metadata of a list are short; what is longer is not kept.
constexpr std::size_t kMaxEnvelopeBytes = 64 * 1024;

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}
bool ends_scalar(char c) {
  return is_blank(c) || c == ',' || c == '}' || c == ']';
}

std::string unquoted(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' ? std::string(text.substr(1, text.size() - 2)) : std::string();
}

}  // namespace

Result<Batch> ItemSplitter::next() {
  Batch batch;
  while (batch.items.empty() && errors_.empty()) {
    if (!refill(batch)) {
      break;
    }
    while (errors_.empty() && step(batch) == Step::kGoOn) {
    }
  }
  if (!errors_.empty()) {
    return std::unexpected(std::exchange(errors_, {}));
  }
  if (!batch.items.empty()) {
    // The unfinished rest stays here, the finished part goes out without a copy.
    std::string rest = text_.substr(keep_);
    batch.bytes = std::exchange(text_, std::move(rest));
    batch.bytes.append(Batch::kPadding, '\0');
    text_offset_ += keep_;
    at_ -= keep_;
    object_ -= std::min(object_, keep_);
    value_ -= std::min(value_, keep_);
    keep_ = 0;
  }
  return batch;
}

bool ItemSplitter::refill(Batch& batch) {
  if (end_of_stream_) {
    return false;
  }
  if (keep_ > 0) {
    text_.erase(0, keep_);
    text_offset_ += keep_;
    at_ -= keep_;
    object_ -= std::min(object_, keep_);
    keep_ = 0;
  }
  if (text_.size() > limits_.max_item_bytes) {
    errors_.push_back({});
    errors_.back().code = "object-too-large";
    errors_.back().message = fmt::format("one object of the input is larger than {} bytes", limits_.max_item_bytes);
    return false;
  }
  const std::size_t used = text_.size();
  Result<std::size_t> count = 0;
  text_.resize_and_overwrite(used + limits_.block_bytes, [&](char* data, std::size_t size) {
    count = stream_.read(std::span(data, size).subspan(used));
    return used + count.value_or(0);
  });
  if (!count) {
    errors_ = std::move(count.error());
    return false;
  }
  if (*count > 0) {
    return true;
  }
  end_of_stream_ = true;
  // A last number or word has no byte behind it that ends it; a blank does.
  text_ += '\n';
  while (errors_.empty() && step(batch) == Step::kGoOn) {
  }
  if (errors_.empty() && state_ != State::kBetween) {
    const Envelope& envelope = envelopes_.back();
    errors_.push_back({});
    errors_.back().code = "cut-input";
    errors_.back().message = envelope.is_list
                                 ? fmt::format("the input ends inside a list, after {} complete items", envelope.items)
                                 : std::string("the input ends inside an object");
    errors_.back().hint = "the file was cut or the command that wrote it failed; write it again";
  }
  return false;
}

ItemSplitter::Step ItemSplitter::step(Batch& batch) {
  switch (state_) {
    case State::kBetween:
      return between();
    case State::kMembers:
      return members(batch);
    case State::kItems:
      return items();
    case State::kItem:
      return finish_item(batch);
    case State::kValue:
      return finish_value();
  }
  return Step::kNeedMore;
}

void ItemSplitter::skip_blanks(bool commas) {
  while (at_ < text_.size() && (is_blank(text_[at_]) || (commas && text_[at_] == ','))) {
    ++at_;
  }
}

ItemSplitter::Step ItemSplitter::between() {
  skip_blanks(false);
  keep_ = object_ = at_;
  const std::string_view rest = std::string_view(text_).substr(at_);
  if (envelopes_.empty() && rest.starts_with(kByteOrderMark)) {
    at_ += kByteOrderMark.size();
    return Step::kGoOn;
  }
  if (at_ == text_.size() || (envelopes_.empty() && kByteOrderMark.starts_with(rest))) {
    return Step::kNeedMore;
  }
  const char first = text_[at_];
  if (first != '{' && first != '[') {
    syntax(fmt::format("expected an object, found {}", found_at(text_, at_)));
    return Step::kNeedMore;
  }
  ++at_;
  Envelope& envelope = envelopes_.emplace_back();
  array_document_ = first == '[';
  envelope.is_list = array_document_;
  metadata_.clear();
  state_ = array_document_ ? State::kItems : State::kMembers;
  return Step::kGoOn;
}

ItemSplitter::Step ItemSplitter::members(Batch& batch) {
  Envelope& envelope = envelopes_.back();
  skip_blanks(true);
  if (envelope.is_list) {
    keep_ = at_;  // the items are out, what follows is small
  }
  if (at_ == text_.size()) {
    return Step::kNeedMore;
  }
  if (text_[at_] == '}') {
    ++at_;
    if (!envelope.is_list) {
      add_item(batch, object_, at_, false);
    }
    keep_ = at_;
    state_ = State::kBetween;
    return Step::kGoOn;
  }
  if (text_[at_] != '"') {
    syntax(fmt::format("expected a member's name or '}}', found {}", found_at(text_, at_)));
    return Step::kNeedMore;
  }
  const std::size_t key_end = string_end(at_);
  const std::size_t colon = key_end == npos ? npos : text_.find_first_not_of(" \n\r\t", key_end);
  if (colon == npos) {
    return Step::kNeedMore;
  }
  if (text_[colon] != ':') {
    syntax(fmt::format("expected ':' after a member's name, found {}", found_at(text_, colon)));
    return Step::kNeedMore;
  }
  return start_value(colon);
}

ItemSplitter::Step ItemSplitter::start_value(std::size_t colon) {
  const std::size_t value = text_.find_first_not_of(" \n\r\t", colon + 1);
  if (value == npos) {
    return Step::kNeedMore;
  }
  key_ = text_.substr(at_ + 1, string_end(at_) - at_ - 2);
  const char first = text_[value];
  if (key_ == "items" && first == '[') {
    envelopes_.back().is_list = true;
    envelopes_.back().metadata = metadata_;
    at_ = keep_ = value + 1;
    state_ = State::kItems;
    return Step::kGoOn;
  }
  std::size_t end = npos;
  if (first == '{' || first == '[') {
    value_ = value;
    at_ = value + 1;
    scan_.start();
    state_ = State::kValue;
    return Step::kGoOn;
  }
  if (first == '"') {
    end = string_end(value);
  } else {
    const auto found = std::find_if(text_.begin() + static_cast<std::ptrdiff_t>(value), text_.end(), ends_scalar);
    end = found == text_.end() ? npos : static_cast<std::size_t>(found - text_.begin());
  }
  if (end == npos) {
    return Step::kNeedMore;
  }
  if (key_ == "kind") {
    envelopes_.back().type.kind =
        unquoted(std::string_view(text_).substr(value, std::min(end - value, kMaxEnvelopeBytes)));
  } else if (key_ == "apiVersion") {
    envelopes_.back().type.api_version =
        unquoted(std::string_view(text_).substr(value, std::min(end - value, kMaxEnvelopeBytes)));
  }
  at_ = end;
  return Step::kGoOn;
}

ItemSplitter::Step ItemSplitter::finish_value() {
  const std::size_t begin = at_;
  const std::size_t length = scan_.find_end(std::string_view(text_).substr(begin));
  if (length == npos) {
    at_ = text_.size();
    return Step::kNeedMore;
  }
  at_ = begin + length;
  if (key_ == "metadata" && at_ - value_ <= kMaxEnvelopeBytes) {
    metadata_.assign(text_, value_, at_ - value_);
    if (envelopes_.back().is_list) {
      envelopes_.back().metadata = metadata_;
    }
  }
  state_ = State::kMembers;
  return Step::kGoOn;
}

ItemSplitter::Step ItemSplitter::items() {
  skip_blanks(true);
  keep_ = at_;
  if (at_ == text_.size()) {
    return Step::kNeedMore;
  }
  if (text_[at_] == ']') {
    ++at_;
    keep_ = at_;
    state_ = array_document_ ? State::kBetween : State::kMembers;
    return Step::kGoOn;
  }
  if (text_[at_] != '{') {
    syntax(fmt::format("item {} of the list is no object: {}", envelopes_.back().items, found_at(text_, at_)));
    return Step::kNeedMore;
  }
  object_ = at_;
  ++at_;
  scan_.start();
  state_ = State::kItem;
  return Step::kGoOn;
}

ItemSplitter::Step ItemSplitter::finish_item(Batch& batch) {
  const std::size_t length = scan_.find_end(std::string_view(text_).substr(at_));
  if (length == npos) {
    at_ = text_.size();
    return Step::kNeedMore;
  }
  at_ += length;
  add_item(batch, object_, at_, true);
  keep_ = at_;
  state_ = State::kItems;
  return Step::kGoOn;
}

void ItemSplitter::add_item(Batch& batch, std::size_t begin, std::size_t end, bool in_list) {
  Envelope& envelope = envelopes_.back();
  batch.items.push_back({begin, end - begin, text_offset_ + begin, static_cast<std::uint32_t>(envelopes_.size() - 1),
                         static_cast<std::uint32_t>(envelope.items), in_list});
  ++envelope.items;
}

std::size_t ItemSplitter::string_end(std::size_t quote) const {
  for (std::size_t i = quote + 1; i < text_.size(); ++i) {
    if (text_[i] == '\\') {
      ++i;
    } else if (text_[i] == '"') {
      return i + 1;
    }
  }
  return npos;
}

void ItemSplitter::syntax(std::string message) {
  Diagnostic& error = errors_.emplace_back();
  error.code = "syntax";
  error.message = fmt::format("{} at byte {}", std::move(message), text_offset_ + at_);
}

}  // namespace gpusched::io
