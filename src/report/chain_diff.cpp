#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "gpusched/base/quantity.hpp"
#include "gpusched/chain/capacity.hpp"
#include "gpusched/chain/names.hpp"
#include "gpusched/chain/units.hpp"
#include "gpusched/report/chain.hpp"
#include "report/chain_objects.hpp"
#include "report/header.hpp"

namespace gpusched::report {

namespace {

using Json = nlohmann::ordered_json;

// Without a single one of these a dump was made without them, and nothing is said about them.
constexpr std::array<std::string_view, 5> kOptionalKinds = {"NodeFeature", "InstanceTypeFlavor", "AdmissionCheck",
                                                            "Topology", "LocalQueue"};

std::string name_of(const Json& object) {
  const Json& metadata = object.at("metadata");
  const std::string kind = object.value("kind", "");
  const std::string name_space = metadata.value("namespace", "");
  return kind + " " + (name_space.empty() ? "" : name_space + "/") + metadata.value("name", "");
}

/// Objects that only the operator writes.
bool is_operators(const Json& object) {
  const Json metadata = object.value("metadata", Json::object());
  const Json labels = metadata.value("labels", Json::object());
  const Json annotations = metadata.value("annotations", Json::object());
  return labels.contains(chain::kObjectType) || annotations.contains(chain::kScheduleQueue) ||
         object.value("kind", "") == "InstanceTypeFlavor" ||
         labels.value("app.kubernetes.io/part-of", "") == "gpustack-operator-worker";
}

/// "1600k" and 1600000 are one amount.
bool same_amount(const Json& want, const Json& found) {
  const auto text = [](const Json& json) { return json.is_string() ? json.get<std::string>() : json.dump(); };
  const auto a = try_parse_quantity(text(want));
  const auto b = try_parse_quantity(text(found));
  return a && b && *a == *b;
}

class Differ {
 public:
  explicit Differ(const LiveObjects& live) : live_(live) {
    for (const std::string_view text : live.texts) {
      Json object = Json::parse(text, nullptr, false);
      if (!object.is_object() || !object.contains("metadata") || !object.at("metadata").is_object()) continue;
      kinds_.insert(object.value("kind", ""));
      std::string name = name_of(object);
      objects_.emplace(std::move(name), std::move(object));
    }
  }

  void compare_objects(const Json& wanted) {
    std::set<std::string> names;
    for (const Json& want : wanted) {
      const std::string name = name_of(want);
      names.insert(name);
      const auto found = objects_.find(name);
      if (found != objects_.end()) {
        object_ = name;
        compare(want, found->second, "");
      } else if (!is_unseen(want.value("kind", ""))) {
        add(name, "missing", "", Json(), Json());
      }
    }
    for (const auto& [name, object] : objects_) {
      if (!names.contains(name) && is_operators(object)) add(name, "unexpected", "", Json(), Json());
    }
  }

  void compare_nodes(const chain::Chain& chain) {
    for (const objects::Node* const node : live_.nodes) {
      const auto facts = std::ranges::find(chain.nodes, node->meta.name, &chain::NodeFacts::name);
      if (facts == chain.nodes.end()) continue;
      const std::string name = "Node " + node->meta.name;
      for (const auto& [key, amount] : chain::capacity_patch(node->status.capacity, facts->keys)) {
        const Quantity* const found = objects::find(node->status.capacity, key);
        const Json want = amount ? Json(chain::canonical(*amount)) : Json();
        add(name,
            !amount            ? "stale"
            : found == nullptr ? "missing"
                               : "differs",
            "/status/capacity/" + key, want, found == nullptr ? Json() : Json(found->to_string()));
      }
      for (const auto& [key, value] : facts->labels) {
        const std::string* const found = objects::find(node->meta.labels, key);
        if (found == nullptr || *found != value) {
          add(name, found == nullptr ? "missing" : "differs", "/metadata/labels/" + key, value,
              found == nullptr ? Json() : Json(*found));
        }
      }
      for (const auto& [key, value] : node->meta.labels) {
        if (!facts->labels.contains(key) && chain::is_chain_label(key)) {
          add(name, "stale", "/metadata/labels/" + key, Json(), value);
        }
      }
    }
  }

  Json take() { return std::move(drift_); }

 private:
  [[nodiscard]] bool is_unseen(const std::string& kind) const {
    return !kinds_.contains(kind) && std::ranges::find(kOptionalKinds, kind) != kOptionalKinds.end();
  }

  void add(const std::string& object, const char* how, const std::string& path, const Json& want, const Json& found) {
    Json entry = {{"object", object}, {"drift", how}};
    if (!path.empty()) entry["path"] = path;
    if (!want.is_null()) entry["want"] = want;
    if (!found.is_null()) entry["found"] = found;
    drift_.push_back(std::move(entry));
  }

  void compare(const Json& want, const Json& found, const std::string& path) {
    if (want.is_object() && found.is_object()) {
      for (const auto& [key, value] : want.items()) {
        const std::string child = path + "/" + key;
        if (found.contains(key)) {
          compare(value, found.at(key), child);
        } else if (!(key == "stopPolicy" && value == "None") && !value.empty()) {
          add(object_, "missing", child, value, Json());
        }
      }
    } else if (want.is_array() && found.is_array() && want.size() == found.size()) {
      for (std::size_t i = 0; i < want.size(); ++i) compare(want[i], found[i], path + "/" + std::to_string(i));
    } else if (want != found && !(path.ends_with("nominalQuota") && same_amount(want, found)) &&
               path != "/apiVersion") {
      add(object_, "differs", path, want, found);
    }
  }

  const LiveObjects& live_;
  std::map<std::string, Json> objects_;
  std::set<std::string> kinds_;
  std::string object_;
  Json drift_ = Json::array();
};

}  // namespace

Document chain_diff(const chain::Chain& chain, const chain::Settings& settings, const LiveObjects& live,
                    bool& drifted) {
  Differ differ(live);
  differ.compare_nodes(chain);
  differ.compare_objects(chain_object_list(chain, settings, ChainStage::kAll, false));
  Json report = document_header("ChainDiff");
  report["drift"] = differ.take();
  drifted = !report.at("drift").empty();
  return {std::make_shared<const Json>(std::move(report))};
}

}  // namespace gpusched::report
