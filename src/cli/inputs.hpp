#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "gpusched/io/model_reader.hpp"
#include "gpusched/io/source.hpp"

namespace gpusched::cli {

/// Reads every input of one command, so that standard input is used once.
class Inputs {
 public:
  explicit Inputs(const Arguments& arguments);

  /// The documents of all files, folders and "-" given by a positional and by an option (repeatable), in this order.
  [[nodiscard]] Result<std::vector<io::Document>> documents(std::string_view positional, std::string_view option);

  /// The cluster (CLUSTER and --nodes) and, with `want_pods`, the pods (PODS and --pods; without any, the `pods` of
  /// the cluster's own files). Fails when there is no cluster, or no pods where they are wanted.
  [[nodiscard]] Result<io::Model> model(bool want_pods);

 private:
  const Arguments& arguments_;
  io::SourceReader reader_;
};

/// For the commands that take a cluster, and pods.
inline constexpr OptionSpec kNodesOption{
    .name = "nodes", .value = "FILE", .help = "a cluster file beside or instead of CLUSTER", .repeatable = true};
inline constexpr OptionSpec kPodsOption{
    .name = "pods", .value = "FILE", .help = "a pod file beside or instead of PODS", .repeatable = true};

}  // namespace gpusched::cli
