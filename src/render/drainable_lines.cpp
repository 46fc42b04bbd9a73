#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "gpusched/base/text.hpp"
#include "render/cells.hpp"
#include "render/search_tables.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kExamples = 3;

std::string count(std::size_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

/// The first few of a list of names, and how many more there are.
std::string some_names(const Json& names, std::size_t most) {
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i) {
    list += (i == 0 ? "" : ", ") + text(names[i]);
  }
  return names.size() > most ? fmt::format("{} and {} more", list, names.size() - most) : list;
}

std::string why_not(const Json& node) {
  const std::string pod = text(node.at("pod"));
  const std::string message = text(node.at("message"));
  if (node.at("reason") == "unnamed-holder") {
    return message;
  }
  return pod.empty() ? message : fmt::format("{}: {}", pod, message);
}

std::string outcome(const Json& node) {
  if (!node.at("drainable").get<bool>()) {
    return why_not(node);
  }
  const Json& moves = node.at("moves");
  return moves.empty() ? "nothing to move" : fmt::format("to {}", targets(moves));
}

void node_rows(const Json& nodes, const TableOptions& options, std::string& out) {
  const bool grouped = nodes.size() > kMaxRows && !options.wide;
  Columns columns({"node", "GPUs", "pods", "can go", "where its pods go, or why not"});
  std::size_t left_out = 0;
  std::size_t shown = 0;
  std::map<std::string, Json> refused;
  for (const Json& node : nodes) {
    const bool can_go = node.at("drainable").get<bool>();
    if (grouped && !can_go) {
      refused[text(node.at("message"))].push_back(node.at("node"));
      continue;
    }
    if (grouped && ++shown > kMaxRows) {
      ++left_out;
      continue;
    }
    columns.add({text(node.at("node")), node.at("devices").dump(),
                 can_go ? fmt::format("{}", node.at("moves").size()) : "", can_go ? "yes" : "no", outcome(node)});
  }
  columns.write(out, {false, true, true, false, false}, options.headers, 2);
  if (left_out > 0) {
    out += fmt::format("  and {} more that could go (-o wide lists all)\n", left_out);
  }
  for (const auto& [message, names] : refused) {
    out += fmt::format("  {} cannot go ({}): {}\n", count(names.size(), "node", "nodes"), some_names(names, kExamples),
                       message);
  }
}

void move_lines(const Json& moves, const TableOptions& options, std::string& out) {
  Columns columns({"pod", "from", "to"});
  const std::size_t shown = options.wide ? moves.size() : std::min(moves.size(), kMaxRows);
  for (std::size_t i = 0; i < shown; ++i) {
    columns.add({text(moves[i].at("pod")), text(moves[i].at("from")), "-> " + text(moves[i].at("to"))});
  }
  columns.write(out, {false, false, false}, false, 4);
  if (shown < moves.size()) {
    out += fmt::format("    and {} more\n", moves.size() - shown);
  }
}

/// What single drains run into, told once for all of them.
Json all_remarks(const Json& nodes) {
  Json remarks = Json::object();
  for (const char* const key : {"budgets", "orphans"}) {
    std::set<std::string> names;
    for (const Json& node : nodes) {
      for (const Json& name : node.at(key)) {
        names.insert(name);
      }
    }
    remarks[key] = names;
  }
  return remarks;
}

}  // namespace

std::string targets(const Json& moves) {
  std::map<std::string, std::size_t> pods;
  for (const Json& move : moves) {
    ++pods[text(move.at("to"))];
  }
  std::string list;
  std::size_t shown = 0;
  for (const auto& [node, number] : pods) {
    if (++shown > kExamples) {
      return fmt::format("{} and {}", list, count(pods.size() - kExamples, "other node", "other nodes"));
    }
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", node, number);
  }
  return list;
}

void eviction_remarks(const Json& object, std::string_view indent, std::string& out) {
  if (const Json& budgets = object.at("budgets"); !budgets.empty()) {
    out += fmt::format("{}! no disruptions allowed now by {}: evictions wait for {}\n", indent,
                       some_names(budgets, kExamples), budgets.size() == 1 ? "it" : "them");
  }
  if (const Json& orphans = object.at("orphans"); !orphans.empty()) {
    out += fmt::format("{}! no controller starts {} again: {}\n", indent,
                       orphans.size() == 1 ? "this pod" : "these pods", some_names(orphans, kExamples));
  }
}

void drainable_lines(const Json& drainable, const TableOptions& options, std::string& out) {
  const Json& nodes = drainable.at("nodes");
  out += fmt::format("{} of {} could go, one at a time\n", drainable.at("drainable").dump(),
                     count(nodes.size(), "node", "nodes"));
  node_rows(nodes, options, out);
  const Json& together = drainable.at("together");
  if (!together.at("nodes").empty()) {
    out += fmt::format("together could go {}: {}\n", count(together.at("nodes").size(), "node", "nodes"),
                       some_names(together.at("nodes"), options.wide ? nodes.size() : kMaxRows));
    move_lines(together.at("moves"), options, out);
  }
  eviction_remarks(all_remarks(nodes), "", out);
}

}  // namespace gpusched::render
