#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"
#include "render/cells.hpp"
#include "render/equal_answers.hpp"
#include "render/tables.hpp"
#include "render/words.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

/// More nodes than these are shown as groups.
constexpr std::size_t kExamples = 3;
/// Pods with the same answer that are named.
constexpr std::size_t kNamed = 5;

std::string texts(const Json& list, std::string_view separator = ", ") {
  std::string all;
  for (const Json& item : list) {
    all += (all.empty() ? "" : std::string(separator)) + text(item);
  }
  return all;
}

/// At most so many of the words, then how many more there are.
std::string first_texts(const Json& list, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < std::min(list.size(), count); ++i) {
    all += (i == 0 ? "" : ", ") + text(list[i]);
  }
  return list.size() > count ? fmt::format("{} and {} more", all, list.size() - count) : all;
}

std::string pod_name(const Json& report) {
  return text(report.at("pod").at("namespace")) + "/" + text(report.at("pod").at("name"));
}

/// The reasons of a node, each with what is behind it.
std::string reason_text(const Json& node) {
  std::string line;
  for (const Json& reason : node.at("reasons")) {
    line += (line.empty() ? "" : ", ") + text(reason);
    for (const Json& detail : node.at("detail")) {
      if (detail.at("reason") == reason) {
        line += fmt::format(" ({})", escape_control(detail_text(detail)));
      }
    }
  }
  return line;
}

void group_line(std::string_view reason, std::size_t count, const Json& examples, std::string_view indent,
                std::string& out) {
  out +=
      fmt::format("{}{} x {}: {}{}\n", indent, count, reason, texts(examples), count > examples.size() ? ", ..." : "");
}

void grouped_lines(const std::vector<const Json*>& nodes, std::string_view indent, std::string& out) {
  struct Group {
    std::string reason;
    std::size_t count = 0;
    Json examples = Json::array();
  };
  std::vector<Group> groups;
  std::map<std::string, std::size_t> places;
  for (const Json* node : nodes) {
    const std::string reason = texts(node->at("reasons"));
    const auto [place, added] = places.try_emplace(reason, groups.size());
    if (added) {
      groups.push_back({reason, 0, Json::array()});
    }
    Group& group = groups[place->second];
    ++group.count;
    if (group.examples.size() < kExamples) {
      group.examples.push_back(node->at("name"));
    }
  }
  for (const Group& group : groups) {
    group_line(group.reason, group.count, group.examples, indent, out);
  }
}

/// The nodes that do not fit; `nodes` lists nodes, or groups of them already.
void node_lines(const Json& list, std::string_view indent, std::string& out) {
  std::vector<const Json*> nodes;
  std::size_t width = 0;
  for (const Json& node : list) {
    if (node.contains("count")) {
      group_line(text(node.at("reason")), node.at("count").get<std::size_t>(), node.at("examples"), indent, out);
    } else if (node.at("code") != "Success") {
      nodes.push_back(&node);
      width = std::max(width, column_width(text(node.at("name"))));
    }
  }
  if (nodes.size() > kMaxRows) {
    grouped_lines(nodes, indent, out);
    return;
  }
  for (const Json* node : nodes) {
    out += fmt::format("{}{} {}\n", indent, pad_right(text(node->at("name")), width), reason_text(*node));
  }
}

/// The histogram of kube-scheduler ends where the part of the PostFilter plugins begins.
std::size_t end_of_first_sentence(std::string_view message) {
  static constexpr std::array<std::string_view, 4> kRests = {". preemption: ", ". no new claims to deallocate",
                                                             ". still not schedulable", ". not found"};
  std::size_t end = message.size();
  for (const std::string_view rest : kRests) {
    if (const std::size_t found = message.find(rest); found != std::string_view::npos) {
      end = std::min(end, found + 1);
    }
  }
  return end;
}

void message_lines(const Json& report, std::string_view indent, std::string& out) {
  const std::string message = text(report.at("message"));
  const std::size_t end = report.at("verdict") == "error" ? message.size() : end_of_first_sentence(message);
  out += fmt::format("{}FailedScheduling: {}\n", indent, message.substr(0, end));
  if (end < message.size()) {
    out += fmt::format("{}{}\n", indent, message.substr(end + 1));
  }
  for (const Json& other : report.at("messages")) {
    if (other != report.at("message")) {
      out += fmt::format("{}or, as the order is random: {}\n", indent, text(other));
    }
  }
}

void preemption_lines(const Json& report, std::string_view indent, std::string& out) {
  const std::string nominated = text(report.at("nominatedNode"));
  if (nominated.empty()) {
    return;
  }
  out += fmt::format("{}victims on {}: {}\n", indent, nominated, texts(report.at("victims")));
  for (const auto& [node, victims] : report.at("preemptions").items()) {
    if (node != report.at("nominatedNode").get_ref<const std::string&>()) {
      out += fmt::format("{}or on {}, drawn at random: {}\n", indent, escape_control(node), texts(victims));
    }
  }
}

void scheduled_lines(const Json& report, std::string_view indent, std::string& out) {
  const Json& best = report.at("bestNodes");
  out += fmt::format("{}{} -> {}\n", indent, pod_name(report), text(report.at("node")));
  if (best.size() > 1) {
    out += fmt::format("{}equally good, drawn at random: {}\n", indent, first_texts(best, kMaxRows));
  }
  if (report.at("sampled").get<bool>()) {
    out += fmt::format("{}kube-scheduler looks at a random part of the {} nodes that fit\n", indent,
                       report.at("feasibleNodes").size());
  }
}

