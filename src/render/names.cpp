#include "render/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gpusched/base/text.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

void line(std::string& out, std::string_view type, const std::string& name) {
  out += fmt::format("{}/{}\n", type, escape_control(name));
}

/// "resourceslice.resource.k8s.io" for an object of that API group, "pod" for one of the core group.
std::string type_of(const Json& object) {
  std::string type = object.value("kind", std::string("object"));
  std::ranges::transform(type, type.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const auto version = object.value("apiVersion", std::string());
  const std::size_t slash = version.find('/');
  return slash == std::string::npos ? type : type + '.' + version.substr(0, slash);
}

}  // namespace

std::string names(const Json& document) {
  std::string out;
  const auto kind = document.value("kind", std::string());
  if (kind == "PlacementReport") {
    for (const Json& pod : document.at("pods")) {
      if (!pod.value("requeued", false)) {
        line(out, "pod", pod.at("name"));
      }
    }
  } else if (kind == "FragmentationReport") {
    for (const Json& node : document.at("freeNodes")) {
      line(out, "node", node);
    }
  } else if (kind == "MigLayoutReport") {
    for (const Json& layout : document.at("layouts")) {
      for (const Json& instance : layout.value("layout", Json::array())) {
        line(out, "instance", instance);
      }
    }
  } else if (kind == "AllocationReport") {
    for (const Json& claim : document.at("claims")) {
      if (!claim.at("allocation").is_null()) {
        line(out, "resourceclaim.resource.k8s.io", claim.at("name"));
      }
    }
  } else if (kind == "SelectorReport") {
    for (const Json& device : document.at("devices")) {
      if (device.value("match", false)) {
        line(out, "device", device.at("device"));
      }
    }
  } else if (kind == "VerificationReport") {
    for (const Json& difference : document.at("differences")) {
      const auto pod = difference.at("pod").get<std::string>();
      line(out, "pod", pod.substr(pod.find('/') + 1));
    }
  } else if (kind == "GangReport" && document.contains("admission")) {
    for (const Json& workload : document.at("admission").at("admitted")) {
      line(out, "workload.kueue.x-k8s.io", workload.at("workload"));
    }
  } else if (kind == "GangReport") {
    for (const Json& job : document.at("jobs")) {
      line(out, "job", job.at("name"));
    }
  } else if (kind == "PendingReport") {
    line(out, "pod", document.at("pod").at("name"));
  } else if (kind == "ChainReport") {
    for (const Json& object : document.value("objects", Json::array())) {
      line(out, type_of(object), object.at("metadata").at("name"));
    }
  } else if (kind == "List" || kind == "WorkloadReport") {
    for (const Json& item : document.at("items")) {
      if (item.value("kind", std::string()) == "PendingReport") {
        out += names(item);
        continue;
      }
      line(out, type_of(item), item.at("metadata").at("name"));
    }
  }
  return out;
}

}  // namespace gpusched::render
