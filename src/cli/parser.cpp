#include "cli/parser.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>

#include "cli/words.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::cli {

namespace {

constexpr int kMaxWords = 1 << 20;

std::string did_you_mean(std::string_view word, std::span<const std::string_view> allowed, std::string_view prefix) {
  const std::string nearest = suggest(word, allowed);
  return nearest.empty() ? std::string() : fmt::format("did you mean {}{}?", prefix, nearest);
}

Result<bool> allow(std::string_view what, std::string_view value, std::span<const std::string_view> choices) {
  if (choices.empty() || std::ranges::find(choices, value) != choices.end()) {
    return true;
  }
  return bad_usage(fmt::format("{} takes {}, not {}", what, join(choices, ", "), quote(value)),
                   did_you_mean(value, choices, ""));
}

/// The values without the mark that kept CLI11 from reading anything into them: it drops the brackets of "[a]".
std::vector<std::string> unmarked(const std::vector<std::string>& marked) {
  std::vector<std::string> values;
  for (const std::string& value : marked) {
    values.push_back(value.substr(1));
  }
  return values;
}

class Parser {
 public:
  explicit Parser(const CommandSpec& command) : command_(command), app_(std::string(command.summary)) {
    app_.set_help_flag();
    for (const OptionSpec* option : options_of(command)) {
      add(*option);
    }
    app_.add_option("ARGUMENTS", words_)->expected(0, kMaxWords)->type_size(1);
  }

  Result<Arguments> parse(std::vector<std::string> words) {
    std::ranges::reverse(words);  // CLI11 takes them from the back
    try {
      app_.parse(words);
    } catch (const CLI::ParseError& error) {
      return bad_usage(error.what(), fmt::format("see gpusched {} --help", command_.name));
    }
    Arguments arguments;
    if (Result<bool> good = distribute(arguments); !good) {
      return std::unexpected(good.error());
    }
    const std::vector<const OptionSpec*> options = options_of(command_);
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (!values_[i].empty()) {
        arguments.set(options[i]->name, unmarked(values_[i]));
      }
    }
    add_in_order(arguments);
    for (const OptionSpec* option : options) {
      if (Result<bool> good = finish(*option, arguments); !good) {
        return std::unexpected(good.error());
      }
    }
    return arguments;
  }

 private:
  void add(const OptionSpec& option) {
    const std::string names = fmt::format("--{}", option.name);
    std::vector<std::string>& values = values_.emplace_back();
    if (option.value.empty()) {
      app_.add_flag_function(names, [&values](std::int64_t) { values.assign(1, kLiteral + std::string("true")); });
    } else {
      app_.add_option(names, values)
          ->expected(1)
          ->type_size(1)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
          ->allow_extra_args(false);  // the words behind a value are arguments of the command
    }
  }

  /// The words that are no options, in the order of the positionals; the last one takes the rest if it may.
  Result<bool> distribute(Arguments& arguments) const {
    const std::vector<std::string> words = unmarked(words_);
    std::size_t next = 0;
    for (const PositionalSpec& positional : command_.positionals) {
      const std::size_t left = words.size() - next;
      const std::size_t taken = positional.repeatable ? left : std::min<std::size_t>(left, 1);
      const auto first = words.begin() + static_cast<std::ptrdiff_t>(next);
      for (std::size_t i = 0; i < taken; ++i) {
        if (Result<bool> good = allow(positional.name, words[next + i], positional.choices); !good) {
          return good;
        }
      }
      arguments.set(positional.name, {first, first + static_cast<std::ptrdiff_t>(taken)});
      next += taken;
    }
    if (next < words.size()) {
      return bad_usage(
          fmt::format("gpusched {} does not take a further argument {}", command_.name, quote(words[next])));
    }
    return true;
  }

  /// The values of the command's edits as they stand in the command line, whichever flag they belong to.
  void add_in_order(Arguments& arguments) const {
    std::map<std::string, std::size_t> taken;
    for (const CLI::Option* const parsed : app_.parse_order()) {
      const std::string name = parsed->get_single_name();
      if (std::ranges::find(command_.edits, name, &OptionSpec::name) != command_.edits.end()) {
        arguments.add_in_order(name, arguments.all(name)[taken[name]++]);
      }
    }
  }

