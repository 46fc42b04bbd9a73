#include "gpusched/whatif/pod_edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "gpusched/base/overloaded.hpp"
#include "gpusched/base/text.hpp"
#include "gpusched/objects/pod_requests.hpp"

namespace gpusched::whatif {

namespace {

Quantity* find_in(objects::ResourceList& list, std::string_view name) {
  const auto found = std::ranges::find(list, name, [](const auto& entry) -> std::string_view { return entry.first; });
  return found == list.end() ? nullptr : &found->second;
}

bool is_bytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" || objects::is_hugepages(resource);
}

Quantity quantity_of(std::string_view resource, std::int64_t amount) {
  return resource == "cpu" ? Quantity::from_milli(amount)
                           : Quantity::from_int64(
                                 amount, is_bytes(resource) ? QuantityFormat::kBinarySi : QuantityFormat::kDecimalSi);
}

std::int64_t amount_in(const objects::ResourceList& list, std::string_view resource) {
  const Quantity* const quantity = objects::find(list, resource);
  return quantity == nullptr ? 0 : resource == "cpu" ? quantity->milli_value() : quantity->value();
}

std::int64_t total_of(const objects::Pod& pod, std::string_view resource) {
  return amount_in(objects::pod_requests(pod), resource);
}

/// The container that asks for most of the resource, or nullptr.
objects::Container* largest_user(objects::PodSpec& spec, std::string_view resource) {
  objects::Container* largest = nullptr;
  std::int64_t most = 0;
  for (auto* const list : {&spec.containers, &spec.init_containers}) {
    for (objects::Container& container : *list) {
      if (const std::int64_t amount = amount_in(container.resources.requests, resource); amount > most) {
        most = amount;
        largest = &container;
      }
    }
  }
  return largest;
}

Result<objects::Pod> lower(const LowerRequest& edit, objects::Pod pod) {
  const auto refuse = [&] {
    return fail("request-not-lowered", fmt::format("no single container can lower {} to {}", edit.resource,
                                                   amount_text(edit.resource, edit.total)));
  };
  objects::Container* const container = largest_user(pod.spec.edit(), edit.resource);
  const std::int64_t excess = total_of(pod, edit.resource) - edit.total;
  const std::int64_t asked = container == nullptr ? 0 : amount_in(container->resources.requests, edit.resource);
  if (excess <= 0 || asked <= excess) {
    return refuse();
  }
  const Quantity lowered = quantity_of(edit.resource, asked - excess);
  *find_in(container->resources.requests, edit.resource) = lowered;
  if (Quantity* const limit = find_in(container->resources.limits, edit.resource);
      limit != nullptr && objects::is_extended_resource(edit.resource)) {
    *limit = lowered;
  }
  return total_of(pod, edit.resource) == edit.total ? Result<objects::Pod>(std::move(pod)) : refuse();
}

void rename(const RenameResource& edit, objects::PodSpec& spec) {
  for (auto* const list : {&spec.containers, &spec.init_containers}) {
    for (objects::Container& container : *list) {
      for (objects::ResourceList* const amounts : {&container.resources.requests, &container.resources.limits}) {
        const Quantity* const amount = find_in(*amounts, edit.from);
        if (amount == nullptr) {
          continue;
        }
        const Quantity moved = *amount;
        std::erase_if(*amounts, [&](const auto& entry) { return entry.first == edit.from; });
        if (Quantity* const there = find_in(*amounts, edit.to)) {
          there->add(moved);
        } else {
          amounts->emplace_back(edit.to, moved);
        }
      }
    }
  }
}

void drop_expression(const objects::NodeSelectorRequirement& expression, objects::PodSpec& spec) {
  std::optional<objects::NodeAffinity>& affinity = spec.affinity.node;
  if (!affinity || !affinity->required) {
    return;
  }
  std::vector<objects::NodeSelectorTerm>& terms = affinity->required->terms;
  for (objects::NodeSelectorTerm& term : terms) {
    std::erase(term.match_expressions, expression);
    std::erase(term.match_fields, expression);
  }
  // An empty term matches nothing, but here it means that nothing is asked for any more.
  if (std::ranges::any_of(
          terms, [](const auto& term) { return term.match_expressions.empty() && term.match_fields.empty(); })) {
    affinity->required.reset();
  }
}

void require(const objects::NodeSelectorRequirement& expression, objects::PodSpec& spec) {
  if (!spec.affinity.node) {
    spec.affinity.node.emplace();
  }
  std::optional<objects::NodeSelector>& required = spec.affinity.node->required;
  if (!required) {
    required.emplace().terms.emplace_back();
  }
  for (objects::NodeSelectorTerm& term : required->terms) {
    term.match_expressions.push_back(expression);
  }
}

void drop_pod_affinity(bool anti, objects::PodSpec& spec) {
  if (auto& rules = anti ? spec.affinity.pod_anti : spec.affinity.pod) {
    rules->required.clear();
    if (rules->preferred.empty()) {
      rules.reset();
    }
  }
}

}  // namespace