void claim_lines(const Json& report, std::string_view indent, std::string& out) {
  for (const Json& claim : report.at("claims")) {
    const Json& devices = claim.at("allocation").at("devices");
    std::string list;
    if (devices.contains("results")) {
      for (const Json& result : devices.at("results")) {
        list += fmt::format("{}{}/{}", list.empty() ? "" : ", ", text(result.at("pool")), text(result.at("device")));
      }
    }
    out += fmt::format("{}claim {} -> {}\n", indent, text(claim.at("claim")), list.empty() ? "no devices" : list);
  }
}

void score_lines(const Json& report, const TableOptions& options, std::string_view indent, std::string& out) {
  std::vector<std::string> header{"NODE"};
  for (const Json& node : report.at("nodes")) {
    if (node.contains("scores") && !node.at("scores").empty()) {
      for (const auto& [plugin, score] : node.at("scores").items()) {
        header.push_back(plugin == "total" ? "TOTAL" : escape_control(plugin));
      }
      break;
    }
  }
  if (header.size() == 1) {
    return;
  }
  std::vector<bool> right(header.size(), true);
  right.front() = false;
  Columns columns(std::move(header));
  for (const Json& node : report.at("nodes")) {
    if (node.contains("scores") && !node.at("scores").empty()) {
      std::vector<std::string> row{text(node.at("name"))};
      for (const auto& score : node.at("scores")) {
        row.push_back(score.dump());
      }
      columns.add(std::move(row));
    }
  }
  columns.write(out, right, options.headers, indent.size());
}

void answer_lines(const Json& report, const TableOptions& options, std::string_view indent, std::string& out) {
  const std::string verdict = text(report.at("verdict"));
  if (verdict == "gated") {
    out += fmt::format("{}SchedulingGated: {}\n", indent, text(report.at("pluginMessage")));
    return;
  }
  if (verdict == "waiting") {
    out += fmt::format("{}never tried, no condition is written: {}\n", indent, text(report.at("pluginMessage")));
    return;
  }
  if (verdict == "undecided") {
    out += fmt::format("{}undecided: the search for devices reached its step budget\n", indent);
    return;
  }
  const bool scheduled = verdict == "scheduled";
  if (!scheduled || options.wide) {
    node_lines(report.at("nodes"), indent, out);
  }
  if (!scheduled) {
    message_lines(report, indent, out);
    preemption_lines(report, indent, out);
  } else {
    scheduled_lines(report, indent, out);
  }
  claim_lines(report, indent, out);
  if (!report.at("deallocated").empty()) {
    out += fmt::format("{}loses its allocation: one of {}\n", indent, texts(report.at("deallocated")));
  }
  if (options.wide) {
    score_lines(report, options, indent, out);
  }
}

/// "blocked by taint", how many pods, what they ask for.
void cause_lines(const Json& causes, const TableOptions& options, std::string& out) {
  Columns columns({"CAUSE", "PODS", "REQUESTS", "EXAMPLES"});
  for (const Json& cause : causes) {
    const std::string by = cause.contains("by") ? " by " + text(cause.at("by")) : "";
    std::string requests;
    for (const auto& [name, amount] : cause.at("requests").items()) {
      requests +=
          fmt::format("{}{} {}", requests.empty() ? "" : ", ", amount.get<std::int64_t>(), escape_control(name));
    }
    if (const auto claims = cause.value("claims", std::size_t{0}); claims > 0) {
      requests += fmt::format("{}{} claim{}", requests.empty() ? "" : ", ", claims, claims == 1 ? "" : "s");
    }
    const auto pods = cause.at("pods").get<std::size_t>();
    columns.add({text(cause.at("verdict")) + by, fmt::format("{}", pods), requests.empty() ? "-" : requests,
                 texts(cause.at("examples")) + (pods > cause.at("examples").size() ? ", ..." : "")});
  }
  if (!causes.empty()) {
    columns.write(out, {false, true, false, false}, options.headers, 0);
    out += "\n";
  }
}

void report_lines(const Json& report, const TableOptions& options, std::string_view indent, std::string& out) {
  answer_lines(report, options, indent, out);
  explanation_lines(report, indent, out);
}

/// The causes, then each answer once.
void list_lines(const Json& list, const TableOptions& options, std::string& out) {
  cause_lines(list.at("causes"), options, out);
  for (const EqualAnswers& answer : equal_answers(list.at("items"))) {
    out += fmt::format("{}: {}\n", first_texts(Json(answer.pods), kNamed), text(answer.report->at("verdict")));
    report_lines(*answer.report, options, "  ", out);
  }
}

}  // namespace

void pending_table(const Json& report, const TableOptions& options, std::string& out) {
  report_lines(report, options, "", out);
}

void pending_list_table(const Json& list, const TableOptions& options, std::string& out) {
  for (const Json& finding : list.at("missingPods")) {
    finding_line(finding, "", out);
  }
  list_lines(list, options, out);
}

void workload_table(const Json& report, const TableOptions& options, std::string& out) {
  explanation_lines(report, "", out);
  list_lines(report, options, out);
}

}  // namespace gpusched::render
