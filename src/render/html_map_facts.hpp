#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "render/html.hpp"

/// What a cluster map shows, before anything is drawn.
namespace gpusched::render::html {

/// Pods that hold something, numbered as the map meets them.
class Holders {
 public:
  Holders(const std::set<std::string>& placed, PodColors& colors) : placed_(placed), colors_(colors) {}

  struct Entry {
    std::string pod;
    double gpus = 0;
    std::size_t replicas = 0, instances = 0;
    std::set<std::string> nodes;
    std::size_t color = 0;
  };

  /// The entry of a pod, a new one if it has none, which is on `node` as well.
  Entry& of(const Json& pod, const std::string& node);
  /// Number of a pod that has an entry.
  [[nodiscard]] std::size_t number(const std::string& pod) const { return ids_.at(pod); }
  /// Class of the stylesheet: a colour, or "old" for what stands back.
  [[nodiscard]] std::string look(const std::string& pod) const;
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

 private:
  [[nodiscard]] bool is_shown(const std::string& pod) const {
    return placed_.empty() ? !pod.empty() : placed_.contains(pod);
  }

  const std::set<std::string>& placed_;
  PodColors& colors_;
  std::map<std::string, std::size_t> ids_;
  std::vector<Entry> entries_;
};

/// Whether a GPU has a list of instances.
[[nodiscard]] bool is_mig(const Json& gpu);
/// 1 for an exclusive GPU.
[[nodiscard]] std::size_t replicas_of(const Json& gpu);

/// What is free on a node.
struct Room {
  std::size_t free = 0, gpus = 0;  // exclusive GPUs
  std::size_t free_replicas = 0, replicas = 0;
  std::size_t free_instances = 0, instances = 0, mig_gpus = 0;
  bool parted = false;  // some GPU is held in part
  std::string models;

  /// "2 of 8 GPUs free, 3 of 5 MIG instances free"
  [[nodiscard]] std::string words() const;
  /// Words that the filter of the map looks for: room, full, empty, shared, mig.
  [[nodiscard]] std::string states() const;
};

[[nodiscard]] Room room_of(const Json& node);

/// Counts what the pods of the nodes hold: the list of holders stands beside the map.
void count_holders(const Json& nodes, Holders& holders);

}  // namespace gpusched::render::html
