#include "gpusched/check/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "gpusched/base/text.hpp"
#include "gpusched/check/baseline.hpp"
#include "gpusched/io/decode.hpp"
#include "gpusched/io/document_kind.hpp"
#include "gpusched/io/value_json.hpp"

namespace gpusched::check {

namespace {

using io::Value;

constexpr std::array<std::string_view, 8> kRelations = {"equals", "not",   "atLeast",  "atMost",
                                                        "above",  "below", "contains", "absent"};
constexpr std::array<std::string_view, 1> kDocumentVersions = {"gpusched/v1alpha1"};
constexpr std::int64_t kMaxExit = 255;

/// "1.37" or "1.36.2": digits with one or two points.
bool is_version(std::string_view text) {
  int points = 0;
  bool digit = false;
  for (const char c : text) {
    if (c == '.' && digit) {
      ++points;
      digit = false;
    } else if (c >= '0' && c <= '9') {
      digit = true;
    } else {
      return false;
    }
  }
  return digit && (points == 1 || points == 2);
}

/// Whether a path that is relative to a folder leads to something in it.
bool stays_inside(std::string_view path) {
  const std::string plain = plain_path(path);
  return !plain.empty() && !plain.starts_with('/') && plain != ".." && !plain.starts_with("../");
}

class SuiteReader {
 public:
  explicit SuiteReader(const io::Document& document) : decoder_(document) { suite_.document = document; }

  Result<Suite> read() {
    const Value& document = suite_.document.root;
    if (document.find("questions") == nullptr && !io::reader_of(document).empty()) {
      decoder_.error(document, "not-a-suite",
                     fmt::format("expected a suite with \"questions\", found {}", io::describe_document(document)),
                     std::string(io::reader_of(document)));
    } else {
      io::ObjectReader root(decoder_, suite_.document.root, "suite");
      root.object("pins", [&](const Value& value) { read_pins(value); });
      if (root.require("questions") != nullptr) {
        root.array("questions", [&](const Value& value, std::size_t index) { read_question(value, index); });
        if (suite_.questions.empty() && !decoder_.failed()) {
          root.error("questions", "no-questions", "the suite has no question");
        }
      }
    }
    Diagnostics found = decoder_.take_diagnostics();
    if (!found.empty()) {
      return std::unexpected(std::move(found));
    }
    return std::move(suite_);
  }

 private:
  void read_pins(const Value& value) {
    io::ObjectReader pins(decoder_, value, "pins");
    suite_.pins.kubernetes = version(pins, "kubernetes", "1.37 or 1.36.2");
    suite_.pins.kueue = version(pins, "kueue", "0.17");
    suite_.pins.documents = pins.optional_one_of("documents", kDocumentVersions).has_value();
    pins.object("features", [&](const Value& features) {
      for (const io::Member& member : features.members()) {
        decoder_.at_key(member.key(), [&] {
          if (!member.value.is_bool()) {
            decoder_.error(member.value, "wrong-type",
                           fmt::format("a feature is true or false, not {}", shorten(io::to_json(member.value))));
          }
        });
        suite_.pins.features.push_back(fmt::format("{}={}", member.key(), member.value.as_bool()));
      }
    });
  }

  std::string version(io::ObjectReader& pins, std::string_view key, std::string_view example) {
    std::string text(pins.optional_text(key).value_or(""));
    if (!text.empty() && !is_version(text)) {
      pins.error(key, "not-a-version", fmt::format("a version such as {}, not {}", example, quote(text)));
    }
    return text;
  }

  void read_question(const Value& value, std::size_t index) {
    Question question;
    question.index = index;
    question.line = io::position_of(suite_.document.text(), value.offset()).line;
    io::ObjectReader reader(decoder_, value, "question");
    question.name = reader.required_string("name");
    reader.set_name(question.name);
    if (question.name.empty() && value.find("name") != nullptr) {
      reader.error("name", "empty-name", "a question needs a name");
    } else if (!names_.emplace(question.name, question.line).second) {
      reader.error(
          "name", "duplicate-name",
          fmt::format("there is a question {} already, in line {}", quote(question.name), names_.at(question.name)));
    }
    read_command(reader, question);
    question.input = reader.optional_string("input").value_or("");
    question.golden = reader.optional_string("golden").value_or("");
    if (!question.golden.empty() && !stays_inside(question.golden)) {
      reader.error("golden", "outside-the-suite",
                   fmt::format("{} is no file in the suite's folder", quote(question.golden, 200)),
                   "golden files stand beside their suite or in folders below, for example golden/frag.txt");
    }
    if (reader.optional_int64("exit", 0, kMaxExit)) {
      question.exit = *value.find("exit");
    }
    question.verdict = text_value(reader, value, "verdict");
    question.output = text_value(reader, value, "output");
    read_message(reader, question);
    const bool fields = reader.object("fields", [&](const Value& each) { read_fields(each, question); });
    if (!question.golden.empty() && question.output) {
      reader.error("output", "two-outputs", "the whole output is expected twice: `golden` and `output`", "keep one");
    }
    const bool expects = question.exit || question.verdict || question.message || question.message_contains || fields ||
                         !question.golden.empty() || question.output;
    if (!expects) {
      decoder_.error(value, "no-expectation", "the question expects nothing",
                     "give exit, verdict, message, fields, golden or output");
    }
    suite_.questions.push_back(std::move(question));
  }

