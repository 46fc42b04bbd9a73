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
  } else if (kind == "List") {
    for (const Json& item : document.at("items")) {
      line(out, type_of(item), item.at("metadata").at("name"));
    }
  }
  return out;
}

}  // namespace gpusched::render
