#include "gpusched/dra/slices.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "dra/slice_content.hpp"
#include "gpusched/base/ascii.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::dra {
namespace {

constexpr std::size_t kMaxDriverBytes = 63;

std::string driver_of(const SliceOptions& options) {
  if (!options.driver.empty()) return options.driver;
  return std::string(options.style == SliceStyle::kNvidia ? kNvidiaDriver : kLessonDriver);
}

/// The figure of a profile's name is what a claim is written against ("at least 40Gi" for a 3g.40gb), not the memory
/// that the driver reports; 0 when the name has none.
std::int64_t nominal_mib(std::string_view profile) {
  const std::size_t dot = profile.find('.');
  if (dot == std::string_view::npos) return 0;
  std::int64_t gib = 0;
  std::size_t i = dot + 1;
  for (; i < profile.size() && i < dot + 6 && profile[i] >= '0' && profile[i] <= '9'; ++i) {
    gib = gib * 10 + (profile[i] - '0');
  }
  return profile.substr(i).starts_with("gb") ? gib * 1024 : 0;
}

objects::Device lesson_device(const ClusterShape& shape, const NodeClass& node_class, std::size_t index) {
  const Gpu& gpu = node_class.gpus[index];
  const Board& board = shape.board(gpu);
  objects::Device device;
  device.name = fmt::format("gpu-{}", index);
  device.attributes.emplace_back("type", std::string("gpu"));
  if (board.model.valid()) device.attributes.emplace_back("model", std::string(shape.text(board.model)));
  device.attributes.emplace_back("index", static_cast<std::int64_t>(index));
  device.attributes.emplace_back("nvlinkIsland", static_cast<std::int64_t>(gpu.island));
  device.attributes.emplace_back("timeSliced", gpu.replicas > 1);
  if (board.memory_mib > 0) {
    device.capacity.emplace_back("memory", objects::DeviceCapacity{mebibytes(board.memory_mib), {}});
  }
  return device;
}

objects::Device lesson_instance(const ClusterShape& shape, const NodeClass& node_class, const MigInstance& instance) {
  objects::Device device = lesson_device(shape, node_class, instance.gpu);
  const std::string_view profile = shape.text(instance.profile);
  device.name += fmt::format("-mig-{}-{}", to_label_characters(profile), instance.start);
  device.attributes.front().second = std::string("mig");
  device.capacity.clear();
  const std::int64_t nominal = nominal_mib(profile);
  if (const std::int64_t mib = nominal > 0 ? nominal : instance.memory_mib; mib > 0) {
    device.capacity.emplace_back("memory", objects::DeviceCapacity{mebibytes(mib), {}});
  }
  return device;
}

/// Names of the slices of one pool. The allocator walks a pool's slices by name, so the numbers have equal lengths.
std::string slice_name(std::string_view node, std::string_view driver, std::size_t index, std::size_t count) {
  if (count == 1) return fmt::format("{}-{}", node, driver);
  const std::size_t width = fmt::format("{}", count - 1).size();
  return fmt::format("{}-{}-{:0{}}", node, driver, index, width);
}

class Publisher {
 public:
  Publisher(const ClusterShape& shape, const SliceOptions& options)
      : shape_(shape), options_(options), driver_(driver_of(options)), name_part_(ascii_lower(driver_)) {}

  Result<std::vector<objects::ResourceSlice>> run() {
    if (driver_.size() > kMaxDriverBytes || !is_dns_subdomain(name_part_)) {
      return fail("driver-name-invalid", fmt::format("driver name {} is not a DNS subdomain of at most {} bytes",
                                                     quote(driver_, 80), kMaxDriverBytes));
    }
    for (const Node& node : shape_.nodes) add_node(node);
    if (!errors_.empty()) return std::unexpected(std::move(errors_));
    return std::move(slices_);
  }

 private:
  /// The pool of a class, made and checked once: nodes of a class differ in nothing but their name.
  const PoolContent& pool_of(NodeClassId id, const std::string& object) {
    const auto [found, is_new] = pools_.try_emplace(id);
    if (is_new) {
      const NodeClass& node_class = shape_.node_classes[id.index()];
      found->second = split_pool(options_.style == SliceStyle::kNvidia ? nvidia_pool(shape_, node_class, options_)
                                                                       : lesson_pool(shape_, node_class));
      check_devices(found->second, object, errors_);
    }
    return found->second;
  }

  void add_node(const Node& node) {
    const std::string name(shape_.text(node.name));
    const PoolContent& pool = pool_of(node.node_class, "node " + name);
    if (pool.empty()) return;
    if (!is_dns_subdomain(name)) {
      error(name, "node-name-invalid", "it names a pool and must be a DNS subdomain of at most 253 bytes");
      return;
    }
    for (std::size_t i = 0; i < pool.size(); ++i) {
      objects::ResourceSlice slice;
      slice.name = slice_name(name, name_part_, i, pool.size());
      if (!is_dns_subdomain(slice.name)) {
        error(name, "slice-name-invalid",
              fmt::format("the ResourceSlice name \"{}\" has {} bytes; at most 253 are allowed", slice.name,
                          slice.name.size()));
        return;
      }
      if (!names_.insert(slice.name).second) {
        error(name, "slice-name-duplicate", fmt::format("two ResourceSlices would be named \"{}\"", slice.name));
      }
      slice.spec.driver = driver_;
      slice.spec.pool = {name, 1, static_cast<std::int64_t>(pool.size())};
      slice.spec.node_name = name;
      slice.spec.devices = pool[i].devices;
      slice.spec.shared_counters = pool[i].counter_sets;
      slices_.push_back(std::move(slice));
    }
  }

  void error(const std::string& node, std::string code, std::string message) {
    Diagnostic diagnostic;
    diagnostic.code = std::move(code);
    diagnostic.message = std::move(message);
    diagnostic.object = "node " + node;
    errors_.push_back(std::move(diagnostic));
  }

  const ClusterShape& shape_;
  const SliceOptions& options_;
  std::string driver_, name_part_;
  std::map<NodeClassId, PoolContent> pools_;
  std::set<std::string> names_;
  std::vector<objects::ResourceSlice> slices_;
  Diagnostics errors_;
};

}  // namespace

PoolContent lesson_pool(const ClusterShape& shape, const NodeClass& node_class) {
  SliceContent content;
  for (std::size_t index = 0; index < node_class.gpus.size(); ++index) {
    if (!node_class.gpus[index].mig) {
      content.devices.push_back(lesson_device(shape, node_class, index));
      continue;
    }
    for (const MigInstance& instance : node_class.instances) {
      if (instance.gpu == index) content.devices.push_back(lesson_instance(shape, node_class, instance));
    }
  }
  return {std::move(content)};
}

Result<std::vector<objects::ResourceSlice>> slices_of(const ClusterShape& shape, const SliceOptions& options) {
  return Publisher(shape, options).run();
}

}  // namespace gpusched::dra
