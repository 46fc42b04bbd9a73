#include "cli/whatif_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "cli/inputs.hpp"
#include "cli/node_templates.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/model/node_labels.hpp"
#include "gpusched/objects/selector_text.hpp"
#include "gpusched/whatif/sharing_labels.hpp"

namespace gpusched::cli {

namespace {

using whatif::ClusterEdit;

constexpr std::int64_t kMostNodes = 100'000;
constexpr std::int64_t kMostPods = 1'000'000;
constexpr std::int64_t kMostReplicas = 1000;
constexpr std::array<std::string_view, 3> kEffects = {"NoSchedule", "PreferNoSchedule", "NoExecute"};

constexpr std::array kOptions = {
    OptionSpec{.name = "add",
               .value = "SHAPE=N",
               .help = "N empty nodes: an instance type (aws/p5.48xlarge), like:NODE, or a file with one node",
               .repeatable = true},
    OptionSpec{.name = "remove",
               .value = "NODE|SELECTOR",
               .help = "take nodes away; their pods are placed again",
               .repeatable = true},
    OptionSpec{.name = "cordon", .value = "NODE|SELECTOR", .help = "no new pods on these nodes", .repeatable = true},
    OptionSpec{.name = "drain",
               .value = "NODE|SELECTOR",
               .help = "cordon nodes and evict their pods, within PodDisruptionBudgets, to other nodes",
               .repeatable = true},
    OptionSpec{
        .name = "label", .value = "NODE=KEY=VALUE", .help = "set a label; NODE=KEY- takes it away", .repeatable = true},
    OptionSpec{.name = "taint",
               .value = "NODE=KEY=VALUE:EFFECT",
               .help = "set a taint; NODE=KEY:EFFECT- or NODE=KEY- takes it away",
               .repeatable = true},
    OptionSpec{.name = "share",
               .value = "NODE=HOW",
               .help = "time-slicing:4 or mps:4 replicas per GPU, with ,rename as nvidia.com/gpu.shared; or none",
               .repeatable = true},
    OptionSpec{.name = "repartition",
               .value = "NODE[/GPU]=LAYOUT",
               .help = "a MIG layout: all-1g.10gb, all-disabled, ... or profiles, 2x1g.10gb+3g.40gb",
               .repeatable = true},
    OptionSpec{.name = "scale",
               .value = "KIND/NAME=N",
               .help = "so many pods of a controller, for example deployment/web=3",
               .repeatable = true},
    OptionSpec{.name = "evict", .value = "POD", .help = "take a pod away for good", .repeatable = true},
};

std::unexpected<Diagnostics> bad_form(std::string_view flag, std::string_view value, std::string_view example) {
  const auto* const option = std::ranges::find(kOptions, flag, &OptionSpec::name);
  return bad_usage(fmt::format("--{} takes {}, not {}", flag, option->value, quote(value)),
                   fmt::format("for example --{} {}", flag, example));
}

struct Split {
  std::string_view left, right;
};

/// The parts on both sides of the first or last '='; none when one is empty.
std::optional<Split> split(std::string_view text, bool last = false) {
  const std::size_t equals = last ? text.rfind('=') : text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) {
    return std::nullopt;
  }
  return Split{text.substr(0, equals), text.substr(equals + 1)};
}

std::optional<std::int64_t> count_of(std::string_view text, std::int64_t min, std::int64_t max) {
  const std::optional<std::int64_t> number = parse_whole_number(text);
  return number && *number >= min && *number <= max ? number : std::nullopt;
}

Result<ClusterEdit> add(std::string_view value, Inputs& inputs) {
  const auto parts = split(value, true);
  const std::optional<std::int64_t> count = parts ? count_of(parts->right, 1, kMostNodes) : std::nullopt;
  if (!count) {
    return bad_form("add", value, "aws/p5.48xlarge=2");
  }
  constexpr std::string_view kLike = "like:";
  if (parts->left.starts_with(kLike)) {
    return whatif::AddNodes{std::string(parts->left.substr(kLike.size())), static_cast<std::int32_t>(*count)};
  }
  Result<whatif::NodeTemplate> node = read_node_template(parts->left, inputs);
  if (!node) {
    return std::unexpected(std::move(node.error()));
  }
  return whatif::AddShape{std::make_shared<const whatif::NodeTemplate>(std::move(*node)),
                          static_cast<std::int32_t>(*count)};
}

Result<ClusterEdit> remove(std::string_view value, Inputs&) {
  return whatif::RemoveNode{std::string(value)};
}
Result<ClusterEdit> cordon(std::string_view value, Inputs&) {
  return whatif::CordonNode{std::string(value), true};
}
Result<ClusterEdit> drain(std::string_view value, Inputs&) {
  return whatif::DrainNode{std::string(value)};
}

Result<ClusterEdit> label(std::string_view value, Inputs&) {
  const auto parts = split(value);
  if (!parts) {
    return bad_form("label", value, "dgx-a=pool=train");
  }
  std::string_view key = parts->right;
  if (key.find('=') == std::string_view::npos) {
    if (!key.ends_with('-') || key.size() == 1) {
      return bad_form("label", value, "dgx-a=pool=train, or dgx-a=pool- to take it away");
    }
    key.remove_suffix(1);
    return whatif::LabelNode{std::string(parts->left), std::string(key), std::nullopt};
  }
  const std::size_t equals = key.find('=');
  if (equals == 0) {
    return bad_form("label", value, "dgx-a=pool=train");
  }
  return whatif::LabelNode{std::string(parts->left), std::string(key.substr(0, equals)),
                           std::string(key.substr(equals + 1))};
}

Result<ClusterEdit> taint(std::string_view value, Inputs&) {
  constexpr std::string_view kExample = "dgx-a=dedicated=ml:NoSchedule";
  const auto parts = split(value);
  if (!parts) {
    return bad_form("taint", value, kExample);
  }
  whatif::TaintNode edit{std::string(parts->left), {}, parts->right.ends_with('-')};
  std::string_view text = parts->right;
  text.remove_suffix(edit.remove ? 1 : 0);
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    edit.taint.effect = text.substr(colon + 1);
    text = text.substr(0, colon);
  }
  const std::size_t equals = text.find('=');
  edit.taint.key = text.substr(0, equals);
  edit.taint.value = equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  const bool known = std::ranges::find(kEffects, edit.taint.effect) != kEffects.end();
  if (edit.taint.key.empty() || (edit.remove ? !edit.taint.effect.empty() && !known : edit.taint.effect.empty())) {
    return bad_form("taint", value, kExample);
  }
  if (!known && !edit.taint.effect.empty()) {
    const std::string nearest = suggest(edit.taint.effect, kEffects);
    return bad_usage(
        fmt::format("--taint: there is no effect {}", quote(edit.taint.effect)),
        nearest.empty() ? fmt::format("one of {}", join(kEffects, ", ")) : fmt::format("did you mean {}?", nearest));
  }
  return edit;
}

