#include "gpusched/objects/pod_validation.hpp"

#include <fmt/format.h>

namespace gpusched::objects {

namespace {

/// Nobody may get more of it than was asked for: request and limit are one number.
bool is_overcommit_allowed(std::string_view resource) {
  return !is_extended_resource(resource) && !is_hugepages(resource);
}

void check_amount(const std::string& path, const std::string& resource, const Quantity& amount,
                  std::vector<std::string>& errors) {
  const auto refuse = [&](std::string_view why) {
    errors.push_back(fmt::format("{}[{}]: Invalid value: \"{}\": {}", path, resource, amount.to_string(), why));
  };
  if (amount.sign() < 0) {
    refuse("must be greater than or equal to 0");
  }
  if (is_extended_resource(resource) && !amount.is_integer()) {
    refuse("must be an integer");
  }
}

void check_request(const std::string& path, const std::string& resource, const Quantity& request,
                   const ResourceList& limits, std::vector<std::string>& errors) {
  const Quantity* const limit = find(limits, resource);
  if (limit == nullptr) {
    errors.push_back(
        fmt::format("{}.limits: Required value: Limit must be set for non overcommitable resources", path));
  } else if (request != *limit) {
    errors.push_back(fmt::format("{}.requests: Invalid value: \"{}\": must be equal to {} limit of {}", path,
                                 request.to_string(), resource, limit->to_string()));
  }
}

void check_containers(std::string_view field, const std::vector<Container>& containers,
                      std::vector<std::string>& errors) {
  for (std::size_t i = 0; i < containers.size(); ++i) {
    const ResourceRequirements& resources = containers[i].resources;
    const std::string path = fmt::format("spec.{}[{}].resources", field, i);
    for (const auto& [resource, limit] : resources.limits) {
      if (!is_overcommit_allowed(resource)) {
        check_amount(path + ".limits", resource, limit, errors);
      }
    }
    for (const auto& [resource, request] : resources.requests) {
      if (!is_overcommit_allowed(resource)) {
        check_amount(path + ".requests", resource, request, errors);
        check_request(path, resource, request, resources.limits, errors);
      }
    }
  }
}

}  // namespace

std::vector<std::string> extended_resource_errors(const Pod& pod) {
  std::vector<std::string> errors;
  check_containers("containers", pod.spec->containers, errors);
  check_containers("initContainers", pod.spec->init_containers, errors);
  return errors;
}

}  // namespace gpusched::objects
