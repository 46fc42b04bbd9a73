#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "render/equal_answers.hpp"
#include "render/html_pages.hpp"
#include "render/words.hpp"

namespace gpusched::render::html {

namespace {

constexpr std::size_t kNamed = 5;  // pods with the same answer that its heading names

Mood mood_of(const std::string& verdict) {
  return verdict == "scheduled" ? Mood::kGood : verdict == "undecided" ? Mood::kOpen : Mood::kBad;
}

std::string pod_name(const Json& report) {
  const Json& pod = get(report, "pod");
  return fmt::format("{}/{}", get_text(pod, "namespace"), get_text(pod, "name"));
}

std::string details_cell(const Json& node) {
  std::string words;
  for (const Json& detail : get(node, "detail")) {
    words += fmt::format("<li>{}</li>", escape(detail_text(detail)));
  }
  return words.empty() ? "" : fmt::format("<ul class=\"plain\">{}</ul>", words);
}

/// Every node with the plugin that refused it, or groups of nodes with the same reasons.
std::string node_table(const Json& nodes) {
  if (nodes.empty()) {
    return {};
  }
  if (nodes.front().contains("count")) {
    Table groups("Nodes by reason", {{"reason"}, {"nodes", true}, {"for example"}});
    for (const Json& group : nodes) {
      groups.add({text(get(group, "reason")), text(get(group, "count")), text(get(group, "examples"))});
    }
    return groups.html();
  }
  const bool scored = std::ranges::any_of(nodes, [](const Json& node) { return !get(node, "scores").empty(); });
  std::vector<Column> columns{
      {"node"}, {"verdict", false, true}, {"plugin", false, true}, {"reasons", false, true}, {"figures"}};
  if (scored) {
    columns.push_back({"score", true});
  }
  Table table("Nodes and what the scheduler says of them", std::move(columns));
  for (const Json& node : nodes) {
    const bool fits = get_text(node, "code") == "Success";
    std::vector<std::string> cells{
        text(get(node, "name")), badge(fits ? Mood::kGood : Mood::kBad, fits ? "fits" : get_text(node, "code")),
        text(get(node, "plugin")), get(node, "reasons").empty() ? "" : text(get(node, "reasons")), details_cell(node)};
    if (scored) {
      cells.push_back(text(get(get(node, "scores"), "total")));
    }
    table.add(cells);
  }
  return table.html();
}

std::string score_table(const Json& nodes) {
  std::vector<std::string> plugins;
  for (const Json& node : nodes) {
    if (!get(node, "scores").empty()) {
      for (const auto& [plugin, score] : get(node, "scores").items()) {
        plugins.push_back(plugin);
      }
      break;
    }
  }
  if (plugins.empty()) {
    return {};
  }
  std::vector<Column> columns{{"node"}};
  for (const std::string& plugin : plugins) {
    columns.push_back({plugin, true});
  }
  Table table("Weighted scores by plugin", std::move(columns));
  for (const Json& node : nodes) {
    if (!get(node, "scores").empty()) {
      std::vector<std::string> cells{text(get(node, "name"))};
      for (const std::string& plugin : plugins) {
        cells.push_back(text(get(get(node, "scores"), plugin)));
      }
      table.add(cells);
    }
  }
  return table.html();
}

std::string findings(const Json& list) {
  std::string items;
  for (const Json& finding : list) {
    const std::string by = finding.contains("by") ? " by " + text(finding.at("by")) : "";
    items += fmt::format("<li><b>{}{}</b>: {}</li>", text(get(finding, "verdict")), by, text(get(finding, "text")));
  }
  return items.empty() ? "" : fmt::format("<ul>{}</ul>\n", items);
}

std::string message_block(const Json& report) {
  std::string out;
  const std::string& message = get_text(report, "message");
  const std::string& plugin_message = get_text(report, "pluginMessage");
  if (!message.empty()) {
    out += fmt::format("<p class=\"message\">{}</p>\n", escape(message));
  } else if (!plugin_message.empty()) {
    out += fmt::format("<p class=\"message\">{}</p>\n", escape(plugin_message));
  }
  for (const Json& other : get(report, "messages")) {
    if (other != get(report, "message")) {
      out += fmt::format("<p>or, as the order is random:</p><p class=\"message\">{}</p>\n", text(other));
    }
  }
  return out;
}

std::string scheduled_block(const Json& report) {
  if (get_text(report, "node").empty()) {
    return {};
  }
  std::string out = fmt::format("<p>The scheduler chooses <b>{}</b>.</p>\n", text(report.at("node")));
  if (get(report, "bestNodes").size() > 1) {
    out += fmt::format("<p>Equally good, drawn at random: {}.</p>\n", text(get(report, "bestNodes")));
  }
  if (get(report, "sampled") == true) {
    out += fmt::format("<p>kube-scheduler looks at a random part of the {} nodes that fit.</p>\n",
                       get(report, "feasibleNodes").size());
  }
  return out;
}

std::string preemption_block(const Json& report) {
  if (get_text(report, "nominatedNode").empty()) {
    return {};
  }
  std::string out = fmt::format("<p>Preemption on <b>{}</b>; victims: {}.</p>\n", text(report.at("nominatedNode")),
                                text(get(report, "victims")));
  Table table("Nodes on which preemption would help, one is drawn", {{"node"}, {"victims"}});
  for (const auto& [node, victims] : get(report, "preemptions").items()) {
    table.add({escape(node), text(victims)});
  }
  return table.size() > 1 ? out + table.html() : out;
}

std::string claim_block(const Json& report) {
  Table table("Claims and the devices that they get", {{"claim"}, {"request"}, {"device"}, {"driver", false, true}});
  for (const Json& claim : get(report, "claims")) {
    const Json& results = get(get(get(claim, "allocation"), "devices"), "results");
    for (const Json& result : results) {
      table.add({text(get(claim, "claim")), text(get(result, "request")),
                 fmt::format("{}/{}", text(get(result, "pool")), text(get(result, "device"))),
                 text(get(result, "driver"))});
    }
    if (results.empty()) {
      table.add({text(get(claim, "claim")), "–", "no devices", "–"});
    }
  }
  std::string out = table.size() > 0 ? table.html() : "";
  if (!get(report, "deallocated").empty()) {
    out += fmt::format("<p>Loses its allocation: one of {}.</p>\n", text(get(report, "deallocated")));
  }
  return out;
}

/// All of one pod's answer but its nodes.
std::string answer(const Json& report) {
  return message_block(report) + scheduled_block(report) + findings(get(report, "explanation")) +
         fix_table(get(report, "fixes")) + preemption_block(report) + claim_block(report);
}

std::string cause_table(const Json& causes) {
  Table table("Pods by what keeps them", {{"cause"}, {"pods", true}, {"requests"}, {"for example"}});
  for (const Json& cause : causes) {
    std::string requests;
    for (const auto& [name, amount] : get(cause, "requests").items()) {
      requests += fmt::format("{}{} {}", requests.empty() ? "" : ", ", text(amount), escape(name));
    }
    table.add({text(get(cause, "verdict")) + (cause.contains("by") ? " by " + text(cause.at("by")) : std::string()),
               text(get(cause, "pods")), requests, text(get(cause, "examples"))});
  }
  return table.html();
}

/// "out of reach", "blocked by taint": the first finding, which decides.
std::string cause_of(const Json& report) {
  const Json& findings = get(report, "explanation");
  if (findings.empty()) {
    return "";
  }
  return text(get(findings.front(), "verdict")) +
         (findings.front().contains("by") ? " by " + text(findings.front().at("by")) : std::string());
}

/// A list of pods, and each answer once.
void add_items(const Json& items, Page& page) {
  const std::vector<EqualAnswers> answers = equal_answers(items);
  Table pods("Pods that were asked about",
             {{"pod"}, {"verdict", false, true}, {"cause", false, true}, {"answer", false, true}});
  std::string boxes;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Json& report = *answers[i].report;
    const std::string& verdict = get_text(report, "verdict");
    std::string names;
    for (std::size_t n = 0; n < answers[i].pods.size(); ++n) {
      pods.add({escape(answers[i].pods[n]), badge(mood_of(verdict), verdict), cause_of(report),
                fmt::format("<a href=\"#answer-{0}\">answer {0}</a>", i + 1)});
      names += n < kNamed ? (n == 0 ? "" : ", ") + escape(answers[i].pods[n]) : "";
    }
    if (answers[i].pods.size() > kNamed) {
      names += fmt::format(" and {} more", answers[i].pods.size() - kNamed);
    }
    boxes += fmt::format(
        "<details class=\"group\" id=\"answer-{}\"{}><summary><b>{}</b> {} · {}</summary><div "
        "class=\"inner\">{}{}</div></details>\n",
        i + 1, answers.size() <= 3 ? " open" : "", fmt::format("Answer {}", i + 1), badge(mood_of(verdict), verdict),
        names, answer(report), node_table(get(report, "nodes")));
  }
  page.sections.push_back({"pods", "Pods", pods.html()});
  page.sections.push_back({"answers", "Answers", boxes});
}

std::size_t without_node(const Json& items) {
  return static_cast<std::size_t>(
      std::ranges::count_if(items, [](const Json& item) { return get_text(item, "verdict") != "scheduled"; }));
}

}  // namespace

