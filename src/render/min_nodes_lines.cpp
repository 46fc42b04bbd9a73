#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/cells.hpp"
#include "render/search_tables.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

std::string price(const Json& value) {
  return value.is_null() ? "-" : fmt::format("{:.10g}", value.get<double>());
}

std::string pods(std::int64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "pod" : "pods");
}

}  // namespace

std::string min_nodes_headline(const Json& answer) {
  std::string added;
  for (const Json& entry : answer.at("added")) {
    added += fmt::format("{}{} x {}", added.empty() ? "" : ", ", entry.at("count").dump(), text(entry.at("shape")));
  }
  const auto nodes = answer.at("nodes").get<std::int64_t>();
  if (nodes == 0) {
    return "no node to add";
  }
  const bool priced = !answer.at("price").is_null();
  std::string out = fmt::format("add {}: {} {}{}", added, nodes, nodes == 1 ? "node" : "nodes",
                                priced ? fmt::format(" for {}", price(answer.at("price"))) : "");
  if (answer.at("optimal").get<bool>()) {
    out += priced ? ", nothing is cheaper" : ", no fewer will do";
  } else {
    out += fmt::format(", not proven the {}: at least {}", priced ? "cheapest" : "fewest",
                       priced ? price(answer.at("atLeastPrice")) : answer.at("atLeast").dump());
  }
  return out;
}

void min_nodes_lines(const Json& answer, const TableOptions& options, std::string& out) {
  const auto pending = answer.at("pending").get<std::int64_t>();
  out += fmt::format("{} without a place on the present nodes\n", pods(pending));
  Columns columns({"shape", "price", "alone", "at least"});
  for (const Json& shape : answer.at("shapes")) {
    const Json& nodes = shape.at("nodes");
    columns.add({text(shape.at("shape")), price(shape.at("price")), nodes.is_null() ? "not all fit" : nodes.dump(),
                 shape.at("atLeast").dump()});
  }
  columns.write(out, {false, true, true, true}, options.headers, 2);
  out += min_nodes_headline(answer) + '\n';
  for (const Json& never : answer.at("never")) {
    const auto count = never.at("count").get<std::int64_t>();
    out += fmt::format("! {} of no shape ({}{}):", pods(count), text(never.at("examples").front()),
                       count > 1 ? ", ..." : "");
    for (const Json& reason : never.at("reasons")) {
      out += fmt::format(" {}: {};", text(reason.at("shape")), text(reason.at("reason")));
    }
    out.back() = '\n';
  }
  if (options.wide) {
    for (const Json& place : answer.at("places")) {
      out += fmt::format("  {} -> {}\n", text(place.at("pod")), text(place.at("node")));
    }
  }
}

}  // namespace gpusched::render
