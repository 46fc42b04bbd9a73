#include "whatif/owners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "gpusched/base/text.hpp"

namespace gpusched::whatif {

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// kubectl's short and plural names.
std::string kind_of(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kShort = {
      {{"deploy", "deployment"},
       {"sts", "statefulset"},
       {"rs", "replicaset"},
       {"rc", "replicationcontroller"},
       {"ds", "daemonset"},
       {"po", "pod"}}};
  std::string kind;
  std::ranges::transform(word, std::back_inserter(kind), lower);
  for (const auto& [name, full] : kShort) {
    if (kind == name || (kind.size() == full.size() + 1 && kind.starts_with(full) && kind.ends_with('s'))) {
      return std::string(full);
    }
  }
  return kind.ends_with("s") && kind == "jobs" ? "job" : kind;
}

struct Parts {
  std::string_view name_space, kind, name;
};

/// "namespace/Kind/name", or "Kind/name".
Parts parts(std::string_view owner) {
  const std::size_t last = owner.rfind('/');
  const std::string_view front = owner.substr(0, last);
  const std::size_t middle = front.rfind('/');
  return {middle == std::string_view::npos ? std::string_view() : front.substr(0, middle),
          middle == std::string_view::npos ? front : front.substr(middle + 1), owner.substr(last + 1)};
}

}  // namespace

OwnerQuery::OwnerQuery(const ScaleOwner& edit)
    : kind_(kind_of(edit.kind)), namespace_(edit.namespace_name), name_(edit.name) {}

std::string OwnerQuery::owner_of(std::string_view pod) const {
  const std::size_t slash = pod.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? pod : pod.substr(slash + 1);
  const std::size_t dash = name.rfind('-');
  const bool numbered = dash != std::string_view::npos && dash + 1 < name.size() &&
                        std::ranges::all_of(name.substr(dash + 1), [](char c) { return c >= '0' && c <= '9'; });
  return fmt::format("{}Pod/{}", slash == std::string_view::npos ? std::string_view() : pod.substr(0, slash + 1),
                     numbered ? name.substr(0, dash) : name);
}

bool OwnerQuery::matches(std::string_view owner) const {
  const auto [name_space, kind, name] = parts(owner);
  return name == name_ && kind_of(kind) == kind_ && (namespace_.empty() || name_space == namespace_);
}

std::string OwnerQuery::stem(std::string_view owner) const {
  const auto [name_space, kind, name] = parts(owner);
  return fmt::format("{}{}{}", name_space, name_space.empty() ? "" : "/", name);
}

std::unexpected<Diagnostics> OwnerQuery::unknown(std::span<const std::string> owners) const {
  const std::string wanted = fmt::format("{}{}{}/{}", namespace_, namespace_.empty() ? "" : "/", kind_, name_);
  std::vector<std::string> known;
  for (const std::string& owner : owners) {
    const auto [name_space, kind, name] = parts(owner);
    known.push_back(namespace_.empty() ? fmt::format("{}/{}", kind_of(kind), name)
                                       : fmt::format("{}/{}/{}", name_space, kind_of(kind), name));
  }
  const std::vector<std::string_view> views(known.begin(), known.end());
  const std::string nearest = suggest(wanted, views);
  return fail("unknown-owner", fmt::format("no pod belongs to {}/{}", shorten(kind_), shorten(name_)),
              nearest.empty() ? "KIND/NAME or KIND/NAMESPACE/NAME of a controller whose pods are in the input"
                              : fmt::format("did you mean {}?", nearest));
}

std::unexpected<Diagnostics> OwnerQuery::ambiguous(std::span<const std::string> owners) const {
  return fail("ambiguous-owner", fmt::format("several namespaces have a {} {}", shorten(kind_), quote(name_)),
              fmt::format("{}/NAMESPACE/{}: {}", kind_, name_, join(owners, ", ")));
}

}  // namespace gpusched::whatif
