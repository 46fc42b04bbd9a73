#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "explain/findings.hpp"
#include "gpusched/base/ascii.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/whatif/pod_edit.hpp"

namespace gpusched::explain {

namespace {

/// "NVIDIA A100 SXM4 80GB" in any order and case.
std::multiset<std::string> parts_of(std::string_view text) {
  std::multiset<std::string> parts;
  std::string part;
  for (const char c : text) {
    if (c == '-' || c == '_' || c == ' ' || c == '.' || c == '/') {
      parts.insert(std::exchange(part, {}));
    } else {
      part += ascii_lower(c);
    }
  }
  parts.insert(part);
  return parts;
}

/// Other words that contain this one or are contained in it, in any case.
std::vector<std::string> related_words(std::string_view word, const std::set<std::string>& words) {
  std::vector<std::string> related;
  const std::string b = ascii_lower(word);
  for (const std::string& candidate : words) {
    const std::string a = ascii_lower(candidate);
    if (a != b && !a.empty() && !b.empty() && (a.find(b) != std::string::npos || b.find(a) != std::string::npos)) {
      related.push_back(candidate);
    }
  }
  return related;
}

/// The same parts in another order; else the closest word; else the only related one.
std::string nearest_word(std::string_view word, const std::set<std::string>& words) {
  const auto same_parts = std::ranges::find_if(
      words, [&](const std::string& candidate) { return candidate != word && parts_of(candidate) == parts_of(word); });
  if (same_parts != words.end()) {
    return *same_parts;
  }
  const std::vector<std::string_view> views(words.begin(), words.end());
  if (std::string near = suggest(word, views); !near.empty() && near != word) {
    return near;
  }
  std::vector<std::string> related = related_words(word, words);
  return related.size() == 1 ? std::move(related.front()) : std::string();
}

/// Why a toleration with the taint's key does not tolerate it.
std::string toleration_text(const objects::Toleration& toleration, const objects::Taint& taint) {
  const bool effect_differs = !toleration.effect.empty() && toleration.effect != taint.effect;
  const bool value_differs = toleration.op != "Exists" && toleration.value != taint.value;
  std::string text = fmt::format("the toleration {} does not match the taint {}: the key matches, ",
                                 whatif::to_text(toleration), whatif::to_text(taint));
  if (effect_differs) {
    return text + "the effect differs";
  }
  return text + (value_differs ? "the value differs; operator Exists would match"
                               : fmt::format("the operator {} does not count", toleration.op));
}

void near_tolerations(const Question& question, std::vector<Finding>& findings) {
  std::set<std::string> said;
  for (const NodeGroup& group : question.survey.groups) {
    if (!group.has(Step::kTaint)) {
      continue;
    }
    const objects::Node& node = *question.snapshot.node(group.nodes.front()).object;
    for (const objects::Taint* const taint :
         untolerated(node, question.pod, question.options.rules.compare_tolerations)) {
      for (const objects::Toleration& toleration : question.pod.spec->tolerations) {
        std::string text;
        if (toleration.key == taint->key) {
          text = toleration_text(toleration, *taint);
        } else if (!toleration.key.empty() && edit_distance(toleration.key, taint->key) <= 2) {
          text = fmt::format("the toleration of {} does not match the taint {}: the keys differ", toleration.key,
                             whatif::to_text(*taint));
        }
        if (!text.empty() && said.insert(text).second) {
          findings.push_back({"near miss", "", std::move(text)});
        }
      }
    }
  }
}

void near_label(const Question& question, const std::string& key, const std::string& value,
                std::vector<Finding>& findings) {
  const std::set<std::string>& values = question.facts.values_of(question.snapshot, key);
  if (values.contains(value)) {
    return;
  }
  if (values.empty()) {
    std::set<std::string> keys;
    for (const NodeState& node : question.snapshot.nodes()) {
      for (const auto& label : node.object->meta.labels) {
        keys.insert(label.first);
      }
    }
    const std::string near = nearest_word(key, keys);
    findings.push_back(
        {"near miss", "",
         fmt::format("no node has the label {}{}", key, near.empty() ? "" : fmt::format("; the nearest is {}", near))});
    return;
  }
  std::string hint;
  if (const std::string near = nearest_label_value(question, key, value); !near.empty()) {
    hint = "; the nearest value is " + near;
  } else if (std::vector<std::string> related = related_words(value, values); !related.empty()) {
    constexpr std::size_t kShown = 4;
    const std::size_t more = related.size() - std::min(related.size(), kShown);
    related.resize(related.size() - more);
    hint = fmt::format("; values like it are {}{}", join(related, ", "),
                       more == 0 ? "" : fmt::format(" and {} more", more));
  }
  findings.push_back({"near miss", "", fmt::format("no node has {}={}{}", key, value, hint)});
}

void near_selectors(const Question& question, std::vector<Finding>& findings) {
  const bool blocked =
      std::ranges::any_of(question.survey.groups, [](const NodeGroup& group) { return group.has(Step::kSelector); });
  if (!blocked) {
    return;
  }
  for (const auto& [key, value] : question.pod.spec->node_selector) {
    near_label(question, key, value, findings);
  }
  const auto& affinity = question.pod.spec->affinity.node;
  if (!affinity || !affinity->required) {
    return;
  }
  for (const objects::NodeSelectorTerm& term : affinity->required->terms) {
    for (const objects::NodeSelectorRequirement& expression : term.match_expressions) {
      if (expression.op == "In" && expression.values.size() == 1) {
        near_label(question, expression.key, expression.values.front(), findings);
      }
    }
  }
}

}  // namespace

std::string nearest_resource(const Snapshot& snapshot, std::string_view name) {
  std::set<std::string> published;
  for (const NodeState& node : snapshot.nodes()) {
    for (const auto& entry : node.object->status.allocatable) {
      if (objects::is_extended_resource(entry.first)) {
        published.insert(entry.first);
      }
    }
  }
  return nearest_word(name, published);
}

std::string nearest_label_value(const Question& question, const std::string& key, const std::string& value) {
  const std::set<std::string>& values = question.facts.values_of(question.snapshot, key);
  return values.contains(value) ? std::string() : nearest_word(value, values);
}

void find_near_misses(const Question& question, std::vector<Finding>& findings) {
  near_tolerations(question, findings);
  near_selectors(question, findings);
  for (const Wanted& wanted : question.survey.wanted) {
    if (wanted.extended && wanted.largest <= 0) {
      if (const std::string near = nearest_resource(question.snapshot, wanted.name); !near.empty()) {
        findings.push_back(
            {"near miss", "", fmt::format("no node publishes {}; the nearest name is {}", wanted.name, near)});
      }
    }
  }
}

}  // namespace gpusched::explain
