#include "gpusched/io/gpu_usage.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace gpusched;
using namespace gpusched::io;

namespace {

/// "node/gpu uuid namespace/pod/container instance profile", only what is there.
std::vector<std::string> read(const std::string& text) {
  const Result<std::vector<GpuUse>> uses = parse_gpu_usage({"metrics.txt", text});
  std::vector<std::string> lines;
  if (!uses) {
    for (const Diagnostic& d : uses.error()) {
      lines.push_back(fmt::format("{}:{}:{} {}: {}", d.source, d.line, d.column, d.code, d.message));
    }
    return lines;
  }
  for (const GpuUse& use : *uses) {
    lines.push_back(fmt::format("{}/{} {} {}/{}/{} {} {}", use.node, use.gpu, use.uuid, use.namespace_name, use.pod,
                                use.container, use.mig_instance, use.mig_profile));
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("gpu-usage-reads") {
  struct Case {
    const char* name;
    std::string text;
    Lines uses;
  };
  const Case cases[] = {
      {"whole-gpu",
       "# HELP DCGM_FI_DEV_GPU_UTIL GPU utilization\n# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n"
       "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-a\",device=\"nvidia0\",modelName=\"Tesla T4\",Hostname=\"n1\","
       "container=\"main\",namespace=\"ml\",pod=\"train-0\"} 98\n",
       {"n1/0 GPU-a ml/train-0/main -1 "}},
      {"one-use-in-many-metrics",
       "DCGM_FI_DEV_SM_CLOCK{gpu=\"1\",UUID=\"GPU-b\",Hostname=\"n1\",pod=\"p\",namespace=\"x\"} 1410\n"
       "DCGM_FI_DEV_FB_USED{gpu=\"1\",UUID=\"GPU-b\",Hostname=\"n1\",pod=\"p\",namespace=\"x\"} 12 1700000000000\n",
       {"n1/1 GPU-b x/p/ -1 "}},
      {"mig-instances",
       "DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-a\",GPU_I_PROFILE=\"3g.40gb\",GPU_I_ID=\"1\",Hostname=\"n1\",pod="
       "\"a\","
       "namespace=\"x\"} 1\n"
       "DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-a\",GPU_I_PROFILE=\"3g.40gb\",GPU_I_ID=\"2\",Hostname=\"n1\"} 0\n",
       {"n1/0 GPU-a x/a/ 1 3g.40gb", "n1/0 GPU-a // 2 3g.40gb"}},
      {"time-sliced-gpu-with-two-pods",
       "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-a\",Hostname=\"n1\",pod=\"a\",namespace=\"x\"} 1\n"
       "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-a\",Hostname=\"n1\",pod=\"b\",namespace=\"x\"} 1\n",
       {"n1/0 GPU-a x/a/ -1 ", "n1/0 GPU-a x/b/ -1 "}},
      {"idle-gpu-is-seen-without-a-pod",
       "DCGM_FI_DEV_GPU_UTIL{gpu=\"3\",UUID=\"GPU-d\",Hostname=\"n1\",pod=\"\",namespace=\"\",container=\"\"} 0\n",
       {"n1/3 GPU-d // -1 "}},
      {"held-gpu-is-not-free-too",
       "DCGM_FI_DEV_XID_ERRORS{gpu=\"0\",UUID=\"GPU-a\",Hostname=\"n1\"} 0\n"
       "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-a\",Hostname=\"n1\",pod=\"a\",namespace=\"x\"} 1\n",
       {"n1/0 GPU-a x/a/ -1 "}},
      {"scraped-labels-of-the-workload-are-exported",
       "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-a\",Hostname=\"n1\",pod=\"dcgm-exporter-x\",namespace=\"gpu-"
       "operator\","
       "container=\"exporter\",exported_pod=\"vllm-0\",exported_namespace=\"llm\",exported_container=\"vllm\"} 1\n",
       {"n1/0 GPU-a llm/vllm-0/vllm -1 "}},
      {"node-label-wins-over-hostname",
       "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-a\",Hostname=\"exporter-pod\",node=\"n7\"} 1\n",
       {"n7/0 GPU-a // -1 "}},
      {"other-metrics-are-skipped-unread",
       "go_goroutines 8\nbroken{ line\nDCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-a\"} NaN\n# EOF\n",
       {"/0 GPU-a // -1 "}},
      {"switches-are-no-gpus", "DCGM_FI_DEV_NVSWITCH_TEMPERATURE_CURRENT{nvswitch=\"0\",Hostname=\"n1\"} 40\n", {}},
      {"windows-lines-and-blanks",
       "  DCGM_FI_DEV_GPU_UTIL { gpu = \"0\" , UUID = \"GPU-a\" , } 1\r\n",
       {"/0 GPU-a // -1 "}},
      {"escapes",
       "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-a\",Hostname=\"a\\\\b\\\"c}\"} 1",
       {"a\\b\"c}/0 GPU-a // -1 "}},
      {"index-that-is-no-number", "DCGM_FI_DEV_GPU_UTIL{gpu=\"99999999999\",UUID=\"GPU-a\"} 1\n", {"/-1 GPU-a // -1 "}},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(read(c.text) == c.uses);
  }
}

TEST_CASE("gpu-usage-errors") {
  struct Case {
    const char* name;
    std::string text;
    Lines errors;
  };
  const Case cases[] = {
      {"no-metric", "", {"metrics.txt:0:0 no-gpu-metrics: no line of a metric DCGM_FI_*"}},
      {"another-exporter", "node_load1 3\n", {"metrics.txt:0:0 no-gpu-metrics: no line of a metric DCGM_FI_*"}},
      {"cut-in-a-value",
       "\nDCGM_FI_DEV_GPU_UTIL{gpu=\"0",
       {"metrics.txt:2:22 metrics-syntax: the value of label gpu has no closing quote"}},
      {"cut-after-the-labels",
       "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\"}",
       {"metrics.txt:1:30 metrics-syntax: expected a value at the end of the line"}},
      {"no-quotes",
       "DCGM_FI_DEV_GPU_UTIL{gpu=0} 1",
       {"metrics.txt:1:26 metrics-syntax: expected the value of label gpu in double quotes"}},
      {"no-equals-sign",
       "DCGM_FI_DEV_GPU_UTIL{gpu} 1",
       {"metrics.txt:1:25 metrics-syntax: expected \"=\" after the label name gpu"}},
      {"no-comma",
       "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\" UUID=\"a\"} 1",
       {"metrics.txt:1:30 metrics-syntax: expected \",\" or \"}\" after a label"}},
      {"two-commas",
       "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",,UUID=\"a\"} 1",
       {"metrics.txt:1:30 metrics-syntax: expected the name of a label or \"}\""}},
      {"not-utf-8",
       "DCGM_FI_DEV_GPU_UTIL{gpu=\"\xff\"} 1",
       {"metrics.txt:1:22 metrics-syntax: the value of label gpu is not UTF-8"}},
      {"every-bad-line",
       "DCGM_FI_A\nDCGM_FI_B{\nDCGM_FI_C{gpu=\"0\"} 1\n",
       {"metrics.txt:1:10 metrics-syntax: expected a value at the end of the line",
        "metrics.txt:2:11 metrics-syntax: expected the name of a label or \"}\""}},
  };
  for (const Case& c : cases) {
    INFO(c.name);
    CHECK(read(c.text) == c.errors);
  }
}
