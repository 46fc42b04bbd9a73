#include <algorithm>
#include <array>
#include <span>

#include "io/inventory_parts.hpp"

// Extended resources that stand for accelerators. Sources: README and charts of each vendor's device plugin; HAMi's
// device configuration for the names with memory and cores; GPUStack for npu, dcu, mlu, ppu; for parts of GPUs the
// documents of Aliyun's gpushare, Volcano's GPU sharing, Koordinator's fine-grained device scheduling, Tencent's GPU
// manager and qGPU, Volcengine's mGPU (volcano-sh/volcano pkg/scheduler/api/devices), Huawei's CCE and elastic-gpu.
namespace gpusched::io {

namespace {

/// The names of one domain; a name that ends in '*' is a prefix.
struct Domain {
  std::string_view domain;
  std::string_view vendor;
  std::array<std::string_view, 6> devices;
};

constexpr Domain kDomains[] = {
    {"nvidia.com", "nvidia", {"gpu", "gpu.shared"}},
    {"volcano.sh", "nvidia", {"vgpu-number", "gpu-number"}},
    {"k8s.kuartis.com", "nvidia", {"vgpu"}},
    {"aliyun.com", "", {"gpu", "ppu"}},
    {"amd.com", "amd", {"gpu"}},
    {"gpu.intel.com", "intel", {"i915", "xe"}},
    {"habana.ai", "habana", {"gaudi"}},
    {"google.com", "google", {"tpu"}},
    {"aws.amazon.com", "aws", {"neuron", "neurondevice"}},
    {"huawei.com", "huawei", {"Ascend*", "npu"}},
    {"hygon.com", "hygon", {"dcu", "dcunum"}},
    {"metax-tech.com", "metax", {"gpu", "sgpu"}},
    {"cambricon.com", "cambricon", {"mlu", "vmlu", "mlunum", "mlu370", "mlu590"}},
    {"mthreads.com", "mthreads", {"gpu", "vgpu"}},
    {"iluvatar.com", "iluvatar", {"gpu"}},
    {"iluvatar.ai", "iluvatar", {"gpu", "vgpu"}},
    {"enflame.com", "enflame", {"gcu", "vgcu"}},
    {"alibabacloud.com", "thead", {"ppu"}},
    {"kunlunxin.com", "kunlunxin", {"xpu", "vxpu"}},
    {"birentech.com", "biren", {"gpu"}},
    {"rebellions.ai", "rebellions", {"ATOM", "npu"}},
    {"furiosa.ai", "furiosa", {"npu", "rngd", "warboy"}},
    {"qualcomm.com", "qualcomm", {"qaic"}},
};

constexpr std::int64_t kPercent = 100;
constexpr PartsOfGpus kPartsOfGpus[] = {
    {"aliyun.com/gpu-mem", 0, "aliyun.com/gpu-count"},
    {"volcano.sh/gpu-memory", 0, "volcano.sh/gpu-number"},
    {"koordinator.sh/gpu-core", kPercent},
    {"koordinator.sh/gpu-memory-ratio", kPercent},
    {"koordinator.sh/gpu", kPercent},
    {"tencent.com/vcuda-core", kPercent},
    {"tke.cloud.tencent.com/qgpu-core", kPercent},
    {"vke.volcengine.com/mgpu-core", kPercent},
    {"volcano.sh/gpu-core.percentage", kPercent},
    {"elasticgpu.com/gpu-core", kPercent},
    {"elasticgpu.io/gpu-core", kPercent},
};

/// Parts of a name that say: memory, cores or a monitor's access, not a device.
constexpr std::array<std::string_view, 9> kCounterParts = {"mem",        "Mem",   "core",   "Core",    "monitoring",
                                                           "percentage", "tiles", "-count", "priority"};

/// Domains without a row whose plain "gpu" or "npu" is an accelerator of an unknown vendor.
constexpr std::array<std::string_view, 2> kGenericNames = {"gpu", "npu"};

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return false;
  return pattern.back() == '*' ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : name == pattern;
}

bool counts_parts(std::string_view name) {
  return std::ranges::any_of(kCounterParts, [&](std::string_view part) { return name.contains(part); });
}

bool upper_first(std::string_view name) {
  return !name.empty() && name.front() >= 'A' && name.front() <= 'Z';
}

/// "cpx_nps4": the AMD device plugin's mixed naming strategy.
bool amd_partition(std::string_view name) {
  constexpr std::size_t kLength = 8;
  return name.size() == kLength && name.substr(1, 6) == "px_nps" && std::string_view("sdqc").contains(name[0]);
}

ResourceRole role_in(const Domain& domain, std::string_view name) {
  if (domain.vendor == "nvidia" && name.starts_with("mig-")) return ResourceRole::kMig;
  if (counts_parts(name)) return ResourceRole::kCounter;
  if (std::ranges::any_of(domain.devices, [&](std::string_view pattern) { return matches(pattern, name); })) {
    return ResourceRole::kDevice;
  }
  // KubeVirt and the vGPU device plugin name a resource after the product: GRID_P40-1Q, GA102_GEFORCE_RTX_3090.
  if (domain.domain == "nvidia.com" && upper_first(name)) return ResourceRole::kVgpu;
  if (domain.domain == "amd.com" && amd_partition(name)) return ResourceRole::kVgpu;
  return ResourceRole::kOther;
}

}  // namespace

std::span<const PartsOfGpus> parts_of_gpus() {
  return kPartsOfGpus;
}

ResourceKind classify_resource(std::string_view name) {
  if (std::ranges::find(kPartsOfGpus, name, &PartsOfGpus::resource) != std::end(kPartsOfGpus)) {
    return {ResourceRole::kCounter, "nvidia"};
  }
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view domain_name = name.substr(0, slash);
  const std::string_view rest = name.substr(slash + 1);
  for (const Domain& domain : kDomains) {
    if (domain.domain != domain_name) continue;
    const ResourceRole role = role_in(domain, rest);
    const std::string_view vendor = domain.vendor.empty() ? (rest == "ppu" ? "thead" : "nvidia") : domain.vendor;
    return role == ResourceRole::kOther ? ResourceKind{} : ResourceKind{role, vendor};
  }
  if (std::ranges::find(kGenericNames, rest) != kGenericNames.end()) return {ResourceRole::kDevice, domain_name};
  return {};
}

}  // namespace gpusched::io
