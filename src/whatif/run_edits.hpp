#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gpusched/whatif/cluster_edit.hpp"
#include "gpusched/whatif/effect.hpp"

/// What the appliers of edits, to models and to objects, share.
namespace gpusched::whatif {

/// Applies the edits in order with an editor that has an operator() for each. Errors name the edit.
template <class Editor>
[[nodiscard]] Result<std::vector<EditEffect>> run_edits(std::span<const ClusterEdit> edits, Editor& editor) {
  std::vector<EditEffect> effects;
  for (const ClusterEdit& edit : edits) {
    Result<EditEffect> effect = std::visit(editor, edit);
    if (!effect) {
      for (Diagnostic& error : effect.error()) {
        error.object = describe(edit);
      }
      return std::unexpected(std::move(effect.error()));
    }
    effect->edit = describe(edit);
    effects.push_back(std::move(*effect));
  }
  return effects;
}

/// Whether a word is a label selector and not a node's name: names have none of these signs.
[[nodiscard]] inline bool is_selector(std::string_view text) {
  return text.find_first_of("=!, ()") != std::string_view::npos;
}

// Effects in words.

/// Why the eviction API refuses a pod. Source: pkg/registry/core/pod/storage/eviction.go.
inline constexpr std::string_view kSeveralBudgets =
    "several PodDisruptionBudgets cover it, which the eviction API does not support";
/// `budget`: "namespace/name".
[[nodiscard]] std::string budget_text(std::string_view budget);

/// "2 nodes, each with 8 L4: l4-new-1, l4-new-2".
[[nodiscard]] std::string added_text(std::span<const std::string> nodes, std::span<const std::string> each);
/// "dgx-a goes; 3 pods evicted, ...".
[[nodiscard]] std::string removed_text(const EditEffect& effect);
/// "dgx-a, dgx-b take no new pods"; without nodes nothing was changed.
[[nodiscard]] std::string cordoned_text(std::span<const std::string> nodes, bool cordoned = true);
/// What the label was before.
[[nodiscard]] std::string label_text(std::string_view key, const std::optional<std::string>& before);
/// `changed`: the taint was not there, or was there to be removed.
[[nodiscard]] std::string taint_text(const TaintNode& edit, bool changed, const EditEffect& effect);

}  // namespace gpusched::whatif
