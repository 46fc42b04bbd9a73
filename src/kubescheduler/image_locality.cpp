#include <algorithm>
#include <unordered_map>

#include "kubescheduler/plugins.hpp"

namespace gpusched::kubescheduler {

namespace {

constexpr std::int64_t kMebibyte = 1024 * 1024;
constexpr std::int64_t kLowest = 23 * kMebibyte;
constexpr std::int64_t kHighestPerImage = 1000 * kMebibyte;
constexpr std::int64_t kMaximum = 100;

/// With ":latest" when there is no tag after the last slash.
std::string normalized(const std::string& image) {
  const std::size_t colon = image.rfind(':');
  const std::size_t slash = image.rfind('/');
  const bool tagged = colon != std::string::npos && (slash == std::string::npos || colon > slash);
  return tagged ? image : image + ":latest";
}

class ImageLocality final : public ScorePlugin {
 public:
  explicit ImageLocality(Cycle& cycle) : snapshot_(cycle.snapshot) {
    const auto add = [&](const std::string& image) { images_.push_back(normalized(image)); };
    for (const auto* const containers : {&cycle.pod.spec.init_containers, &cycle.pod.spec.containers}) {
      for (const objects::Container& container : *containers) {
        add(container.image);
      }
    }
    for (const objects::Volume& volume : cycle.pod.spec.volumes) {
      if (!volume.image.empty()) {
        add(volume.image);
      }
    }
    for (const std::string& image : images_) {
      known_.try_emplace(image);
    }
    for (const NodeState& node : snapshot_.nodes()) {
      count(*node.object);
    }
  }

  std::int64_t score(NodeIndex index) override {
    const objects::Node& node = *snapshot_.node(index).object;
    std::int64_t sum = 0;
    if (!node.status.images.empty()) {
      for (const std::string& image : images_) {
        sum += has(node, image) ? scaled(known_.at(image)) : 0;
      }
    }
    const std::int64_t highest = kHighestPerImage * static_cast<std::int64_t>(images_.size());
    return highest == kLowest
               ? 0
               : kMaximum * (std::clamp(sum, kLowest, std::max(highest, kLowest)) - kLowest) / (highest - kLowest);
  }

 private:
  struct Known {
    std::int64_t size = 0;  // as the first node says
    std::int64_t nodes = 0;
  };

  static bool has(const objects::Node& node, const std::string& image) {
    return std::ranges::any_of(node.status.images, [&](const objects::ContainerImage& on_node) {
      return std::ranges::find(on_node.names, image) != on_node.names.end();
    });
  }

  void count(const objects::Node& node) {
    for (auto& [image, known] : known_) {
      for (const objects::ContainerImage& on_node : node.status.images) {
        if (std::ranges::find(on_node.names, image) != on_node.names.end()) {
          known.size = known.nodes == 0 ? on_node.size_bytes : known.size;
          ++known.nodes;
          break;
        }
      }
    }
  }

  /// Images that few nodes have count less, so that pods do not pile up on them.
  [[nodiscard]] std::int64_t scaled(const Known& known) const {
    const double spread = static_cast<double>(known.nodes) / static_cast<double>(snapshot_.nodes().size());
    return static_cast<std::int64_t>(static_cast<double>(known.size) * spread);
  }

  const Snapshot& snapshot_;
  std::vector<std::string> images_;
  std::unordered_map<std::string, Known> known_;
};

}  // namespace

std::unique_ptr<ScorePlugin> pre_score_image_locality(Cycle& cycle, FeasibleNodes) {
  return std::make_unique<ImageLocality>(cycle);
}

}  // namespace gpusched::kubescheduler
