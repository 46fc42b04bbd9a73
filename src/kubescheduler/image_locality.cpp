#include <algorithm>
#include <vector>

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
  explicit ImageLocality(Cycle& cycle) : node_count_(cycle.snapshot.nodes().size()), sums_(node_count_) {
    for (const auto* const containers : {&cycle.pod.spec->init_containers, &cycle.pod.spec->containers}) {
      for (const objects::Container& container : *containers) {
        add(cycle.snapshot, container.image);
      }
    }
    for (const objects::Volume& volume : cycle.pod.spec->volumes) {
      if (!volume.image.empty()) {
        add(cycle.snapshot, volume.image);
      }
    }
  }

  std::int64_t score(NodeIndex node) override {
    const std::int64_t highest = kHighestPerImage * images_;
    if (images_ == 0) {
      return 0;
    }
    return kMaximum * (std::clamp(sums_[node.index()], kLowest, highest) - kLowest) / (highest - kLowest);
  }

 private:
  void add(const Snapshot& snapshot, const std::string& image) {
    ++images_;
    if (const ImageState* const state = snapshot.find_image(normalized(image))) {
      for (const NodeIndex node : state->nodes) {
        sums_[node.index()] += scaled(*state);
      }
    }
  }

  /// Images that few nodes have count less, so that pods do not pile up on them.
  [[nodiscard]] std::int64_t scaled(const ImageState& image) const {
    const double spread = static_cast<double>(image.nodes.size()) / static_cast<double>(node_count_);
    return static_cast<std::int64_t>(static_cast<double>(image.size_bytes) * spread);
  }

  std::size_t node_count_;
  std::int64_t images_ = 0;         // of the pod
  std::vector<std::int64_t> sums_;  // by node
};

}  // namespace

std::unique_ptr<ScorePlugin> pre_score_image_locality(Cycle& cycle, FeasibleNodes) {
  return std::make_unique<ImageLocality>(cycle);
}

}  // namespace gpusched::kubescheduler
