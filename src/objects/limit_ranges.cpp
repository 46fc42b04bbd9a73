#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "gpusched/base/text.hpp"
#include "gpusched/objects/pod_admission.hpp"
#include "objects/pod_limits.hpp"

namespace gpusched::objects {

namespace {

void add_missing(ResourceList& list, const ResourceList& defaults) {
  for (const auto& [name, quantity] : defaults) {
    if (find(list, name) == nullptr) {
      list.emplace_back(name, quantity);
    }
  }
}

/// Three amounts in units in which they can be compared: milli, or whole ones where milli might overflow.
struct Compared {
  std::int64_t request = 0, limit = 0, enforced = 0;
};

constexpr std::int64_t kMaxMilliValue = std::numeric_limits<std::int64_t>::max() / 1000;

Compared compare(const Quantity* request, const Quantity* limit, const Quantity& enforced) {
  const Quantity none;
  const Quantity& r = request == nullptr ? none : *request;
  const Quantity& l = limit == nullptr ? none : *limit;
  Compared values{r.value(), l.value(), enforced.value()};
  if (std::max({values.request, values.limit, values.enforced}) <= kMaxMilliValue) {
    values = {r.milli_value(), l.milli_value(), enforced.milli_value()};
  }
  return values;
}

/// What a resource of a container or pod says against one bound; "" when it keeps to it.
using Check = std::string (*)(const std::string& resource, const std::string& type, const Quantity& enforced,
                              const Quantity* request, const Quantity* limit);

std::string check_min(const std::string& resource, const std::string& type, const Quantity& enforced,
                      const Quantity* request, const Quantity* limit) {
  const Compared values = compare(request, limit, enforced);
  const std::string start = fmt::format("minimum {} usage per {} is {}", resource, type, enforced.to_string());
  if (request == nullptr) {
    return start + ".  No request is specified";
  }
  if (values.request < values.enforced) {
    return fmt::format("{}, but request is {}", start, request->to_string());
  }
  return limit != nullptr && values.limit < values.enforced
             ? fmt::format("{}, but limit is {}", start, limit->to_string())
             : std::string();
}

std::string check_max(const std::string& resource, const std::string& type, const Quantity& enforced,
                      const Quantity* request, const Quantity* limit) {
  const Compared values = compare(request, limit, enforced);
  const std::string start = fmt::format("maximum {} usage per {} is {}", resource, type, enforced.to_string());
  if (limit == nullptr) {
    return start + ".  No limit is specified";
  }
  if (values.limit > values.enforced) {
    return fmt::format("{}, but limit is {}", start, limit->to_string());
  }
  return request != nullptr && values.request > values.enforced
             ? fmt::format("{}, but request is {}", start, request->to_string())
             : std::string();
}

std::string check_ratio(const std::string& resource, const std::string& type, const Quantity& enforced,
                        const Quantity* request, const Quantity* limit) {
  const Compared values = compare(request, limit, enforced);
  const std::string start =
      fmt::format("{} max limit to request ratio per {} is {}, but ", resource, type, enforced.to_string());
  if (request == nullptr || values.request == 0) {
    return start + "no request is specified or request is 0";
  }
  if (limit == nullptr || values.limit == 0) {
    return start + "no limit is specified or limit is 0";
  }
  const double ratio = static_cast<double>(values.limit) / static_cast<double>(values.request);
  const bool milli = enforced.value() <= kMaxMilliValue;
  const double allowed = static_cast<double>(milli ? enforced.milli_value() : enforced.value());
  return ratio * (milli ? 1000.0 : 1.0) > allowed ? fmt::format("{}provided ratio is {:f}", start, ratio)
                                                  : std::string();
}

struct Bound {
  ResourceList LimitRangeItem::* amounts;
  Check check;
};

constexpr std::array kBounds = {Bound{&LimitRangeItem::min, &check_min}, Bound{&LimitRangeItem::max, &check_max},
                                Bound{&LimitRangeItem::max_limit_request_ratio, &check_ratio}};

void check_bounds(const LimitRangeItem& item, const ResourceList& requests, const ResourceList& limits,
                  std::vector<std::string>& errors) {
  for (const Bound& bound : kBounds) {
    ResourceList amounts = item.*bound.amounts;
    std::ranges::sort(amounts, {}, [](const auto& entry) -> const std::string& { return entry.first; });
    for (const auto& [name, enforced] : amounts) {
      std::string error = bound.check(name, item.type, enforced, find(requests, name), find(limits, name));
      if (!error.empty() && std::ranges::find(errors, error) == errors.end()) {
        errors.push_back(std::move(error));
      }
    }
  }
}

}  // namespace

void add_limit_defaults(Pod& pod, const LimitRange& range) {
  LimitRangeItem defaults;  // of several items for containers the last one counts
  const auto overwrite = [](ResourceList& list, const ResourceList& later) {
    ResourceList merged = later;
    add_missing(merged, list);
    list = std::move(merged);
  };
  for (const LimitRangeItem& item : range.limits) {
    if (item.type == "Container") {
      overwrite(defaults.default_limits, item.default_limits);
      overwrite(defaults.default_requests, item.default_requests);
    }
  }
  PodSpec& spec = pod.spec.edit();
  for (auto* const containers : {&spec.containers, &spec.init_containers}) {
    for (Container& container : *containers) {
      add_missing(container.resources.limits, defaults.default_limits);
      add_missing(container.resources.requests, defaults.default_requests);
    }
  }
}

std::string limit_range_error(const Pod& pod, const LimitRange& range) {
  std::vector<std::string> errors;
  for (const LimitRangeItem& item : range.limits) {
    if (item.type == "Container") {
      for (const auto* const containers : {&pod.spec->containers, &pod.spec->init_containers}) {
        for (const Container& container : *containers) {
          check_bounds(item, container.resources.requests, container.resources.limits, errors);
        }
      }
    } else if (item.type == "Pod") {
      Pod bare = pod;
      bare.spec.edit().overhead.clear();  // LimitRanger does not count it
      check_bounds(item, spec_requests(bare), spec_limits(bare), errors);
    }
  }
  if (errors.size() == 1) {
    return errors.front();
  }
  return errors.empty() ? std::string() : fmt::format("[{}]", join(errors, ", "));
}

}  // namespace gpusched::objects
