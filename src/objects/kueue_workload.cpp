#include "gpusched/objects/kueue_workload.hpp"

#include <algorithm>

namespace gpusched::objects {

const Condition* find_condition(const std::vector<Condition>& conditions, std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &Condition::type);
  return found == conditions.end() ? nullptr : &*found;
}

}  // namespace gpusched::objects
