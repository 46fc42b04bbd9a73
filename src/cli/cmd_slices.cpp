#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/answer.hpp"
#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "gpusched/dra/slices.hpp"
#include "gpusched/report/slices.hpp"

namespace gpusched::cli {

namespace {

constexpr std::array<std::string_view, 3> kApiVersions = {"v1", "v1beta2", "v1beta1"};
constexpr std::array<std::string_view, 2> kStyles = {"lesson", "nvidia"};
constexpr std::array<std::string_view, 6> kKubernetesMinors = {"1.32", "1.33", "1.34", "1.35", "1.36", "1.37"};

constexpr std::array kPositionals = {PositionalSpec{"CLUSTER", "cluster file, folder, or - for standard input"}};

constexpr std::array kOptions = {
    OptionSpec{.name = "style",
               .value = "STYLE",
               .help = "whose device names and attributes",
               .choices = kStyles,
               .fallback = "lesson"},
    OptionSpec{.name = "driver",
               .value = "NAME",
               .help = "driver name (default gpu.example.com, gpu.nvidia.com with --style nvidia)"},
    OptionSpec{.name = "dynamic-mig",
               .help = "with --style nvidia: every MIG placement as a device, on shared counters"},
    OptionSpec{.name = "api-version",
               .value = "VERSION",
               .help = "of resource.k8s.io",
               .choices = kApiVersions,
               .fallback = "v1"},
    OptionSpec{.name = "k8s-version",
               .value = "1.N",
               .help = "the cluster's version, which decides how counters are laid out",
               .choices = kKubernetesMinors,
               .fallback = "1.37"},
    kNodesOption,
    kClusterPodsOption,
    kObjectsOption,
    kHardwareOption,
    kTopoOption,
    kDevicePluginOption,
    kGpuDriversOption,
    kGpuUsageOption,
};

constexpr std::array kExamples = {
    Example{"the slices of every node", "gpusched slices fixtures/cluster.json"},
    Example{"publish them on a test cluster", "gpusched slices fixtures/cluster.json | kubectl apply -f -"},
    Example{"as NVIDIA's driver names them", "gpusched slices fixtures/cluster.json --style nvidia -o yaml"},
    Example{"for Kubernetes 1.32", "gpusched slices fixtures/cluster.json --api-version v1beta1"},
};

int run(const Arguments& arguments, Terminal& terminal) {
  dra::SliceOptions options;
  options.driver = arguments.get("driver");
  options.style = arguments.get("style") == "nvidia" ? dra::SliceStyle::kNvidia : dra::SliceStyle::kLesson;
  options.dynamic_mig = arguments.has("dynamic-mig");
  options.kubernetes_minor = static_cast<int>(parse_whole_number(arguments.get("k8s-version").substr(2)).value_or(37));
  if (options.dynamic_mig && options.style != dra::SliceStyle::kNvidia) {
    return cannot_answer(bad_usage("--dynamic-mig needs --style nvidia").error(), terminal);
  }
  const Result<io::Model> model = Inputs(arguments).model(Inputs::Pods::kNone);
  if (!model) {
    return cannot_answer(model.error(), terminal);
  }
  report_notes(model->notes, arguments, terminal);
  const auto slices = dra::slices_of(model->usage.shape(), options);
  if (!slices) {
    return cannot_answer(slices.error(), terminal);
  }
  const report::ApiVersion version =
      report::parse_api_version(arguments.get("api-version")).value_or(report::ApiVersion::kV1);
  return answer(report::slices_report(*slices, version), arguments, terminal, kYes);
}

}  // namespace

const CommandSpec kSlicesCommand{
    .name = "slices",
    .summary = "print the ResourceSlices that a DRA driver would publish for a cluster",
    .description =
        "One pool per node, one device per GPU or MIG instance, in the shape that kubectl apply takes. A GPU in MIG "
        "mode "
        "publishes its instances only; pools larger than the API's limits are split.",
    .positionals = kPositionals,
    .options = kOptions,
    .examples = kExamples,
    .run = &run,
};

}  // namespace gpusched::cli
