#include "report/why_not_json.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace gpusched::report {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kExamples = 3;

Json loss_json(const dra::DeviceLoss& loss) {
  Json json = {{"check", loss.check}};
  if (!loss.expression.empty()) json["expression"] = loss.expression;
  json["devices"] = loss.devices;
  if (loss.check == "in use") json["matching"] = loss.matching;
  if (loss.causes.empty()) return json;
  Json& causes = json["causes"] = Json::array();
  for (const dra::DeviceLoss::Cause& cause : loss.causes) {
    causes.push_back({{"text", cause.text}, {"devices", cause.devices}, {"example", cause.example}});
  }
  return json;
}

Json request_json(const dra::RequestFunnel& request, const dra::WhyNot& why) {
  Json json = {{"claim", why.claims[request.claim]},
               {"request", request.request},
               {"deviceClass", request.device_class},
               {"allocationMode", request.all ? "All" : "ExactCount"},
               {"wanted", request.wanted},
               {"published", request.published}};
  Json& losses = json["losses"] = Json::array();
  for (const dra::DeviceLoss& loss : request.losses) losses.push_back(loss_json(loss));
  json["left"] = request.left;
  return json;
}

Json constraint_json(const dra::ConstraintView& constraint, const dra::WhyNot& why) {
  Json json = {{"claim", why.claims[constraint.claim]}, {"constraint", constraint.text}};
  Json& groups = json["groups"] = Json::array();
  for (const dra::ConstraintView::Group& group : constraint.groups) {
    Json row = Json::object();
    if (!group.value.empty()) row["value"] = group.value;
    row["devices"] = group.devices;
    groups.push_back(std::move(row));
  }
  json["breaks"] = constraint.breaks;
  return json;
}

Json group_json(const dra::WhyNot::Group& group, const dra::WhyNot& why, std::span<const dra::NodeFacts> nodes) {
  Json json = {{"count", group.nodes.size()}};
  Json& examples = json["examples"] = Json::array();
  for (std::size_t i = 0; i < group.nodes.size() && i < kExamples; ++i) examples.push_back(nodes[group.nodes[i]].name);
  json["conclusion"] = group.why.conclusion;
  if (!group.why.pools.empty()) json["pools"] = group.why.pools;
  Json& requests = json["requests"] = Json::array();
  for (const dra::RequestFunnel& request : group.why.requests) requests.push_back(request_json(request, why));
  if (group.why.constraints.empty()) return json;
  Json& constraints = json["constraints"] = Json::array();
  for (const dra::ConstraintView& constraint : group.why.constraints) {
    constraints.push_back(constraint_json(constraint, why));
  }
  return json;
}

}  // namespace

Json why_not_json(const dra::WhyNot& why, std::span<const dra::NodeFacts> nodes, bool details) {
  Json json = Json::object();
  if (details) {
    Json& groups = json["nodes"] = Json::array();
    for (const dra::WhyNot::Group& group : why.groups) groups.push_back(group_json(group, why, nodes));
  }
  Json& hints = json["hints"] = Json::array();
  for (const dra::NearMiss& hint : why.hints)
    hints.push_back({{"claim", why.claims[hint.claim]}, {"request", hint.request}, {"text", hint.text}});
  Json& fixes = json["fixes"] = Json::array();
  for (const dra::Fix& fix : why.fixes) {
    fixes.push_back({{"change", fix.change}, {"effect", fix.effect}, {"verified", true}});
  }
  return json;
}

}  // namespace gpusched::report
