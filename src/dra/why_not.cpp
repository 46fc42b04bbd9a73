#include "gpusched/dra/why_not.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "dra/fixes.hpp"
#include "dra/near_misses.hpp"
#include "dra/node_funnel.hpp"
#include "dra/trials.hpp"

namespace gpusched::dra {

namespace {

using objects::ResourceClaim;

class Explanation {
 public:
  Explanation(const WhyNotInput& input, Trials::Claims claims)
      : input_(input),
        claims_(claims),
        trials_(input_),
        cluster_({input.features, input.slices, input.classes, input.in_use, input.selectors}) {}

  WhyNot run();

 private:
  void look_at_nodes();
  void conclude(std::size_t node, NodeWhyNot& why);
  [[nodiscard]] std::string short_of_devices(const NodeWhyNot& why) const;
  [[nodiscard]] bool find_breaks(std::size_t node, NodeWhyNot& why);
  void find_hints();
  void hint_at_selectors(const LeafPlace& place);

  const WhyNotInput& input_;
  Trials::Claims claims_;
  Trials trials_;
  ClusterFacts cluster_;
  Evidence evidence_;
  std::optional<NearMisses> near_misses_;
  std::vector<Replacement> replacements_;
  WhyNot why_;
};

std::string request_name(const ResourceClaim& claim, const LeafPlace& place) {
  const objects::DeviceRequest& request = claim.devices.requests[place.request];
  if (place.subrequest == LeafPlace::kNone) return request.name;
  return request.name + "/" + request.first_available[place.subrequest].name;
}

/// The first request that cannot have its devices, whatever becomes of the others. Of a prioritised list all
/// subrequests must be short of devices.
std::string Explanation::short_of_devices(const NodeWhyNot& why) const {
  for (std::size_t i = 0; i < why.requests.size();) {
    const RequestFunnel& first = why.requests[i];
    const std::string request = first.request.substr(0, first.request.find('/'));
    std::string text;
    bool possible = false;
    for (; i < why.requests.size() && why.requests[i].claim == first.claim &&
           why.requests[i].request.substr(0, why.requests[i].request.find('/')) == request;
         ++i) {
      const RequestFunnel& funnel = why.requests[i];
      if (funnel.all) {
        possible |= funnel.wanted > 0 && funnel.left >= funnel.wanted;
        text += fmt::format("{}request {}: {} of all {} devices that match can be taken", text.empty() ? "" : "; ",
                            funnel.request, std::min<std::int64_t>(funnel.left, funnel.wanted), funnel.wanted);
      } else {
        possible |= funnel.left >= funnel.wanted;
        text += fmt::format("{}request {}: {} of {} devices left", text.empty() ? "" : "; ", funnel.request,
                            funnel.left, funnel.wanted);
      }
    }
    if (!possible) return text;
  }
  return "";
}

/// Whether it is constraints that forbid every choice.
bool Explanation::find_breaks(std::size_t node, NodeWhyNot& why) {
  std::vector<ResourceClaim> copies;
  std::vector<const ResourceClaim*> all(claims_.begin(), claims_.end());
  copies.reserve(claims_.size());
  for (std::size_t c = 0; c < claims_.size(); ++c) {
    all[c] = &copies.emplace_back(*claims_[c]);
    copies.back().devices.constraints.clear();
  }
  if (!trials_.fits_on(node, all, {})) return false;
  bool any = false;
  std::size_t view = 0;
  for (std::size_t c = 0; c < claims_.size(); ++c) {
    const auto& constraints = claims_[c]->devices.constraints;
    for (std::size_t other = 0; other < claims_.size(); ++other)
      copies[other].devices.constraints = claims_[other]->devices.constraints;
    for (std::size_t i = 0; i < constraints.size(); ++i, ++view) {
      copies[c].devices.constraints = constraints;
      copies[c].devices.constraints.erase(copies[c].devices.constraints.begin() + static_cast<std::ptrdiff_t>(i));
      why.constraints[view].breaks = trials_.fits_on(node, all, {}).has_value();
      any |= why.constraints[view].breaks;
    }
  }
  // No single one does: together they do.
  for (ConstraintView& constraint : why.constraints) constraint.breaks |= !any;
  return true;
}

void Explanation::conclude(std::size_t node, NodeWhyNot& why) {
  if (!why.conclusion.empty()) return;
  if (why.requests.empty()) {
    why.conclusion = "invalid pools";
    return;
  }
  if (why.requests.front().published == 0) {
    why.conclusion = "no devices";
    return;
  }
  why.conclusion = short_of_devices(why);
  if (!why.conclusion.empty()) return;
  if (!why.constraints.empty() && find_breaks(node, why)) {
    std::string names;
    for (const ConstraintView& constraint : why.constraints) {
      if (constraint.breaks) names += (names.empty() ? "" : " and ") + constraint.text;
    }
    why.conclusion = "enough devices, but no combination satisfies " + names;
    return;
  }
  why.conclusion = why.requests.size() > 1 ? "the requests want the same devices, or what these share"
                                           : "the devices share counters that have too little left for all of them";
}

void Explanation::look_at_nodes() {
  NodeFunnel funnel(cluster_, claims_);
  std::map<NodeWhyNot, std::size_t> known;
  for (std::size_t n = 0; n < input_.nodes.size(); ++n) {
    NodeWhyNot why = funnel.explain(n, input_.nodes[n], evidence_);
    conclude(n, why);
    const auto [place, added] = known.try_emplace(why, why_.groups.size());
    if (added) {
      why_.groups.push_back({std::move(why), {}});
      evidence_.kinds.push_back(n);
    }
    why_.groups[place->second].nodes.push_back(n);
  }
}

void Explanation::hint_at_selectors(const LeafPlace& place) {
  const objects::DeviceRequirements& wanted = requirements_of(*claims_[place.claim], place);
  const objects::DeviceClass* const device_class = cluster_.find_class(wanted.device_class_name);
  if (device_class == nullptr) return;
  std::vector<std::string> selectors;
  for (const auto& selector : device_class->selectors) selectors.push_back(selector.cel.value_or(""));
  for (const auto& selector : wanted.selectors) selectors.push_back(selector.cel.value_or(""));
  const std::optional<SelectorMiss> miss = near_misses_->of_selectors(selectors);
  if (!miss) return;
  const std::size_t of_class = device_class->selectors.size();
  const std::string which = miss->selector < of_class
                                ? fmt::format("selector #{} of class {}", miss->selector, device_class->name)
                                : fmt::format("selector #{}", miss->selector - of_class);
  why_.hints.push_back(
      {place.claim, request_name(*claims_[place.claim], place), fmt::format("{}: {}", which, miss->text)});
  if (miss->selector < of_class || miss->replacement.empty()) return;
  replacements_.push_back({place, miss->selector - of_class, miss->replacement});
}

// A hint is for what no device of the whole cluster can satisfy.
void Explanation::find_hints() {
  near_misses_.emplace(input_.slices);
  for (const auto& [place, matched] : evidence_.matched) {
    if (!matched) hint_at_selectors(place);
  }
  for (std::size_t c = 0; c < claims_.size(); ++c) {
    for (const objects::DeviceConstraint& constraint : claims_[c]->devices.constraints) {
      const std::string& attribute =
          constraint.match_attribute ? *constraint.match_attribute : constraint.distinct_attribute.value_or("");
      std::string text = near_misses_->of_attribute(attribute);
      if (!text.empty()) why_.hints.push_back({c, "", fmt::format("{}: {}", text_of(constraint), text)});
    }
  }
}

WhyNot Explanation::run() {
  for (const ResourceClaim* const claim : claims_) why_.claims.push_back(name_of(*claim));
  look_at_nodes();
  find_hints();
  why_.fixes = find_fixes(trials_, claims_, evidence_, replacements_);
  return std::move(why_);
}

}  // namespace

WhyNot explain_refusal(const WhyNotInput& input, std::span<const ResourceClaim* const> claims) {
  return Explanation(input, claims).run();
}

}  // namespace gpusched::dra
