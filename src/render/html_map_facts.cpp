#include "render/html_map_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gpusched::render::html {

namespace {
constexpr std::size_t kColors = 10;  // classes c0 to c9 of the stylesheet
}  // namespace

Holders::Entry& Holders::of(const Json& pod, const std::string& node) {
  const std::string name = plain(pod);
  const auto [place, is_new] = ids_.try_emplace(name, entries_.size());
  if (is_new) {
    entries_.push_back({.pod = name, .nodes = {}});
    if (is_shown(name)) {
      entries_.back().color = colors_.try_emplace(name, colors_.size() % kColors).first->second;
    }
  }
  Entry& entry = entries_[place->second];
  entry.nodes.insert(node);
  return entry;
}

std::string Holders::look(const std::string& pod) const {
  return is_shown(pod) ? fmt::format("c{}", entries_[number(pod)].color) : "old";
}

bool is_mig(const Json& gpu) {
  return get(gpu, "instances").is_array();
}
std::size_t replicas_of(const Json& gpu) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(get_number(gpu, "replicas")));
}

std::string Room::words() const {
  std::vector<std::string> parts;
  if (gpus > 0) {
    parts.push_back(fmt::format("{} of {} free", free, count_of(static_cast<double>(gpus), "GPU")));
  }
  if (replicas > 0) {
    parts.push_back(fmt::format("{} of {} free", free_replicas, count_of(static_cast<double>(replicas), "replica")));
  }
  if (mig_gpus > 0) {
    parts.push_back(
        fmt::format("{} of {} free", free_instances, count_of(static_cast<double>(instances), "MIG instance")));
  }
  return parts.empty() ? "no GPU" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string Room::states() const {
  std::string words;
  const bool room = free + free_replicas + free_instances > 0;
  words += room ? "room" : "full";
  words += gpus > 0 && free == gpus ? " empty" : "";
  words += replicas > 0 ? " shared" : "";
  words += mig_gpus > 0 ? " mig" : "";
  return words;
}

Room room_of(const Json& node) {
  Room room;
  std::set<std::string> models;
  for (const Json& gpu : get(node, "gpus")) {
    models.insert(get_text(gpu, "model").empty() ? "unknown model" : get_text(gpu, "model"));
    if (is_mig(gpu)) {
      ++room.mig_gpus;
      for (const Json& instance : gpu.at("instances")) {
        ++room.instances;
        room.free_instances += instance.contains("pod") ? 0U : 1U;
      }
      continue;
    }
    const double free = get_number(gpu, "free");
    if (const std::size_t replicas = replicas_of(gpu); replicas > 1) {
      room.replicas += replicas;
      room.free_replicas += static_cast<std::size_t>(std::max(0.0, free));
    } else {
      ++room.gpus;
      room.free += free >= 1 ? 1U : 0U;
      room.parted = room.parted || (free > 0 && free < 1);
    }
  }
  room.models = fmt::format("{}", fmt::join(models, ", "));
  return room;
}

void count_holders(const Json& nodes, Holders& holders) {
  for (const Json& node : nodes) {
    const std::string& name = get_text(node, "name");
    for (const Json& gpu : get(node, "gpus")) {
      for (const Json& holder : get(gpu, "holders")) {
        Holders::Entry& entry = holders.of(get(holder, "pod"), name);
        if (replicas_of(gpu) > 1) {
          entry.replicas += static_cast<std::size_t>(get_number(holder, "share"));
        } else {
          entry.gpus += get_number(holder, "share");
        }
      }
      for (const Json& instance : get(gpu, "instances")) {
        if (instance.contains("pod")) {
          ++holders.of(instance.at("pod"), name).instances;
        }
      }
    }
  }
}

}  // namespace gpusched::render::html