  std::optional<Value> text_value(io::ObjectReader& reader, const Value& question, std::string_view key) {
    return reader.optional_string(key) ? std::optional(*question.find(key)) : std::nullopt;
  }

  void read_command(io::ObjectReader& reader, Question& question) {
    const Value* const command = reader.require("command");
    if (command == nullptr) {
      return;
    }
    if (command->is_string()) {
      std::string why;
      std::optional<std::vector<std::string>> words = split_words(command->text(), why);
      if (!words) {
        reader.error("command", "not-a-command", fmt::format("{} is no command: {}", quote(command->text()), why),
                     "a list of words needs no quotes");
        return;
      }
      question.command = std::move(*words);
    } else {
      for (const std::string_view word : reader.strings("command")) {
        question.command.emplace_back(word);
      }
    }
    if (!question.command.empty() && question.command.front() == "gpusched") {
      question.command.erase(question.command.begin());
    }
    if (question.command.empty() && !decoder_.failed()) {
      reader.error("command", "not-a-command", "the command is empty", "for example: place cluster.json pods.json");
    }
  }

  void read_message(io::ObjectReader& reader, Question& question) {
    const Value* const message = reader.find("message");
    if (message == nullptr || message->is_string()) {
      question.message = message == nullptr ? std::nullopt : std::optional(*message);
      return;
    }
    reader.object("message", [&](const Value& value) {
      io::ObjectReader parts(decoder_, value, "message");
      if (!parts.required_string("contains").empty()) {
        question.message_contains = *value.find("contains");
      }
    });
  }

  void read_fields(const Value& fields, Question& question) {
    for (const io::Member& member : fields.members()) {
      decoder_.at_key(member.key(), [&] {
        if (!member.key().empty() && member.key().front() != '/') {
          decoder_.error(member.value, "not-a-pointer",
                         fmt::format("{} is no JSON pointer: it starts with /", quote(member.key())),
                         "for example /fragmentation/free or /pods/name=train-8/node");
          return;
        }
        FieldExpectation field{std::string(member.key()), {}};
        if (member.value.is_object()) {
          read_rules(member.value, field);
        } else {
          field.rules.push_back({Relation::kEquals, member.value});
        }
        question.fields.push_back(std::move(field));
      });
    }
  }

  void read_rules(const Value& value, FieldExpectation& field) {
    io::ObjectReader reader(decoder_, value, "expectation");
    for (std::size_t i = 0; i < kRelations.size(); ++i) {
      const auto relation = static_cast<Relation>(i);
      // null is a value like others here, but reads as absent
      const Value* const found = reader.find(kRelations[i]) != nullptr ? value.find(kRelations[i]) : nullptr;
      if (found == nullptr) {
        continue;
      }
      if (is_threshold(relation) && !found->is_number() && !found->is_string()) {
        reader.error(kRelations[i], "wrong-type", "a threshold is a number, or a quantity as text");
      }
      if (relation == Relation::kAbsent && found->kind() != io::Kind::kTrue) {
        reader.error(kRelations[i], "wrong-type", "`absent` can only be true");
      }
      field.rules.push_back({relation, *found});
    }
    if (field.rules.empty() && !decoder_.failed()) {
      decoder_.error(value, "no-expectation", "nothing is expected of the value",
                     fmt::format("one of {}", join(kRelations, ", ")));
    }
  }

  Suite suite_;
  io::Decoder decoder_;
  std::map<std::string, std::uint32_t, std::less<>> names_;
};

}  // namespace

std::string_view name_of(Relation relation) {
  return kRelations[static_cast<std::size_t>(relation)];
}

Result<Suite> read_suite(const io::Document& document) {
  return SuiteReader(document).read();
}

Diagnostic question_error(const Suite& suite, const Question& question, std::string_view key, std::string code,
                          std::string message, std::string hint) {
  const io::Value* const value = suite.document.root.find("questions")->items()[question.index].find(key);
  const io::Position position =
      value == nullptr ? io::Position{question.line, 1} : io::position_of(suite.document.text(), value->offset());
  return {.code = std::move(code),
          .message = std::move(message),
          .source = suite.file(),
          .line = position.line,
          .column = position.column,
          .pointer = fmt::format("/questions/{}/{}", question.index, key),
          .object = fmt::format("question {}", question.name),
          .hint = std::move(hint)};
}

}  // namespace gpusched::check
