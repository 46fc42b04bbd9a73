#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "gpusched/render/render.hpp"

using namespace gpusched;
using render::Format;
using Json = nlohmann::ordered_json;

namespace {

Json stay(const std::string& job, const std::string& node, std::initializer_list<int> gpus, double from, double until,
          bool runs) {
  return {{"job", job}, {"pod", 0}, {"node", node}, {"gpus", gpus}, {"from", from}, {"until", until}, {"runs", runs}};
}

Json gang_report() {
  const Json gpu = {{"model", "H100"}, {"island", 0}, {"free", 1}, {"holders", Json::array()}};
  Json waits = stay("b", "n2", {0}, 10, 30, false);
  waits["open"] = true;
  return {{"kind", "GangReport"},
          {"deadlock", {{"time", 30}}},
          {"jobs", {{{"name", "a"}, {"gpus", 2}}, {{"name", "b"}, {"gpus", 2}}}},
          {"events",
           {{{"time", 0}, {"event", "submit"}, {"job", "a"}, {"pods", 0}},
            {{"time", 0}, {"event", "start"}, {"job", "a"}, {"pods", 1}},
            {{"time", 10}, {"event", "submit"}, {"job", "b"}, {"pods", 0}},
            {{"time", 10}, {"event", "hold"}, {"job", "b"}, {"pods", 1}},
            {{"time", 30}, {"event", "finish"}, {"job", "a"}, {"pods", 0}},
            {{"time", 30}, {"event", "deadlock"}}}},
          {"stays", {stay("a", "n1", {0, 1}, 0, 30, true), waits, stay("c", "n1", {1}, 5, 20.5, true)}},
          {"cluster", {{"nodes", {{{"name", "n1"}, {"gpus", {gpu, gpu}}}, {{"name", "n2"}, {"gpus", {gpu}}}}}}}};
}

Json trace_of(Json report) {
  const report::Document document{std::make_shared<const Json>(std::move(report))};
  REQUIRE(render::can_render(document, Format::kTrace));
  return Json::parse(render::render(document, Format::kTrace));
}

}  // namespace

TEST_CASE("trace has a process for each node and a thread for each GPU") {
  std::map<int, std::string> processes;
  std::set<std::pair<std::string, std::string>> threads;
  const Json trace = trace_of(gang_report());
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("name") == "process_name") {
      processes[event.at("pid").get<int>()] = event.at("args").at("name").get<std::string>();
    }
  }
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("name") == "thread_name") {
      threads.emplace(processes.at(event.at("pid").get<int>()), event.at("args").at("name").get<std::string>());
    }
  }
  CHECK(threads == std::set<std::pair<std::string, std::string>>{
                       {"n1", "GPU 0"}, {"n1", "GPU 1"}, {"n1", "GPU 1 (2)"}, {"n2", "GPU 0"}});
}

TEST_CASE("trace has a complete event for each pod on a GPU, none across another on its thread") {
  const Json trace = trace_of(gang_report());
  std::map<std::pair<int, int>, std::int64_t> busy_until;
  int complete = 0;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X") {
      continue;
    }
    ++complete;
    std::int64_t& until = busy_until[{event.at("pid").get<int>(), event.at("tid").get<int>()}];
    CHECK(until <= event.at("ts").get<std::int64_t>());
    until = event.at("ts").get<std::int64_t>() + event.at("dur").get<std::int64_t>();
    CHECK(event.at("cat") == (event.at("args").at("job") == "b" ? "hold" : "run"));
    if (event.at("args").at("job") == "b") {  // held without end: seen behind the last event at 30 s
      CHECK(event.at("dur") == 21'500'000);
      CHECK(event.at("args").at("end") == "never");
    }
    if (event.at("args").at("job") == "c") {
      CHECK(event.at("ts") == 5'000'000);
      CHECK(event.at("dur") == 15'500'000);
    }
  }
  CHECK(complete == 4);
}

TEST_CASE("trace counts waiting jobs and GPUs, and marks a deadlock for all") {
  std::map<std::string, Json> last;
  int deadlocks = 0;
  const Json trace = trace_of(gang_report());
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "C") {
      last[event.at("name").get<std::string>()] = event.at("args");
    }
    if (event.at("ph") == "i") {
      ++deadlocks;
      CHECK(event.at("s") == "g");
      CHECK(event.at("ts") == 30'000'000);
    }
  }
  CHECK(deadlocks == 1);
  CHECK(last.at("jobs").at("waiting") == 1);
  CHECK(last.at("jobs").at("running") == 0);
  CHECK(last.at("GPUs").at("running") == 0);
  CHECK(last.at("GPUs").at("held") == 1);  // what is stuck is held without end
}

TEST_CASE("only simulations can be traces") {
  const auto document = [](const char* kind) {
    return report::Document{std::make_shared<const Json>(Json{{"kind", kind}})};
  };
  CHECK_FALSE(render::can_render(document("PlacementReport"), Format::kTrace));
  CHECK_FALSE(render::can_render(document("GangReport"), Format::kTrace));  // without stays: mode kueue
}
