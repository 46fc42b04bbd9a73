#include "cli/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/help.hpp"
#include "cli/words.hpp"
#include "gpusched/render/render.hpp"

namespace gpusched::cli {

namespace {

constexpr std::string_view kHelpCommand = "help";

/// Answers for one command line. Options are read leniently: a half-written line is no error here.
class Completer {
 public:
  Completer(const CommandSpec& command, std::span<const std::string> before, std::string_view word,
            const ReadNames& read_names)
      : command_(command), word_(word), options_(options_of(command)), read_names_(read_names) {
    read(before);
  }

  Completion run() && {
    if (pending_ != nullptr) {
      value(*pending_, "", word_);
    } else if (!only_arguments_ && word_.starts_with("--") && word_.contains('=')) {
      const std::size_t equals = word_.find('=');
      if (const OptionSpec* const option = named(word_.substr(2, equals - 2)); option != nullptr) {
        value(*option, word_.substr(0, equals + 1), word_.substr(equals + 1));
      }
    } else if (!only_arguments_ && word_.starts_with('-') && word_ != "-") {
      option_names();
    } else {
      argument();
    }
    return std::move(result_);
  }

 private:
  /// What the words before the cursor mean: which options are used, which files are named, what waits for a value.
  void read(std::span<const std::string> words) {
    for (const std::string& word : words) {
      if (pending_ != nullptr) {
        take(*std::exchange(pending_, nullptr), word);
      } else if (only_arguments_ || !word.starts_with('-') || word == "-") {
        files_.push_back(word);
        ++arguments_;
      } else if (word == "--") {
        only_arguments_ = true;
      } else {
        option(word);
      }
    }
  }

  void option(std::string_view word) {
    if (word.starts_with("--")) {
      const std::size_t equals = word.find('=');
      const OptionSpec* const option = named(word.substr(2, equals == std::string_view::npos ? equals : equals - 2));
      if (option == nullptr) {
        return;
      }
      used_.push_back(option);
      if (option->value.empty()) {
        return;
      }
      equals == std::string_view::npos ? void(pending_ = option) : take(*option, word.substr(equals + 1));
      return;
    }
    for (std::size_t i = 1; i < word.size(); ++i) {
      const auto found = std::ranges::find(options_, word[i], [](const OptionSpec* spec) { return spec->letter; });
      if (found == options_.end()) {
        return;
      }
      used_.push_back(*found);
      if (!(*found)->value.empty()) {
        pending_ = i + 1 == word.size() ? *found : nullptr;
        return;
      }
    }
  }

  void take(const OptionSpec& option, std::string_view value) {
    if (option.value == "FILE") {
      files_.emplace_back(value);
    }
  }

  [[nodiscard]] const OptionSpec* named(std::string_view name) const {
    const auto found = std::ranges::find(options_, name, [](const OptionSpec* option) { return option->name; });
    return found == options_.end() ? nullptr : *found;
  }

  void offer(std::string text, std::string help, std::string_view typed) {
    if (text.starts_with(typed)) {
      result_.candidates.push_back({std::move(text), std::move(help)});
    }
  }

  void option_names() {
    for (const OptionSpec* option : options_) {
      if (option->repeatable || std::ranges::find(used_, option) == used_.end()) {
        offer(fmt::format("--{}", option->name), help_of(*option), word_);
      }
    }
    offer("--help", "what the command does, with examples", word_);
  }

  /// A value behind "--name=" (`before`, which stays in front of every candidate) or in a word of its own.
  void value(const OptionSpec& option, std::string_view before, std::string_view typed) {
    const auto offer_all = [&](const auto& texts, std::string_view suffix) {
      for (const auto& text : texts) {
        if (std::string_view(text).starts_with(typed)) {
          result_.candidates.push_back({fmt::format("{}{}{}", before, text, suffix), {}});
        }
      }
      result_.joined = !suffix.empty();
    };
    if (!option.choices.empty()) {
      offer_all(option.choices, "");
    } else if (option.value == "FORMAT=FILE") {
      const std::size_t equals = typed.find('=');
      if (equals == std::string_view::npos) {
        offer_all(render::format_names(), "=");
      } else {
        files(fmt::format("{}{}", before, typed.substr(0, equals + 1)));
      }
    } else if (option.value == "FILE") {
      files(std::string(before));
    } else if (option.value.starts_with("NODE") && !option.value.starts_with("NODES")) {
      const std::string_view behind = option.value.substr(4);  // "/INDEX", "=N": what the value goes on with
      offer_all(names().nodes, behind.starts_with('[') ? "" : behind.substr(0, 1));
    } else if (option.value == "POD" || option.value.starts_with("POD|")) {
      offer_all(names().pods, "");
      if (result_.candidates.empty()) {  // the namespace may be left out
        std::vector<std::string_view> names_only;
        for (const std::string_view pod : names().pods) {
          names_only.push_back(pod.substr(pod.find('/') + 1));
        }
        offer_all(names_only, "");
      }
    } else if (option.value == "NAMESPACE") {
      offer_all(names().namespaces, "");
    }
  }

  void argument() {
    if (command_.positionals.empty()) {
      return;
    }
    const PositionalSpec& positional = command_.positionals[std::min(arguments_, command_.positionals.size() - 1)];
    if (arguments_ >= command_.positionals.size() && !positional.repeatable) {
      return option_names();
    }
    if (positional.choices.empty()) {
      files("");
    }
    for (const std::string_view choice : positional.choices) {
      offer(std::string(choice), {}, word_);
    }
  }

  void files(std::string prefix) {
    result_.files = true;
    result_.file_prefix = std::move(prefix);
  }

  const InputNames& names() {
    if (!names_) {
      names_ = read_names_(files_);
    }
    return *names_;
  }

  const CommandSpec& command_;
  std::string_view word_;
  std::vector<const OptionSpec*> options_;
  const ReadNames& read_names_;

  std::vector<const OptionSpec*> used_;
  std::vector<std::string> files_;
  const OptionSpec* pending_ = nullptr;
  std::size_t arguments_ = 0;
  bool only_arguments_ = false;
  std::optional<InputNames> names_;
  Completion result_;
};

void offer_commands(std::string_view word, Completion& completion) {
  for (const CommandSpec* command : commands()) {
    if (command->name.starts_with(word)) {
      completion.candidates.push_back({std::string(command->name), std::string(command->summary)});
    }
  }
}

}  // namespace

Completion complete(std::span<const std::string> words, const ReadNames& read_names) {
  if (words.empty()) {
    return {};
  }
  const std::string& word = words.back();
  Completion completion;
  const bool first = words.size() == 1;
  if (first || words.front() == kHelpCommand) {
    if (words.size() <= 2) {
      offer_commands(word, completion);
    }
    if (first && kHelpCommand.starts_with(word)) {
      completion.candidates.push_back({std::string(kHelpCommand), "what a command does, with examples"});
    }
    return completion;
  }
  const CommandSpec* const command = find_command(words.front());
  if (command == nullptr) {
    return completion;
  }
  return Completer(*command, words.subspan(1, words.size() - 2), word, read_names).run();
}

}  // namespace gpusched::cli