  Result<bool> finish(const OptionSpec& option, Arguments& arguments) const {
    if (arguments.all(option.name).size() > 1 && !option.repeatable) {
      return bad_usage(fmt::format("--{} is given twice", option.name));
    }
    if (!option.needs.empty() && arguments.has(option.name) && !arguments.has(option.needs)) {
      return bad_usage(fmt::format("--{} is for --{}, which is not given", option.name, option.needs));
    }
    if (option.environment && !arguments.has(option.name)) {
      const char* const set = std::getenv(environment_name(option.name).c_str());
      if (set != nullptr && *set != '\0') {
        arguments.set(option.name, {set});
      }
    }
    if (!arguments.has(option.name) && !option.fallback.empty()) {
      arguments.set(option.name, {std::string(option.fallback)});
    }
    for (const std::string& value : arguments.all(option.name)) {
      if (Result<bool> good = allow(fmt::format("--{}", option.name), value, option.choices); !good) {
        return good;
      }
    }
    return true;
  }

  const CommandSpec& command_;
  CLI::App app_;
  std::deque<std::vector<std::string>> values_;  // CLI11 keeps references
  std::vector<std::string> words_;
};

std::unexpected<Diagnostics> unknown_option(const CommandSpec& command, std::string_view word) {
  std::vector<std::string_view> names;
  for (const OptionSpec* option : options_of(command)) {
    names.push_back(option->name);
  }
  std::string_view name = word;
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  name = name.substr(0, name.find('='));
  std::string hint = did_you_mean(name, names, "--");
  if (hint.empty()) {  // --pending for --all-pending
    const std::string tail = fmt::format("-{}", name);
    const auto longer =
        std::ranges::find_if(names, [&](std::string_view each) { return !name.empty() && each.ends_with(tail); });
    hint = longer == names.end() ? std::string() : fmt::format("did you mean --{}?", *longer);
  }
  return bad_usage(fmt::format("gpusched {} has no option {}", command.name, quote(word)), std::move(hint));
}

std::unexpected<Diagnostics> unknown_command(std::string_view word) {
  std::vector<std::string_view> names;
  for (const CommandSpec* command : commands()) {
    names.push_back(command->name);
  }
  if (word.starts_with("-")) {
    return bad_usage(fmt::format("{} stands before the command", quote(word)),
                     "gpusched COMMAND [OPTIONS]; see gpusched --help");
  }
  std::string hint = did_you_mean(word, names, "gpusched ");
  if (hint.empty()) {
    hint = fmt::format("the commands are {}", join(names, ", "));
  }
  return bad_usage(fmt::format("there is no command {}", quote(word)), std::move(hint));
}

bool is_help(std::string_view word) {
  return word == "-h" || word == "--help";
}

}  // namespace

Result<Request> parse_command_line(std::vector<std::string> words) {
  Request request;
  if (words.empty() || is_help(words.front()) || words.front() == "help") {
    request.help = true;
    if (words.size() > 1 && !is_help(words[1])) {
      request.command = find_command(words[1]);
      if (request.command == nullptr) {
        return unknown_command(words[1]);
      }
    }
    return request;
  }
  if (words.front() == "--version") {
    request.version = true;
    return request;
  }
  request.command = find_command(words.front());
  if (request.command == nullptr) {
    return unknown_command(words.front());
  }
  words.erase(words.begin());
  Result<SpelledWords> spelled = spell_out(words, *request.command);
  if (!spelled) {
    return std::unexpected(spelled.error());
  }
  if (spelled->help) {
    request.help = true;
    return request;
  }
  if (!spelled->unknown.empty()) {
    return unknown_option(*request.command, spelled->unknown);
  }
  Result<Arguments> arguments = Parser(*request.command).parse(std::move(spelled->words));
  if (!arguments) {
    return std::unexpected(arguments.error());
  }
  request.arguments = std::move(*arguments);
  return request;
}

}  // namespace gpusched::cli