Result<objects::Pod> apply(const PodEdit& edit, objects::Pod pod) {
  if (const auto* const lowered = std::get_if<LowerRequest>(&edit)) {
    return lower(*lowered, std::move(pod));
  }
  objects::PodSpec& spec = pod.spec.edit();
  std::visit(Overloaded{[&](const AddToleration& e) { spec.tolerations.push_back(e.toleration); },
                        [&](const DropNodeSelector& e) {
                          std::erase_if(spec.node_selector, [&](const auto& entry) { return entry.first == e.key; });
                        },
                        [&](const SetNodeSelector& e) {
                          for (auto& [key, value] : spec.node_selector) {
                            value = key == e.key ? e.value : value;
                          }
                        },
                        [&](const DropNodeAffinity& e) { drop_expression(e.expression, spec); },
                        [&](const RequireNode& e) { require(e.expression, spec); },
                        [&](const DropPodAffinity& e) { drop_pod_affinity(e.anti, spec); },
                        [&](const DropTopologySpread& e) {
                          std::erase_if(spec.topology_spread_constraints, [&](const auto& constraint) {
                            return constraint.topology_key == e.topology_key &&
                                   constraint.when_unsatisfiable == "DoNotSchedule";
                          });
                        },
                        [&](const HonorTaintsInSpread& e) {
                          for (objects::TopologySpreadConstraint& constraint : spec.topology_spread_constraints) {
                            if (constraint.topology_key == e.topology_key) {
                              constraint.node_taints_policy = "Honor";
                            }
                          }
                        },
                        [](const LowerRequest&) {}, [&](const RenameResource& e) { rename(e, spec); },
                        [&](const OpenGates&) { spec.scheduling_gates.clear(); },
                        [&](const UseScheduler& e) { spec.scheduler_name = e.name; },
                        [&](const UsePriority& e) {
                          spec.priority_class_name = e.class_name;
                          spec.priority = e.value;
                        }},
             edit);
  return pod;
}

std::string describe(const PodEdit& edit) {
  return std::visit(
      Overloaded{
          [](const AddToleration& e) { return fmt::format("add the toleration {}", to_text(e.toleration)); },
          [](const DropNodeSelector& e) { return fmt::format("drop {} from the nodeSelector", e.key); },
          [](const SetNodeSelector& e) { return fmt::format("set {} to {} in the nodeSelector", e.key, e.value); },
          [](const DropNodeAffinity& e) {
            return fmt::format("drop \"{}\" from the node affinity", to_text(e.expression));
          },
          [](const RequireNode& e) {
            return fmt::format("require \"{}\" in the node affinity", to_text(e.expression));
          },
          [](const DropPodAffinity& e) {
            return fmt::format("drop the required pod {}", e.anti ? "anti-affinity" : "affinity");
          },
          [](const DropTopologySpread& e) {
            return fmt::format("drop the topology spread constraint over {}", e.topology_key);
          },
          [](const HonorTaintsInSpread& e) {
            return fmt::format("set nodeTaintsPolicy: Honor on the topology spread constraint over {}", e.topology_key);
          },
          [](const LowerRequest& e) {
            return fmt::format("lower {} to {}", e.resource, amount_text(e.resource, e.total));
          },
          [](const RenameResource& e) { return fmt::format("ask for {} instead of {}", e.to, e.from); },
          [](const OpenGates&) { return std::string("remove the scheduling gates"); },
          [](const UseScheduler& e) {
            return fmt::format("set schedulerName to {}", e.name.empty() ? "default-scheduler" : e.name);
          },
          [](const UsePriority& e) { return fmt::format("use the PriorityClass {} ({})", e.class_name, e.value); }},
      edit);
}

std::string to_text(const objects::Taint& taint) {
  return fmt::format("{}{}{}{}{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                     taint.effect.empty() ? "" : ":", taint.effect);
}

std::string to_text(const objects::Toleration& toleration) {
  if (toleration.key.empty()) {
    return toleration.effect.empty() ? "of everything" : fmt::format("of everything:{}", toleration.effect);
  }
  const std::string effect = toleration.effect.empty() ? "" : ":" + toleration.effect;
  if (toleration.op == "Exists") {
    return fmt::format("{} exists{}", toleration.key, effect);
  }
  return fmt::format("{}={}{}", toleration.key, toleration.value, effect);
}

std::string to_text(const objects::NodeSelectorRequirement& requirement) {
  const std::string values = join(requirement.values, ", ");
  const std::string& op = requirement.op;
  if (op == "Exists" || op == "DoesNotExist") {
    return fmt::format("{} {}", requirement.key, op == "Exists" ? "exists" : "does not exist");
  }
  if (op == "Gt" || op == "Lt") {
    return fmt::format("{} {} {}", requirement.key, op == "Gt" ? ">" : "<", values);
  }
  return fmt::format("{} {} ({})", requirement.key, op == "NotIn" ? "not in" : op == "In" ? "in" : op, values);
}

std::string amount_text(std::string_view resource, std::int64_t amount) {
  return quantity_of(resource, amount).to_string();
}

}  // namespace gpusched::whatif
