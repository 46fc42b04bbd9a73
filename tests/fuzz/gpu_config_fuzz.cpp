// Configurations of the device plugin and of mig-parted, plain and in ConfigMaps.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gpusched/io/device_plugin_config.hpp"
#include "gpusched/io/mig_parted_config.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpusched;
  const auto documents = io::parse_documents({"fuzz", std::string(reinterpret_cast<const char*>(data), size)});
  if (!documents) return 0;
  for (const io::Document& document : *documents) {
    Diagnostics warnings;
    const auto plugins = io::read_device_plugin_configs(document, warnings);
    if (!plugins && plugins.error().empty()) std::abort();
    const auto configs = io::read_mig_parted_configs(document);
    if (!configs && configs.error().empty()) std::abort();
    for (const io::MigPartedConfig& config : configs ? *configs : std::vector<io::MigPartedConfig>{}) {
      for (const mig::Board& board : mig::boards()) static_cast<void>(io::layout_of(config, board, 0));
    }
  }
  return 0;
}