Result<ClusterEdit> share(std::string_view value, Inputs&) {
  constexpr std::string_view kExample = "l4-a=time-slicing:4,rename";
  const auto parts = split(value);
  if (!parts) {
    return bad_form("share", value, kExample);
  }
  whatif::ShareGpus edit{.node = std::string(parts->left)};
  std::string_view how = parts->right;
  if (how == "none") {
    return edit;
  }
  constexpr std::string_view kRename = ",rename";
  if (how.ends_with(kRename)) {
    edit.rename = true;
    how.remove_suffix(kRename.size());
  }
  const std::size_t colon = how.find(':');
  const std::string_view strategy = how.substr(0, colon);
  const auto replicas =
      colon == std::string_view::npos ? std::nullopt : count_of(how.substr(colon + 1), 2, kMostReplicas);
  if (!replicas || (strategy != "time-slicing" && strategy != "mps")) {
    return bad_form("share", value, fmt::format("{}, mps:4 or none; from 2 to {} replicas", kExample, kMostReplicas));
  }
  edit.strategy = strategy == "mps" ? whatif::SharingStrategy::kMps : whatif::SharingStrategy::kTimeSlicing;
  edit.replicas = static_cast<std::int32_t>(*replicas);
  return edit;
}

Result<ClusterEdit> repartition(std::string_view value, Inputs&) {
  constexpr std::string_view kExample = "mig-a=all-1g.10gb, or mig-a/0=3g.40gb+4g.40gb";
  const auto parts = split(value);
  if (!parts) {
    return bad_form("repartition", value, kExample);
  }
  whatif::RepartitionGpus edit{
      .node = std::string(parts->left), .gpu = std::nullopt, .layout = std::string(parts->right)};
  if (const std::size_t slash = parts->left.find('/'); slash != std::string_view::npos) {
    const auto gpu = count_of(parts->left.substr(slash + 1), 0, kMaxGpusPerNode - 1);
    if (!gpu || slash == 0) {
      return bad_form("repartition", value, kExample);
    }
    edit.gpu = static_cast<std::uint16_t>(*gpu);
    edit.node = parts->left.substr(0, slash);
  }
  return edit;
}