std::string fix_table(const Json& fixes) {
  if (fixes.empty()) {
    return {};
  }
  Table table("Single changes that help, each tried on a copy of the cluster", {{"change"}, {"effect"}});
  for (const Json& fix : fixes) {
    table.add({text(get(fix, "change")), text(get(fix, "effect"))});
  }
  return table.html();
}

Page pending_page(const Json& report) {
  const std::string& verdict = get_text(report, "verdict");
  const Json& nodes = get(report, "nodes");
  Page page;
  page.title = "Pod " + pod_name(report);
  page.lead = badge(mood_of(verdict), verdict) + (cause_of(report).empty() ? "" : " " + cause_of(report));
  const auto fit = std::ranges::count_if(nodes, [](const Json& node) { return get_text(node, "code") == "Success"; });
  page.tiles = {{fmt::format("{}", nodes.size()), "nodes looked at"}, {fmt::format("{}", fit), "of them fit"}};
  if (!get_text(report, "plugin").empty()) {
    page.tiles.push_back({text(report.at("plugin")), "plugin that decided"});
  }
  page.sections.push_back({"answer", "Answer", answer(report)});
  if (!nodes.empty()) {
    page.sections.push_back({"nodes", "Nodes", node_table(nodes)});
  }
  if (std::string scores = score_table(nodes); !scores.empty()) {
    page.sections.push_back({"scores", "Scores", std::move(scores)});
  }
  return page;
}

