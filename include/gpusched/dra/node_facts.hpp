#pragma once

#include <string>
#include <utility>
#include <vector>

namespace gpusched::dra {

/// What allocation asks of a node.
struct NodeFacts {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::string> declared_features;  ///< status.declaredFeatures
};

}  // namespace gpusched::dra
