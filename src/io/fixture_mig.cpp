#include <fmt/format.h>

#include <algorithm>

#include "gpusched/base/text.hpp"
#include "gpusched/mig/named_config.hpp"
#include "gpusched/mig/profile.hpp"
#include "io/fixture_amounts.hpp"
#include "io/fixture_node.hpp"

// `mig` of a GPU block: one layout per GPU, or the name of a mig-parted configuration for all of them.
namespace gpusched::io {

namespace {

/// Nominal memory of an instance: the figure in its profile's name, which claims and pods are written against.
std::int32_t nominal_memory_mib(std::string_view profile) {
  const std::size_t dot = profile.find('.');
  std::int32_t gb = 0;
  for (std::size_t i = dot + 1; i < profile.size() && profile[i] >= '0' && profile[i] <= '9'; ++i) {
    gb = gb * 10 + (profile[i] - '0');
  }
  return gb * 1024;
}

std::string known_profiles(const mig::Board& board) {
  return mig::join_names(board, mig::all_profiles(board));
}

}  // namespace

const mig::Board* NodeFixture::mig_board(std::size_t gpu) const {
  const Board& board = model_.builder_.shape().board(node_class_.gpus[gpu]);
  return board.mig_board == kNoMigBoard ? nullptr : &mig::boards()[board.mig_board];
}

void NodeFixture::read_mig(ObjectReader& gpu, std::size_t first, std::size_t count) {
  const Value* const mig = gpu.find("mig");
  if (mig == nullptr || count == 0) {
    return;
  }
  if (mig->is_string()) {
    decoder_.at_key("mig", [&] {
      for (std::size_t i = 0; i < count && read_mig_gpu(*mig, first + i); ++i) {  // one error, not one per GPU
      }
    });
    return;
  }
  gpu.array("mig", [&](const Value& layout, std::size_t index) {
    if (index >= count) {
      decoder_.error(layout, "out-of-range",
                     fmt::format("a layout for GPU {}, but the block has {} GPUs", index, count));
    } else {
      static_cast<void>(read_mig_gpu(layout, first + index));
    }
  });
}

bool NodeFixture::read_mig_gpu(const Value& layout, std::size_t gpu) {
  if (layout.is_null() || (layout.is_array() && layout.items().empty())) {
    return true;  // not in MIG mode
  }
  const std::string_view model =
      model_.builder_.shape().text(model_.builder_.shape().board(node_class_.gpus[gpu]).model);
  const mig::Board* const board = mig_board(gpu);
  if (board == nullptr || !board->starts_known) {
    decoder_.error(layout, "mig-geometry-unknown", fmt::format("the MIG geometry of {} is unknown", shorten(model)),
                   "use the product's name as nvidia-smi or GPU Feature Discovery gives it");
    return false;
  }
  if (node_class_.gpus[gpu].replicas > 1) {
    decoder_.error(layout, "value-not-allowed", "a GPU cannot be time-sliced and in MIG mode in one fixture");
    return false;
  }
  std::vector<Entry> entries;
  if (layout.is_string()) {
    const Result<mig::NamedConfig> config = mig::find_named_config(layout.text(), *board);
    if (!config) {
      decoder_.error(layout, config.error().front().code, config.error().front().message, config.error().front().hint);
      return false;
    }
    node_class_.gpus[gpu].mig = config->mig_enabled;
    for (const mig::ProfileIndex profile : config->profiles) {
      entries.push_back({{profile, std::nullopt}, {}, false});
    }
  } else if (layout.is_array()) {
    bool good = true;
    node_class_.gpus[gpu].mig = true;
    for (std::size_t i = 0; i < layout.items().size(); ++i) {
      decoder_.at_index(i, [&] {
        const std::optional<Entry> entry = read_mig_entry(layout.items()[i], *board);
        good &= entry.has_value();
        entries.push_back(entry.value_or(Entry{}));
      });
    }
    if (!good) {
      return false;
    }
  } else {
    decoder_.error(
        layout, "wrong-type",
        fmt::format("expected a list of MIG profiles or the name of a configuration, found {}", describe(layout)));
    return false;
  }
  std::vector<mig::LayoutEntry> wanted;
  for (const Entry& entry : entries) {
    wanted.push_back(entry.layout);
  }
  const Result<std::vector<mig::Instance>> placed = mig::place_layout(*board, wanted);
  if (!placed) {
    decoder_.error(layout, placed.error().front().code, placed.error().front().message, placed.error().front().hint);
    return false;
  }
  add_instances(gpu, entries, *placed);
  return true;
}

std::optional<NodeFixture::Entry> NodeFixture::read_mig_entry(const Value& value, const mig::Board& board) {
  Entry entry;
  std::string_view profile;
  if (value.is_object()) {
    ObjectReader instance(decoder_, value, "MIG instance");
    profile = instance.required_string("profile");
    entry.held = instance.find("pod") != nullptr;
    entry.pod = instance.optional_string("pod").value_or("");
    entry.held |= instance.optional_bool("busy").value_or(false);
    if (const std::optional<std::int64_t> start = instance.optional_int64("start", 0, board.memory_slices - 1)) {
      entry.layout.start = static_cast<std::uint8_t>(*start);
    }
  } else if (value.is_string()) {
    profile = value.text();
  } else {
    decoder_.error(value, "wrong-type",
                   fmt::format("expected a MIG profile or an object with \"profile\", found {}", describe(value)));
    return std::nullopt;
  }
  const std::optional<mig::ProfileIndex> found = mig::find_profile(board, profile);
  if (!found) {
    decoder_.error(value, "mig-profile-unknown",
                   fmt::format("{} has no MIG profile {}; it has {}", board.products.front(), quote(profile),
                               known_profiles(board)));
    return std::nullopt;
  }
  entry.layout.profile = *found;
  return entry;
}

void NodeFixture::add_instances(std::size_t gpu, std::span<const Entry> entries,
                                std::span<const mig::Instance> placed) {
  const mig::Board& board = *mig_board(gpu);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const mig::Profile& profile = board.profiles[placed[i].profile];
    MigInstance instance;
    instance.profile = model_.builder_.text(profile.name);
    instance.resource = model_.builder_.resource(mig::resource_name(profile));
    instance.gpu = static_cast<std::uint16_t>(gpu);
    instance.start = placed[i].start;
    instance.memory_slices = profile.memory_slices;
    instance.compute_slices = profile.compute_slices;
    instance.mig_profile = placed[i].profile;
    instance.memory_mib = nominal_memory_mib(profile.name);
    const auto index = static_cast<std::uint16_t>(node_class_.instances.size());
    node_class_.instances.push_back(instance);
    if (entries[i].held) {
      PodClass pod;
      pod.fixed = true;
      set_non_zero_requests(pod);
      pod.mig.push_back({instance.profile, instance.resource, 1});
      hold(entries[i].pod, std::move(pod), {{instance.gpu, index, 0, 0}});
    }
  }
}

}  // namespace gpusched::io