Page pending_list_page(const Json& list) {
  const Json& items = get(list, "items");
  const std::size_t waiting = without_node(items);
  Page page;
  page.title = "Pending pods";
  page.lead = waiting > 0 ? badge(Mood::kBad, count_of(static_cast<double>(waiting), "pod") + " without a node")
                          : badge(Mood::kGood, "every pod finds a node");
  page.tiles = {{fmt::format("{}", items.size()), "pods asked about"},
                {fmt::format("{}", waiting), "without a node"},
                {fmt::format("{}", get(list, "causes").size()), "causes"}};
  page.sections.push_back({"causes", "Causes", cause_table(get(list, "causes"))});
  if (!get(list, "missingPods").empty()) {
    page.sections.push_back({"missing", "Workloads with too few pods", findings(list.at("missingPods"))});
  }
  add_items(items, page);
  return page;
}

Page workload_page(const Json& report) {
  const Json& workload = get(report, "workload");
  const double waiting = get_number(report, "podsWithoutNode");
  Page page;
  page.title =
      fmt::format("{} {}/{}", get_text(workload, "kind"), get_text(workload, "namespace"), get_text(workload, "name"));
  page.lead = waiting > 0                          ? badge(Mood::kBad, count_of(waiting, "pod") + " without a node")
              : get(report, "explanation").empty() ? badge(Mood::kGood, "all its pods have a node")
                                                   : badge(Mood::kBad, "held back");
  page.tiles = {{text(get(report, "podsWithNode")), "pods with a node"}, {plain(waiting), "without one"}};
  page.sections.push_back({"answer", "What it says", findings(get(report, "explanation"))});
  if (!get(report, "items").empty()) {
    page.sections.push_back({"causes", "Causes", cause_table(get(report, "causes"))});
    add_items(report.at("items"), page);
  }
  return page;
}

Page message_page(const Json& report) {
  Page page;
  page.title = "A scheduler's message";
  page.lead = fmt::format("<span class=\"message\">{}</span>", text(get(report, "message")));
  page.sections.push_back({"answer", "What it means", findings(get(report, "explanation"))});
  return page;
}

}  // namespace gpusched::render::html
