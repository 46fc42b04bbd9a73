#include "io/csv.hpp"

namespace gpusched::io {

namespace {

void trim(std::string& cell) {
  const std::size_t last = cell.find_last_not_of(" \t\r");
  cell.erase(last == std::string::npos ? 0 : last + 1);
  cell.erase(0, cell.find_first_not_of(" \t"));
}

}  // namespace

bool CsvReader::next(std::vector<std::string>& cells) {
  // Blank lines.
  while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) {
    line_ += text_[at_++] == '\n' ? 1U : 0U;
  }
  record_line_ = line_;
  cells.clear();
  if (at_ == text_.size()) {
    return false;
  }
  std::string cell;
  for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
    const char c = text_[at_];
    if (c == ',') {
      trim(cell);
      cells.push_back(std::move(cell));
      cell.clear();
    } else if (c == '"' && cell.find_first_not_of(" \t") == std::string::npos) {
      read_quoted(cell);
    } else {
      cell += c;
    }
  }
  if (at_ < text_.size()) {
    ++at_;
    ++line_;
  }
  trim(cell);
  cells.push_back(std::move(cell));
  return true;
}

// Leaves at_ on the closing quote, or one before the end.
void CsvReader::read_quoted(std::string& cell) {
  cell.clear();
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '"') {
      if (at_ + 1 == text_.size() || text_[at_ + 1] != '"') {
        return;
      }
      ++at_;
    }
    line_ += text_[at_] == '\n' ? 1U : 0U;
    cell += text_[at_];
  }
  unclosed_ = true;
  --at_;
}

}  // namespace gpusched::io
