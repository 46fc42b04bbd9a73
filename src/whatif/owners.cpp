#include "whatif/owners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "gpusched/base/text.hpp"
#include "gpusched/objects/pod_owner.hpp"

namespace gpusched::whatif {

namespace {

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
    : kind_(objects::kind_of_word(edit.kind)), namespace_(edit.namespace_name), name_(edit.name) {}

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
  return name == name_ && objects::names_kind(kind_, kind) && (namespace_.empty() || name_space == namespace_);
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
    known.push_back(namespace_.empty() ? fmt::format("{}/{}", objects::kind_of_word(kind), name)
                                       : fmt::format("{}/{}/{}", name_space, objects::kind_of_word(kind), name));
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

namespace {

/// The number behind the last '-', which tells the replicas of a fixture and of a StatefulSet apart; -1 without one.
std::int64_t ordinal(std::string_view pod) {
  const std::string_view tail = pod.substr(pod.rfind('-') + 1);
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(tail.data(), tail.data() + tail.size(), number);
  return error == std::errc() && end == tail.data() + tail.size() && tail.size() < pod.size() ? number : -1;
}

}  // namespace

bool OwnerQuery::goes_by_ordinal() const {
  return kind_ == "statefulset";
}

PodAge OwnerQuery::age(std::string_view pod, bool waits, std::optional<objects::Timestamp> since) const {
  const std::int64_t number = ordinal(pod);
  return {goes_by_ordinal() ? number : 0, waits, since.value_or(objects::Timestamp()), number};
}

std::string OwnerQuery::scale_text(std::size_t pods, std::size_t wanted) const {
  std::string text = fmt::format("{} -> {} pods", pods, wanted);
  if (wanted < pods) {
    text += fmt::format(", {} {}", goes_by_ordinal() ? "the last by ordinal" : "the youngest",
                        wanted + 1 == pods ? "goes" : "go");
  } else if (wanted > pods) {
    text += fmt::format(", {} more to place", wanted - pods);
  }
  return text;
}

std::vector<std::string> new_pod_names(std::span<const std::string> pods, std::string_view owner, std::size_t count,
                                       const NameSet& taken) {
  const std::string_view first = pods.front();
  const std::string_view stem = first.substr(0, first.rfind('-'));
  std::int64_t last = -1;
  const bool numbered = std::ranges::all_of(pods, [&](const std::string& pod) {
    const std::int64_t number = ordinal(pod);
    last = std::max(last, number);
    return number >= 0 && std::string_view(pod).substr(0, pod.rfind('-')) == stem;
  });
  std::vector<std::string> names;
  for (std::int64_t number = numbered ? last : 0; names.size() < count;) {
    ++number;
    std::string name = numbered ? fmt::format("{}-{}", stem, number) : fmt::format("{}-new-{}", owner, number);
    if (!taken.contains(name)) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace gpusched::whatif
