#include "kueue/topology_keys.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace gpusched::kueue {

namespace {

// Every text goes in with its length and every list with its size, so that no two values look alike.
class Key {
 public:
  void add(std::string_view text) { fmt::format_to(std::back_inserter(text_), "{}:{}", text.size(), text); }
  void add(std::int64_t number) { fmt::format_to(std::back_inserter(text_), "{};", number); }
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(const ResourceAmount& amount) {
    add(std::int64_t{amount.resource.value});
    add(amount.amount);
  }
  void add(const std::pair<std::string, std::string>& label) {
    add(label.first);
    add(label.second);
  }
  void add(const objects::Toleration& toleration) {
    add(toleration.key);
    add(toleration.op);
    add(toleration.value);
    add(toleration.effect);
  }
  void add(const objects::NodeSelectorRequirement& requirement) {
    add(requirement.key);
    add(requirement.op);
    add(requirement.values);
  }
  void add(const objects::NodeSelectorTerm& term) {
    add(term.match_expressions);
    add(term.match_fields);
  }
  void add(const objects::NodeSelector& selector) { add(selector.terms); }
  void add(const objects::PreferredSchedulingTerm& term) {
    add(std::int64_t{term.weight});
    add(term.preference);
  }
  void add(const objects::NodeAffinity& affinity) {
    add(affinity.required);
    add(affinity.preferred);
  }
  void add(const objects::PodSetSliceConstraint& constraint) {
    add(constraint.topology);
    add(std::int64_t{constraint.size});
  }
  void add(const objects::PodSetTopologyRequest& request) {
    add(request.required);
    add(request.preferred);
    add(std::int64_t{request.unconstrained ? *request.unconstrained : 2});
    add(request.slice_topology);
    add(std::int64_t{request.slice_size.value_or(-1)});
    add(request.slice_constraints);
    add(request.pod_set_group);
  }
  template <class T>
  void add(const std::optional<T>& value) {
    text_ += value ? '+' : '-';
    if (value) add(*value);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(static_cast<std::int64_t>(values.size()));
    for (const T& value : values) add(value);
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string needs_key(const PodSetNeeds& needs) {
  Key key;
  key.add(needs.request);
  key.add(std::int64_t{needs.implied});
  key.add(needs.per_pod);
  key.add(needs.tolerations);
  key.add(needs.node_selector);
  key.add(needs.affinity);
  return key.take();
}

std::string filter_key(const NodeFilter& filter) {
  Key key;
  key.add(filter.tolerations);
  key.add(filter.selector);
  key.add(filter.affinity);
  key.add(filter.preferred);
  return key.take();
}

}  // namespace gpusched::kueue
