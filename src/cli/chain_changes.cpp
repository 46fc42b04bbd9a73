#include "cli/chain_changes.hpp"

#include <fmt/format.h>

#include <array>

#include "gpusched/base/text.hpp"
#include "gpusched/chain/changes.hpp"

namespace gpusched::cli {

namespace {

using Outcome = Result<bool>;

/// "NODE=3"; without a number 1.
Outcome add(const std::string& word, chain::ChainInput& input) {
  const std::size_t equals = word.find('=');
  const auto copies = equals == std::string::npos ? 1 : parse_whole_number(word.substr(equals + 1));
  if (!copies) return bad_usage(fmt::format("--add takes NODE or NODE=N, not {}", quote(word)));
  return chain::add_nodes(input, std::string_view(word).substr(0, equals), *copies);
}

Outcome remove(const std::string& word, chain::ChainInput& input) {
  return chain::remove_node(input, word);
}

Outcome label(const std::string& word, chain::ChainInput& input) {
  const std::size_t colon = word.find(':');
  const std::size_t equals = word.find('=', colon == std::string::npos ? 0 : colon);
  if (colon == std::string::npos || equals == std::string::npos) {
    return bad_usage(fmt::format("--label takes NODE:KEY=VALUE, not {}", quote(word)),
                     "an empty VALUE removes the label");
  }
  return chain::set_label(input, word.substr(0, colon), word.substr(colon + 1, equals - colon - 1),
                          word.substr(equals + 1));
}

Outcome repartition(const std::string& word, chain::ChainInput& input) {
  const std::size_t slash = word.rfind('/');
  const auto index = slash == std::string::npos ? std::nullopt : parse_whole_number(word.substr(slash + 1));
  if (!index) return bad_usage(fmt::format("--repartition takes NODE/INDEX, not {}", quote(word)));
  return chain::flip_partitioning(input, word.substr(0, slash), *index);
}

Outcome change(const std::string& word, chain::ChainInput& input) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return bad_usage(fmt::format("--change takes NAME=VALUE, not {}", quote(word)));
  return chain::set(input.settings, word.substr(0, equals), word.substr(equals + 1));
}

struct ChangeOption {
  std::string_view name;
  Outcome (*apply)(const std::string&, chain::ChainInput&);
};

constexpr std::array kChanges = {ChangeOption{"add", &add}, ChangeOption{"remove", &remove},
                                 ChangeOption{"label", &label}, ChangeOption{"repartition", &repartition},
                                 ChangeOption{"change", &change}};

}  // namespace

Result<std::vector<std::string>> apply_changes(const Arguments& arguments, chain::ChainInput& input) {
  std::vector<std::string> words;
  for (const ChangeOption& option : kChanges) {
    for (const std::string& word : arguments.all(option.name)) {
      if (Outcome good = option.apply(word, input); !good) {
        Diagnostics errors = std::move(good.error());
        const std::string flag = fmt::format("--{}", option.name);
        if (!errors.front().message.starts_with(flag)) errors.front().message = flag + ": " + errors.front().message;
        return std::unexpected(std::move(errors));
      }
      words.push_back(fmt::format("--{} {}", option.name, word));
    }
  }
  if (arguments.has("levels")) {
    if (Outcome good = chain::set_levels(input, arguments.list("levels")); !good) return std::unexpected(good.error());
    words.push_back(fmt::format("--levels {}", join(arguments.list("levels"), ",")));
  }
  return words;
}

}  // namespace gpusched::cli
