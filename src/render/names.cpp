#include "render/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "gpusched/base/ascii.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::render {

namespace {

using Json = nlohmann::ordered_json;

void line(std::string& out, std::string_view type, const std::string& name) {
  out += fmt::format("{}/{}\n", type, escape_control(name));
}

/// "resourceslice.resource.k8s.io" for an object of that API group, "pod" for one of the core group.
std::string type_of(const Json& object) {
  const std::string type = ascii_lower(object.value("kind", std::string("object")));
  const auto version = object.value("apiVersion", std::string());
  const std::size_t slash = version.find('/');
  return slash == std::string::npos ? type : type + '.' + version.substr(0, slash);
}

void pods(const Json& report, std::string& out) {
  for (const Json& pod : report.at("pods")) {
    if (!pod.value("requeued", false)) {
      line(out, "pod", pod.at("name"));
    }
  }
}

void free_nodes(const Json& report, std::string& out) {
  for (const Json& node : report.at("freeNodes")) {
    line(out, "node", node);
  }
}

void instances(const Json& report, std::string& out) {
  for (const Json& layout : report.at("layouts")) {
    for (const Json& instance : layout.value("layout", Json::array())) {
      line(out, "instance", instance);
    }
  }
}

void allocated_claims(const Json& report, std::string& out) {
  for (const Json& claim : report.at("claims")) {
    if (!claim.at("allocation").is_null()) {
      line(out, "resourceclaim.resource.k8s.io", claim.at("name"));
    }
  }
}

void matching_devices(const Json& report, std::string& out) {
  for (const Json& device : report.at("devices")) {
    if (device.value("match", false)) {
      line(out, "device", device.at("device"));
    }
  }
}

void differing_pods(const Json& report, std::string& out) {
  for (const Json& difference : report.at("differences")) {
    const auto pod = difference.at("pod").get<std::string>();
    line(out, "pod", pod.substr(pod.find('/') + 1));
  }
}

void failed_questions(const Json& report, std::string& out) {
  for (const Json& question : report.at("questions")) {
    if (question.at("state") == "failed" || question.at("state") == "worse") {
      line(out, "question", question.at("name"));
    }
  }
}

/// Jobs, or what Kueue admits.
void jobs(const Json& report, std::string& out) {
  if (report.contains("admission")) {
    for (const Json& workload : report.at("admission").at("admitted")) {
      line(out, "workload.kueue.x-k8s.io", workload.at("workload"));
    }
    return;
  }
  for (const Json& job : report.at("jobs")) {
    line(out, "job", job.at("name"));
  }
}

void pending_pod(const Json& report, std::string& out) {
  line(out, "pod", report.at("pod").at("name"));
}

void objects(const Json& report, std::string& out) {
  for (const Json& object : report.value("objects", Json::array())) {
    line(out, type_of(object), object.at("metadata").at("name"));
  }
}

void items(const Json& list, std::string& out) {
  for (const Json& item : list.at("items")) {
    if (item.value("kind", std::string()) == "PendingReport") {
      pending_pod(item, out);
    } else {
      line(out, type_of(item), item.at("metadata").at("name"));
    }
  }
}

struct NameLister {
  std::string_view kind;
  void (*list)(const Json&, std::string&);
};
constexpr std::array kListers = {
    NameLister{"PlacementReport", &pods},
    NameLister{"FragmentationReport", &free_nodes},
    NameLister{"MigLayoutReport", &instances},
    NameLister{"AllocationReport", &allocated_claims},
    NameLister{"SelectorReport", &matching_devices},
    NameLister{"PendingReport", &pending_pod},
    NameLister{"List", &items},
    NameLister{"WorkloadReport", &items},
    NameLister{"VerificationReport", &differing_pods},
    NameLister{"GangReport", &jobs},
    NameLister{"ChainReport", &objects},
    NameLister{"CheckReport", &failed_questions},
};

}  // namespace

bool has_names(const Json& document) {
  return std::ranges::find(kListers, document.value("kind", std::string()), &NameLister::kind) != kListers.end();
}

std::string names(const Json& document) {
  std::string out;
  const auto lister = std::ranges::find(kListers, document.value("kind", std::string()), &NameLister::kind);
  if (lister != kListers.end()) {
    lister->list(document, out);
  }
  return out;
}

}  // namespace gpusched::render
