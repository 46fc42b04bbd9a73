#pragma once

#include <deque>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpusched/io/cluster_dump.hpp"
#include "gpusched/io/dra_objects.hpp"
#include "gpusched/io/gpu_inventory.hpp"

namespace gpusched::io {

/// The devices that a dump's ResourceSlices publish, by node, and the claims that hold some of them.
class DumpDevices {
 public:
  /// Errors, and warnings about slices that cannot be right. Of a pool only the newest generation counts.
  void read(const ClusterDump& dump, Diagnostics& diagnostics);
  /// As long as this object lives.
  [[nodiscard]] std::span<const DeviceFacts> of(std::string_view node) const;
  [[nodiscard]] std::span<const objects::ResourceClaim> claims() const { return objects_.claims; }

 private:
  struct Pool {
    std::int64_t generation = 0, slices = 0, expected = 0;
  };

  void add_slice(const objects::ResourceSlice& slice, Diagnostics& diagnostics);
  void add_device(const objects::ResourceSlice& slice, const objects::Device& device, const std::string& node);

  DraObjects objects_;
  std::map<std::pair<std::string_view, std::string_view>, Pool> pools_;
  std::map<std::string, std::vector<DeviceFacts>, std::less<>> nodes_;
  std::deque<std::vector<std::pair<std::string_view, AttributeFact>>> attributes_;
  std::deque<std::vector<ResourceFact>> capacities_;
};

}  // namespace gpusched::io
