// The answer to --fill that stopped at the limit.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <string>

#include "gpusched/frag/fragmentation.hpp"
#include "gpusched/placement/place.hpp"
#include "gpusched/render/render.hpp"
#include "gpusched/report/placement.hpp"
#include "support/builders.hpp"

namespace gpusched::render {

TEST_CASE("a fill that stopped at its limit says at least") {
  testing::Cluster cluster({testing::node("n").gpus(3)}, {testing::pod("p").gpus(1)});
  const PodClassId pod_class = cluster.usage.pod_class_id(cluster.pod("p"));
  auto filled = placement::fill(cluster.usage, pod_class, {}, 2);
  REQUIRE(filled);
  report::PlacementParts parts;
  parts.fill = report::FillAnswer{"p", pod_class, std::move(*filled)};
  const auto report = report::placement_report(cluster.usage, {}, {}, frag::fragmentation(cluster.usage, {}), parts);
  CHECK(report.json->at("fill") == nlohmann::ordered_json{{"pod", "p"},
                                                          {"count", 2},
                                                          {"atLeast", true},
                                                          {"perNode", {{{"node", "n"}, {"count", 2}}}},
                                                          {"message", ""},
                                                          {"nodes", nlohmann::ordered_json::array()}});
  const std::string table = render(report, Format::kTable);
  CHECK(table.substr(0, table.find("fragmentation")) == "fill: at least 2 more of p fit\n  n  2\n");
}

}  // namespace gpusched::render
