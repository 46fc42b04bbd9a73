#include "cli/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "cli/arguments.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::cli {

namespace {

bool looks_like_option(std::string_view word) {
  return word.size() > 1 && word.front() == '-';
}

class Speller {
 public:
  Speller(const std::vector<std::string>& words, const CommandSpec& command)
      : words_(words), command_(command), options_(options_of(command)) {}

  Result<SpelledWords> run() {
    for (; next_ < words_.size(); ++next_) {
      const std::string& word = words_[next_];
      if (only_arguments_ || !looks_like_option(word)) {
        argument(word);
      } else if (word == "--") {
        only_arguments_ = true;
      } else if (word.starts_with("--")) {
        long_option(word);
      } else {
        letters(word);
      }
    }
    if (!errors_.empty() && !result_.help) {
      return std::unexpected(std::move(errors_));
    }
    return std::move(result_);
  }

 private:
  void argument(const std::string& word) {
    if (word.empty()) {
      error(fmt::format("an argument of gpusched {} is empty", command_.name));
    }
    result_.words.push_back(kLiteral + word);
  }

  void long_option(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(2, equals == std::string_view::npos ? equals : equals - 2);
    if (word == "--help") {
      result_.help = true;
      return;
    }
    const OptionSpec* const option = find([&](const OptionSpec& spec) { return spec.name == name; });
    if (option == nullptr) {
      unknown(word);
    } else if (!option->value.empty()) {
      equals == std::string_view::npos ? value_behind(*option) : value(*option, word.substr(equals + 1));
    } else if (equals != std::string_view::npos) {
      error(fmt::format("--{} takes no value", name));
    } else {
      result_.words.push_back(fmt::format("--{}", name));
    }
  }

  /// "-q", "-ojson", "-o=json", "-qo", "-qo=json"
  void letters(std::string_view word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const char letter = word[i];
      const std::string_view rest = word.substr(i + 1);
      if (letter == 'h') {
        result_.help = true;
        return;
      }
      const OptionSpec* const option = find([&](const OptionSpec& spec) { return spec.letter == letter; });
      if (option == nullptr) {
        unknown(word);
        return;
      }
      if (!option->value.empty()) {
        rest.empty() ? value_behind(*option) : value(*option, rest.substr(rest.starts_with('=') ? 1 : 0));
        return;
      }
      if (rest.starts_with('=')) {
        error(fmt::format("-{} takes no value", letter));
        return;
      }
      result_.words.push_back(fmt::format("--{}", option->name));
    }
  }

  void value_behind(const OptionSpec& option) {
    const bool more = next_ + 1 < words_.size();
    if (more && !looks_like_option(words_[next_ + 1])) {
      value(option, words_[++next_]);
    } else if (more && words_[next_ + 1] != "--") {
      missing(option, fmt::format("--{}={} if that is the value", option.name, shorten(words_[next_ + 1])));
    } else {
      missing(option, "");
    }
  }

  void value(const OptionSpec& option, std::string_view text) {
    if (text.empty()) {
      missing(option, "");
      return;
    }
    result_.words.push_back(fmt::format("--{}", option.name));
    result_.words.push_back(kLiteral + std::string(text));
  }

  void unknown(std::string_view word) {
    if (result_.unknown.empty()) {
      result_.unknown = word;
    }
  }

  void missing(const OptionSpec& option, std::string hint) {
    error(fmt::format("--{} needs a value: {}", option.name,
                      option.choices.empty() ? std::string(option.value) : join(option.choices, ", ")),
          std::move(hint));
  }

  void error(std::string message, std::string hint = {}) {
    if (hint.empty()) {
      hint = fmt::format("see gpusched {} --help", command_.name);
    }
    if (errors_.empty()) {  // the next ones often follow from the first
      errors_ = bad_usage(std::move(message), std::move(hint)).error();
    }
  }

  template <class Matches>
  const OptionSpec* find(Matches&& matches) const {
    const auto found = std::ranges::find_if(options_, [&](const OptionSpec* option) { return matches(*option); });
    return found == options_.end() ? nullptr : *found;
  }

  const std::vector<std::string>& words_;
  const CommandSpec& command_;
  std::vector<const OptionSpec*> options_;
  std::size_t next_ = 0;
  bool only_arguments_ = false;
  SpelledWords result_;
  Diagnostics errors_;
};

}  // namespace

std::vector<const OptionSpec*> options_of(const CommandSpec& command) {
  std::vector<const OptionSpec*> options;
  for (const std::span<const OptionSpec> list : {command.options, command.edits, common_options()}) {
    for (const OptionSpec& option : list) {
      options.push_back(&option);
    }
  }
  return options;
}

std::string environment_name(std::string_view option) {
  std::string name = "GPUSCHED_";
  for (const char c : option) {
    name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  }
  return name;
}

Result<SpelledWords> spell_out(const std::vector<std::string>& words, const CommandSpec& command) {
  return Speller(words, command).run();
}

std::string_view likely_value(const std::vector<std::string>& words, const OptionSpec& option) {
  const auto allowed = [&](std::string_view value) {
    return std::ranges::find(option.choices, value) != option.choices.end();
  };
  std::string_view found = option.fallback;
  if (const char* const set = std::getenv(environment_name(option.name).c_str());
      option.environment && set != nullptr && allowed(set)) {
    found = set;
  }
  const std::string flag = fmt::format("--{}", option.name);
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    std::string_view word = words[i];
    if (word == flag && i + 1 < words.size()) {
      word = words[i + 1];
    } else if (word.starts_with(flag) && word.substr(flag.size()).starts_with('=')) {
      word.remove_prefix(flag.size() + 1);
    } else {
      continue;
    }
    found = allowed(word) ? word : found;
  }
  return found;
}

}  // namespace gpusched::cli
