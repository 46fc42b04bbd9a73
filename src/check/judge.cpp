#include "gpusched/check/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "check/values.hpp"
#include "gpusched/base/quantity.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/check/diff.hpp"
#include "gpusched/io/value_json.hpp"

namespace gpusched::check {

namespace {

using io::Value;
using What = Mismatch::What;

constexpr std::size_t kMaxShown = 1'000;  // of one value
constexpr std::size_t kMaxTexts = 5;
constexpr int kHighestAnswer = 1;  // exit codes above it are no answers
constexpr std::array<std::string_view, 8> kPhrases = {"",       "anything but ", "at least ", "at most ",
                                                      "above ", "below ",        "with ",     "absent"};

std::string shown(const Value& value) {
  return shorten(io::to_json(value), kMaxShown);
}

std::string json_string(std::string_view text) {
  std::string out;
  io::append_json_string(text, out);
  return out;
}

/// The texts that tell why: those under `message`, `messages` and `error` anywhere in a document, and the `reason` of a
/// claim. The same text once.
class MessageTexts {
 public:
  explicit MessageTexts(const Value& root) { visit(root); }
  std::vector<std::string_view> take() { return std::move(texts_); }

 private:
  void visit(const Value& value) {
    for (const Value& item : value.items()) {
      visit(item);
    }
    const bool claim = value.find("allocation") != nullptr;
    for (const io::Member& member : value.members()) {
      const std::string_view key = member.key();
      if (key == "message" || key == "error" || (claim && key == "reason")) {
        add(member.value);
      } else if (key == "messages") {
        std::ranges::for_each(member.value.items(), [&](const Value& text) { add(text); });
      }
      visit(member.value);
    }
  }

  void add(const Value& value) {
    if (!value.text().empty() && std::ranges::find(texts_, value.text()) == texts_.end()) {
      texts_.push_back(value.text());
    }
  }

  std::vector<std::string_view> texts_;
};

/// Of an answer that is none: the lines of standard error without what stands before a message.
std::vector<std::string_view> error_lines(std::string_view errors) {
  std::vector<std::string_view> lines;
  while (!errors.empty()) {
    const std::size_t end = std::min(errors.find('\n'), errors.size());
    std::string_view line = errors.substr(0, end);
    errors.remove_prefix(std::min(end + 1, errors.size()));
    for (const std::string_view before : {"error: ", "  hint: "}) {
      if (line.starts_with(before)) {
        line.remove_prefix(before.size());
      }
    }
    if (!line.empty()) {
      lines.push_back(line);
    }
  }
  return lines;
}

/// Numbers of a threshold: JSON numbers, or quantities such as "80Gi". None when the two cannot be compared.
std::optional<int> compare(const Value& value, const Value& limit) {
  if (value.is_number() && limit.is_number()) {
    return compare_numbers(value.text(), limit.text());
  }
  const auto is_amount = [](const Value& each) { return each.is_number() || each.is_string(); };
  const auto a = try_parse_quantity(value.text());
  const auto b = try_parse_quantity(limit.text());
  return is_amount(value) && is_amount(limit) && a && b ? std::optional(a->compare(*b)) : std::nullopt;
}

bool within(Relation relation, int order) {
  return relation == Relation::kAtLeast  ? order >= 0
         : relation == Relation::kAtMost ? order <= 0
         : relation == Relation::kAbove  ? order > 0
                                         : order < 0;
}

/// Of {min, max} the end that is worse for the threshold.
const Value& worse_end(const Value& value, Relation relation) {
  const bool low = relation == Relation::kAtLeast || relation == Relation::kAbove;
  const Value* const end = value.find(low ? "min" : "max");
  return end == nullptr ? value : *end;
}

bool contains(const Value& value, const Value& part) {
  if (value.is_string()) {
    return part.is_string() && value.text().contains(part.text());
  }
  return std::ranges::any_of(value.items(), [&](const Value& item) { return same_value(item, part); });
}

class Judge {
 public:
  Judge(const Question& question, const Answer& answer) : question_(question), answer_(answer) {}

  Judgement run() {
    if (!answer_.broken.empty()) {
      add(What::kRun, "an answer", answer_.broken);
      return std::move(result_);
    }
    exit_code();
    verdict();
    message();
    for (const FieldExpectation& field : question_.fields) {
      fields(field);
    }
    outputs();
    return std::move(result_);
  }

 private:
  Mismatch& add(What what, std::string expected, std::string found) {
    return result_.mismatches.emplace_back(
        Mismatch{.what = what, .pointer = {}, .expected = std::move(expected), .found = std::move(found)});
  }
  void may_become(Mismatch& mismatch, const Value& recorded, std::string replacement) {
    mismatch.recorded = recorded;
    mismatch.replacement = std::move(replacement);
  }

  void exit_code() {
    const std::string found = std::to_string(answer_.exit);
    if (!question_.exit) {
      if (answer_.exit > kHighestAnswer) {
        add(What::kExit, "an answer, exit code 0 or 1", answer_.errors.empty() ? found : found + ": " + first_errors());
      }
    } else if (question_.exit->text() != found) {
      // An error says why; for a plain no the answer itself does.
      const bool failed = answer_.exit > kHighestAnswer && !answer_.errors.empty();
      may_become(add(What::kExit, std::string(question_.exit->text()), failed ? found + ": " + first_errors() : found),
                 *question_.exit, found);
    }
  }

