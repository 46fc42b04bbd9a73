#include <fmt/format.h>

#include <algorithm>

#include "render/html_pages.hpp"
#include "render/search_tables.hpp"

// The answers that search: place --drainable, --defrag, --min-nodes, --compare, and frag --repartition-for.
namespace gpusched::render::html {

namespace {

std::string paragraph(std::string_view plain_text) {
  return fmt::format("<p>{}</p>\n", escape(plain_text));
}

/// A sentence of the tables for each line: what is to be said of evictions.
std::string remark_list(const Json& object) {
  std::string lines;
  eviction_remarks(object, "", lines);
  std::string items;
  for (std::size_t start = 0; start < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', start), lines.size());
    items += fmt::format("<li class=\"warn\">{}</li>", escape(std::string_view(lines).substr(start, end - start)));
    start = end + 1;
  }
  return items.empty() ? "" : fmt::format("<ul class=\"plain\">{}</ul>\n", items);
}

std::string devices(const Json& entry) {
  std::string words;
  if (!get(entry, "gpus").empty()) {
    words = "GPU " + text(entry.at("gpus"));
  }
  if (!get(entry, "migInstances").empty()) {
    words += (words.empty() ? "" : ", ") + text(entry.at("migInstances"));
  }
  return words.empty() ? "no GPU" : words;
}

std::string move_table(const Json& moves, std::string caption) {
  if (moves.empty()) {
    return {};
  }
  Table table(std::move(caption), {{"step", true}, {"pod"}, {"from"}, {"to"}, {"devices"}});
  for (const Json& move : moves) {
    table.add({fmt::format("{}", table.size() + 1), pod_text(get(move, "pod")), text(get(move, "from")),
               text(get(move, "to")), devices(move)});
  }
  return table.html();
}

std::string place_table(const Json& places, std::string caption) {
  if (places.empty()) {
    return {};
  }
  Table table(std::move(caption), {{"pod"}, {"node"}});
  for (const Json& place : places) {
    table.add({pod_text(get(place, "pod")), text(get(place, "node"))});
  }
  return table.html();
}

std::string drainable(const Json& answer) {
  const Json& nodes = get(answer, "nodes");
  std::string out = fmt::format("<p>{} of {} could go, one at a time.</p>\n", text(get(answer, "drainable")),
                                count_of(static_cast<double>(nodes.size()), "node"));
  Table table("Nodes, the emptiest first", {{"node"},
                                            {"can go", false, true},
                                            {"GPUs held", true},
                                            {"pods to move", true},
                                            {"where its pods go, or why not"}});
  for (const Json& node : nodes) {
    const bool can_go = get(node, "drainable") == true;
    const Json& moves = get(node, "moves");
    const std::string pod = get_text(node, "pod").empty() ? "" : text(node.at("pod")) + ": ";
    table.add({text(get(node, "node")), badge(can_go ? Mood::kGood : Mood::kBad, can_go ? "yes" : "no"),
               text(get(node, "devices")), can_go ? fmt::format("{}", moves.size()) : "–",
               !can_go         ? pod + text(get(node, "message"))
               : moves.empty() ? "nothing to move"
                               : "to " + escape(targets(moves))});
  }
  out += table.html();
  const Json& together = get(answer, "together");
  if (!get(together, "nodes").empty()) {
    out += fmt::format("<p>Together could go {}: <b>{}</b></p>\n",
                       count_of(static_cast<double>(together.at("nodes").size()), "node"), text(together.at("nodes")));
    out += move_table(get(together, "moves"), "Moves that empty them") + remark_list(together);
  }
  return out;
}

std::string defrag(const Json& answer) {
  std::string out = paragraph(defrag_headline(answer));
  out += move_table(get(answer, "moves"), "Moves, in their order");
  out += place_table(get(answer, "places"), "What then has a place");
  out += get(answer, "moves").empty() ? "" : compare_sizes(get(answer, "before"), get(answer, "after"));
  return out + remark_list(answer);
}

std::string min_nodes(const Json& answer) {
  std::string out =
      fmt::format("<p>{} without a place on the present nodes.</p>\n", count_of(get_number(answer, "pending"), "pod"));
  out += paragraph(min_nodes_headline(answer));
  Table shapes("Shapes of nodes, each alone", {{"shape"}, {"price", true}, {"nodes", true}, {"at least", true}});
  for (const Json& shape : get(answer, "shapes")) {
    const Json& nodes = get(shape, "nodes");
    shapes.add({text(get(shape, "shape")), text(get(shape, "price")), nodes.is_null() ? "not all fit" : text(nodes),
                text(get(shape, "atLeast"))});
  }
  out += shapes.html();
  for (const Json& never : get(answer, "never")) {
    Table reasons("Why no shape takes them", {{"shape"}, {"reason"}});
    for (const Json& reason : get(never, "reasons")) {
      reasons.add({text(get(reason, "shape")), text(get(reason, "reason"))});
    }
    out += fmt::format("<p>{} of no shape, for example {}:</p>\n", count_of(get_number(never, "count"), "pod"),
                       text(get(never, "examples"))) +
           reasons.html();
  }
  return out + place_table(get(answer, "places"), "Where the pods go");
}

std::string compare(const Json& answer) {
  const Json& rows = get(answer, "rows");
  std::vector<Column> columns{{""},
                              {"placed", true},
                              {"Pending", true},
                              {"evicted", true},
                              {"consequences", true},
                              {"nodes", true},
                              {"GPUs in use, %"},
                              {"GPUs free", true},
                              {"largest block", true},
                              {"largest island", true}};
  if (!rows.empty()) {
    for (const Json& size : get(get(rows.front(), "fragmentation"), "rows")) {
      columns.push_back({"stranded for " + plain(get(size, "size")), true});
    }
  }
  Table table("Alternatives", std::move(columns));
  for (const Json& row : rows) {
    const Json& fragmentation = get(row, "fragmentation");
    std::vector<std::string> cells;
    for (const char* const key : {"name", "placed", "pending", "evicted", "consequences", "nodes", "usedPercent"}) {
      cells.push_back(text(get(row, key)));
    }
    for (const char* const key : {"free", "largestBlock", "largestIsland"}) {
      cells.push_back(text(get(fragmentation, key)));
    }
    for (const Json& size : get(fragmentation, "rows")) {
      cells.push_back(text(get(size, "stranded")));
    }
    table.add(cells);
  }
  return table.html();
}

std::string instances(const Json& list) {
  std::string words;
  for (const Json& instance : list) {
    words +=
        fmt::format("{}{}@{}", words.empty() ? "" : ", ", text(get(instance, "profile")), text(get(instance, "start")));
  }
  return words.empty() ? "nothing" : words;
}

std::string repartition(const Json& answer) {
  std::string out = paragraph(repartition_headline(answer));
  Table mix("Instances", {{"profile"}, {"wanted", true}, {"free now", true}, {"served", true}});
  for (const Json& row : get(answer, "mix")) {
    mix.add({text(get(row, "profile")), text(get(row, "wanted")), text(get(row, "freeNow")), text(get(row, "served"))});
  }
  out += mix.html();
  if (answer.contains("moves")) {
    out += move_table(answer.at("moves"), "Moves that come first, in their order") + remark_list(answer);
  }
  if (get(answer, "gpus").empty()) {
    return out;
  }
  Table gpus("GPUs that change",
             {{"node"}, {"GPU", true}, {"model", false, true}, {"now"}, {"busy"}, {"then"}, {"destroy"}, {"create"}});
  for (const Json& gpu : answer.at("gpus")) {
    gpus.add({text(get(gpu, "node")), text(get(gpu, "gpu")), text(get(gpu, "model")),
              get(gpu, "enableMig") == true ? "not in MIG mode" : instances(get(gpu, "before")),
              instances(get(gpu, "busy")), instances(get(gpu, "after")), instances(get(gpu, "destroy")),
              instances(get(gpu, "create"))});
  }
  return out + gpus.html();
}

}  // namespace

std::vector<Section> search_sections(const Json& report) {
  struct Search {
    const char *member, *id, *title;
    std::string (*html)(const Json&);
  };
  static constexpr Search kSearches[] = {
      {"drainable", "drainable", "Nodes that could go", &drainable},
      {"defrag", "defrag", "Moves that make room", &defrag},
      {"minNodes", "min-nodes", "Nodes to add", &min_nodes},
      {"compare", "compare", "Alternatives side by side", &compare},
      {"repartition", "repartition", "MIG layouts for the mix", &repartition},
  };
  std::vector<Section> sections;
  for (const Search& search : kSearches) {
    if (const Json& answer = get(report, search.member); answer.is_object()) {
      sections.push_back({search.id, search.title, search.html(answer)});
    }
  }
  return sections;
}

}  // namespace gpusched::render::html