Result<ClusterEdit> scale(std::string_view value, Inputs&) {
  constexpr std::string_view kExample = "deployment/web=3, or deployment/ml/web=3 of the namespace ml";
  const auto parts = split(value, true);
  const auto count = parts ? count_of(parts->right, 0, kMostPods) : std::nullopt;
  if (!count) {
    return bad_form("scale", value, kExample);
  }
  const std::string_view owner = parts->left;
  const std::size_t first = owner.find('/');
  const std::size_t last = owner.rfind('/');
  if (first == std::string_view::npos || first == 0 || last + 1 == owner.size() || std::ranges::count(owner, '/') > 2 ||
      (first != last && first + 1 == last)) {
    return bad_form("scale", value, kExample);
  }
  whatif::ScaleOwner edit{
      std::string(owner.substr(0, first)), {}, std::string(owner.substr(last + 1)), static_cast<std::int32_t>(*count)};
  if (first != last) {
    edit.namespace_name = owner.substr(first + 1, last - first - 1);
  }
  return edit;
}

Result<ClusterEdit> evict(std::string_view value, Inputs&) {
  return whatif::DeletePod{std::string(value)};
}

struct FlagParser {
  std::string_view name;
  Result<ClusterEdit> (*parse)(std::string_view value, Inputs& inputs);
};

constexpr std::array kParsers = {
    FlagParser{"add", &add},       FlagParser{"remove", &remove},
    FlagParser{"cordon", &cordon}, FlagParser{"drain", &drain},
    FlagParser{"label", &label},   FlagParser{"taint", &taint},
    FlagParser{"share", &share},   FlagParser{"repartition", &repartition},
    FlagParser{"scale", &scale},   FlagParser{"evict", &evict},
};

}  // namespace

constinit const std::span<const OptionSpec> kEditOptions = kOptions;

bool has_edits(const Arguments& arguments) {
  return !arguments.in_order().empty();
}

Result<std::vector<ClusterEdit>> read_edits(const Arguments& arguments, Inputs& inputs) {
  std::vector<ClusterEdit> edits;
  Diagnostics errors;
  for (const auto& [name, value] : arguments.in_order()) {
    const auto* const parser = std::ranges::find(kParsers, name, &FlagParser::name);
    if (Result<ClusterEdit> edit = parser->parse(value, inputs)) {
      edits.push_back(std::move(*edit));
    } else {
      std::ranges::move(edit.error(), std::back_inserter(errors));
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  return edits;
}

Diagnostics naming_flags(Diagnostics errors, std::span<const ClusterEdit> edits, const Arguments& arguments) {
  const std::vector<std::pair<std::string, std::string>>& flags = arguments.in_order();
  for (Diagnostic& error : errors) {
    const auto edit = std::ranges::find(edits, error.object, [](const ClusterEdit& e) { return describe(e); });
    const auto index = static_cast<std::size_t>(edit - edits.begin());
    if (edit != edits.end() && index < flags.size()) {
      error.source = fmt::format("--{} {}", flags[index].first, flags[index].second);
      error.object.clear();
    }
  }
  return errors;
}

std::vector<std::string> edited_labels(const Arguments& arguments) {
  std::vector<std::string> keys;
  for (const std::string_view flag : {"remove", "cordon", "drain"}) {
    for (const std::string& value : arguments.all(flag)) {
      if (const Result<objects::LabelSelector> selector = objects::parse_label_selector(value)) {
        for (const auto& [key, wanted] : selector->match_labels) {
          keys.push_back(key);
        }
        for (const objects::LabelSelectorRequirement& requirement : selector->match_expressions) {
          keys.push_back(requirement.key);
        }
      }
    }
  }
  for (const std::string& value : arguments.all("label")) {
    const std::size_t equals = value.find('=');
    const std::string_view rest = equals == std::string::npos ? "" : std::string_view(value).substr(equals + 1);
    const std::string_view key = rest.substr(0, rest.find('='));
    keys.emplace_back(key.size() == rest.size() && key.ends_with('-') ? key.substr(0, key.size() - 1) : key);
    // Of these labels the first one counts, so that one tells nothing without the other.
    if (std::ranges::find(kNvlinkDomainLabels, keys.back()) != kNvlinkDomainLabels.end()) {
      keys.insert(keys.end(), kNvlinkDomainLabels.begin(), kNvlinkDomainLabels.end());
    }
  }
  if (!arguments.all("share").empty()) {
    keys.insert(keys.end(), whatif::kSharingLabels.begin(), whatif::kSharingLabels.end());
  }
  return keys;
}

}  // namespace gpusched::cli
