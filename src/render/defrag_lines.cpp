#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/cells.hpp"
#include "render/search_tables.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

/// "1 GPU", "3 GPUs and instances".
std::string moved(const Json& defrag) {
  bool instances = false;
  for (const Json& move : defrag.at("moves")) {
    instances = instances || move.contains("migInstances");
  }
  const auto count = defrag.at("devices").get<std::int64_t>();
  return fmt::format("{} {}", count, instances ? "GPUs and instances" : count == 1 ? "GPU" : "GPUs");
}

void figures(const Json& before, const Json& after, const TableOptions& options, std::string& out) {
  out += fmt::format("largest block on one node {} -> {}, inside one NVLink island {} -> {}\n",
                     number(before.at("largestBlock")), number(after.at("largestBlock")),
                     number(before.at("largestIsland")), number(after.at("largestIsland")));
  Columns columns({"size", "pods before", "after", "stranded before", "after"});
  for (std::size_t i = 0; i < before.at("rows").size(); ++i) {
    const Json& was = before.at("rows")[i];
    const Json& is = after.at("rows")[i];
    columns.add({number(was.at("size")), number(was.at("byCount")), number(is.at("byCount")),
                 number(was.at("stranded")), number(is.at("stranded"))});
  }
  columns.write(out, {true, true, true, true, true}, options.headers, 2);
}

}  // namespace

std::string device_list(const Json& entry) {
  std::string list;
  for (const Json& instance : entry.value("migInstances", Json::array())) {
    list += (list.empty() ? "instances " : ", ") + text(instance);
  }
  if (!entry.at("gpus").empty()) {
    list = fmt::format("GPUs {}{}{}", index_list(entry.at("gpus")), list.empty() ? "" : ", ", list);
  }
  return list;
}

std::string defrag_headline(const Json& defrag) {
  const std::string wanted = text(defrag.at("wanted"));
  const std::size_t pods = defrag.at("pods").size();
  const std::string what = pods == 1 ? wanted : fmt::format("{} pods of {}", pods, wanted);
  const auto moves = defrag.at("moves").size();
  const std::string fewest = defrag.at("maxMoves").dump();
  if (defrag.at("outcome") == "no-plan") {
    return fmt::format("no plan with at most {} moves makes room for {}", fewest, what);
  }
  if (defrag.at("outcome") == "undecided") {
    return fmt::format("undecided: no plan with at most {} moves found for {} in {} steps", fewest, what,
                       defrag.at("steps").dump());
  }
  if (moves == 0) {
    return fmt::format("room for {} without a move", what);
  }
  const Json& at_least = defrag.at("atLeast");
  const bool fewest_moves = at_least.is_number() && at_least.get<std::size_t>() == moves;
  return fmt::format("room for {} after {} {} of {}, {}", what, moves, moves == 1 ? "move" : "moves", moved(defrag),
                     defrag.at("optimal").get<bool>() ? "proven the cheapest"
                     : fewest_moves                   ? "proven the fewest moves"
                                    : fmt::format("not proven the fewest: at least {} are needed", at_least.dump()));
}

void defrag_lines(const Json& defrag, const TableOptions& options, std::string& out) {
  out += defrag_headline(defrag) + '\n';
  Columns columns({"", "pod", "from", "to", "devices"});
  std::size_t step = 0;
  for (const Json& move : defrag.at("moves")) {
    columns.add({fmt::format("{}.", ++step), text(move.at("pod")), text(move.at("from")), "-> " + text(move.at("to")),
                 device_list(move)});
  }
  for (const Json& place : defrag.at("places")) {
    columns.add({"", text(place.at("pod")), "", "-> " + text(place.at("node")), device_list(place)});
  }
  columns.write(out, {true, false, false, false, false}, false, 2);
  if (!defrag.at("moves").empty()) {
    figures(defrag.at("before"), defrag.at("after"), options, out);
  }
  eviction_remarks(defrag, "", out);
}

}  // namespace gpusched::render