  std::string first_errors() const {
    const std::vector<std::string_view> lines = error_lines(answer_.errors);
    return shorten(
        join(std::vector(lines.begin(), lines.begin() + std::min<std::ptrdiff_t>(std::ssize(lines), 3)), "; "),
        kMaxShown);
  }

  /// Of a pod, or of the claims that dra took together.
  void verdict() {
    if (!question_.verdict) {
      return;
    }
    const Value* found = nullptr;
    for (const std::string_view key : {"/verdict", "/outcome"}) {
      found = found == nullptr && answer_.document ? find_value(answer_.document->root, key) : found;
    }
    const std::string expected(question_.verdict->text());
    if (found == nullptr) {
      add(What::kVerdict, expected, "this answer has no verdict");
    } else if (found->text() != expected) {
      may_become(add(What::kVerdict, expected, std::string(found->text())), *question_.verdict,
                 json_string(found->text()));
    }
  }

  void message() {
    if (!question_.message && !question_.message_contains) {
      return;
    }
    const std::vector<std::string_view> texts =
        answer_.document ? MessageTexts(answer_.document->root).take() : error_lines(answer_.errors);
    const Value& wanted = question_.message ? *question_.message : *question_.message_contains;
    const bool good = std::ranges::any_of(texts, [&](std::string_view text) {
      return question_.message ? text == wanted.text() : text.contains(wanted.text());
    });
    if (good || (question_.message && wanted.text().empty() && texts.empty())) {
      return;
    }
    std::string found;
    for (std::size_t i = 0; i < std::min(texts.size(), kMaxTexts); ++i) {
      found += (i == 0 ? "" : "; ") + shorten(texts[i], kMaxShown);
    }
    Mismatch& mismatch = add(What::kMessage, (question_.message ? "" : "a message with ") + std::string(wanted.text()),
                             found.empty() ? "no message" : found);
    if (question_.message && texts.size() == 1) {
      may_become(mismatch, wanted, json_string(texts.front()));
    }
  }

  void fields(const FieldExpectation& field) {
    const Value* const value = answer_.document ? find_value(answer_.document->root, field.pointer) : nullptr;
    for (const Rule& rule : field.rules) {
      const bool gone = value == nullptr;
      if (rule.relation == Relation::kAbsent ? gone : !gone && holds(field, rule, *value)) {
        continue;
      }
      const std::string expected = rule.relation == Relation::kAbsent ? "" : shown(rule.value);
      Mismatch& mismatch =
          add(What::kField, fmt::format("{}{}", kPhrases[static_cast<std::size_t>(rule.relation)], expected),
              gone ? missing(field.pointer) : shown(*value));
      mismatch.pointer = field.pointer;
      if (rule.relation == Relation::kEquals && !gone) {
        may_become(mismatch, rule.value, io::to_json(*value));
      }
    }
  }

  std::string missing(std::string_view pointer) const {
    const std::string nearest = answer_.document ? nearest_pointer(answer_.document->root, pointer) : std::string();
    return !answer_.document ? "there is no answer"
           : nearest.empty() ? "absent"
                             : fmt::format("absent; the answer has {}", shorten(nearest, kMaxShown));
  }

  bool holds(const FieldExpectation& field, const Rule& rule, const Value& value) {
    switch (rule.relation) {
      case Relation::kEquals:
        return same_value(value, rule.value);
      case Relation::kNot:
        return !same_value(value, rule.value);
      case Relation::kContains:
        return contains(value, rule.value);
      case Relation::kAbsent:
        return false;
      default:
        break;
    }
    const Value& end = worse_end(value, rule.relation);
    if (end.is_number() && rule.value.is_number()) {
      result_.measures.push_back(
          {field.pointer, rule.relation, std::string(rule.value.text()), std::string(end.text())});
    }
    const std::optional<int> order = compare(end, rule.value);
    return order && within(rule.relation, *order);
  }

  void golden() {
    if (question_.golden.empty() || (answer_.golden_error.empty() && answer_.golden == answer_.output)) {
      return;
    }
    if (!answer_.golden_error.empty()) {
      add(What::kGolden, question_.golden, answer_.golden_error);
      return;
    }
    Mismatch& mismatch = add(What::kGolden, question_.golden,
                             answer_.golden ? "another output" : "no such file (check --update writes it)");
    mismatch.diff = unified_diff(answer_.golden.value_or(""), answer_.output, question_.golden, "now");
    mismatch.replacement = answer_.output;
  }

  void outputs() {
    golden();
    if (question_.output && answer_.output != question_.output->text()) {
      Mismatch& mismatch = add(What::kOutput, "the output of the suite", "another output");
      mismatch.diff = unified_diff(question_.output->text(), answer_.output, "expected", "now");
      may_become(mismatch, *question_.output, json_string(answer_.output));
    }
  }

  const Question& question_;
  const Answer& answer_;
  Judgement result_;
};

}  // namespace

std::string_view name_of(Mismatch::What what) {
  static constexpr std::array<std::string_view, 7> kNames = {"run",   "exit",   "verdict", "message",
                                                             "field", "golden", "output"};
  return kNames[static_cast<std::size_t>(what)];
}

Judgement judge(const Question& question, const Answer& answer) {
  return Judge(question, answer).run();
}

std::string command_line(const std::vector<std::string>& words) {
  static constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:@%+";
  std::string line;
  for (const std::string& word : words) {
    line += line.empty() ? "" : " ";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) {
      line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    line += '\'';
  }
  return line;
}

}  // namespace gpusched::check
