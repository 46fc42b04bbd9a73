#include "render/html_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "render/html_map_facts.hpp"

namespace gpusched::render::html {

namespace {

constexpr std::size_t kOpenNodes = 200;    // beyond, nodes stand in groups of equal ones that open on demand
constexpr std::size_t kMaxHolders = 1000;  // rows of the list of holders

std::string held(const Json& pod, const Holders& holders, std::string_view kind, std::string_view title) {
  return fmt::format(R"(<i class="{} {}" data-p="{}" title="{}: {}"></i>)", kind, holders.look(plain(pod)),
                     holders.number(plain(pod)), title, pod_text(pod));
}

/// What fits into the cell: "1g" of "1g.10gb" where there is one slice only.
std::string short_profile(const Json& instance, std::size_t slices) {
  const std::string& profile = get_text(instance, "profile");
  return escape(slices > 1 ? profile : profile.substr(0, profile.find('.')));
}

/// The instances of a GPU along its memory slices.
std::string mig_cell(const Json& gpu, std::size_t index, const Holders& holders) {
  std::string out = fmt::format(R"(<span class="mig" title="GPU {}: MIG">)", index);
  std::size_t at = 0;
  const auto gap = [&](std::size_t until) {
    if (until > at) {
      out += fmt::format(R"(<i class="gap s{}" title="GPU {}: no instance"></i>)",
                         std::min<std::size_t>(until - at, 12), index);
      at = until;
    }
  };
  for (const Json& instance : gpu.at("instances")) {
    const auto start = static_cast<std::size_t>(get_number(instance, "start"));
    const auto slices = std::max<std::size_t>(1, static_cast<std::size_t>(get_number(instance, "slices")));
    gap(start);
    at = std::max(at, start + slices);
    const std::string profile = text(get(instance, "profile"));
    const std::string size = fmt::format("s{}", std::min<std::size_t>(slices, 12));
    if (const auto pod = instance.find("pod"); pod != instance.end()) {
      out +=
          fmt::format(R"(<i class="m {} {}" data-p="{}" title="GPU {} {}: {}">{}</i>)", size, holders.look(plain(*pod)),
                      holders.number(plain(*pod)), index, profile, pod_text(*pod), short_profile(instance, slices));
    } else {
      out += fmt::format(R"(<i class="m {} f" title="GPU {} {}: free">{}</i>)", size, index, profile,
                         short_profile(instance, slices));
    }
  }
  gap(static_cast<std::size_t>(get_number(gpu, "slices")));
  return out + "</span>";
}

/// Replicas of a time-sliced GPU, or pods that share an exclusive one: a stripe each.
std::string shared_cell(const Json& gpu, std::size_t index, const Holders& holders) {
  constexpr std::size_t kMaxStripes = 16;
  std::string out = fmt::format(R"(<span class="g sh" title="GPU {}: {} of {} free">)", index, plain(get(gpu, "free")),
                                replicas_of(gpu));
  std::size_t stripes = 0;
  const auto is_room = [&] { return stripes < kMaxStripes; };
  for (const Json& holder : get(gpu, "holders")) {
    const auto parts = std::max<std::size_t>(1, static_cast<std::size_t>(get_number(holder, "share")));
    for (std::size_t i = 0; i < parts && is_room(); ++i, ++stripes) {
      out += held(get(holder, "pod"), holders, "r", fmt::format("GPU {}", index));
    }
  }
  const double free = get_number(gpu, "free");
  for (double i = 0; i + 0.001 < free && is_room(); ++i, ++stripes) {
    out += R"(<i class="r f"></i>)";
  }
  return out + "</span>";
}

std::string gpu_cell(const Json& gpu, std::size_t index, const Holders& holders) {
  if (is_mig(gpu)) {
    return mig_cell(gpu, index, holders);
  }
  const Json& list = get(gpu, "holders");
  if (replicas_of(gpu) > 1 || list.size() > 1 || (list.size() == 1 && get_number(gpu, "free") > 0)) {
    return shared_cell(gpu, index, holders);
  }
  const std::string title = fmt::format("GPU {}", index);
  return list.empty() ? fmt::format(R"(<i class="g f" title="{}: free"></i>)", title)
                      : held(list.front().at("pod"), holders, "g", title);
}

/// The GPUs of a node in boxes, an island each.
std::string gpu_cells(const Json& node, const Holders& holders) {
  const Json& gpus = get(node, "gpus");
  const bool known = get(node, "islandsUnknown") != true;
  std::map<std::int64_t, std::string> islands;
  std::map<std::int64_t, std::size_t> sizes;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const auto island = known ? static_cast<std::int64_t>(get_number(gpus[i], "island")) : 0;
    islands[island] += gpu_cell(gpus[i], i, holders);
    ++sizes[island];
  }
  std::string out = R"(<span class="gpus" aria-hidden="true">)";
  for (const auto& [island, cells] : islands) {
    out += fmt::format(R"(<span class="{}">{}</span>)", !known ? "isl unk" : sizes[island] > 1 ? "isl" : "one", cells);
  }
  return out + "</span>";
}

/// "0–3, 6" for a sorted list of numbers.
std::string ranges(const std::vector<std::size_t>& numbers) {
  std::string words;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) {
      ++last;
    }
    words += words.empty() ? "" : ", ";
    words += last == i ? fmt::format("{}", numbers[i]) : fmt::format("{}–{}", numbers[i], numbers[last]);
    i = last + 1;
  }
  return words;
}

/// Who holds what on a node, in words: what the cells show, for readers who do not see them.
std::string who_list(const Json& node) {
  const Json& gpus = get(node, "gpus");
  std::vector<std::string> order;  // pods as they come
  std::map<std::string, std::vector<std::size_t>> by_pod;
  std::vector<std::size_t> free;
  std::string mig;
  const auto note = [&](std::string pod, std::size_t gpu) {
    std::vector<std::size_t>& list = by_pod[pod];
    if (list.empty()) {
      order.push_back(std::move(pod));
    }
    if (list.empty() || list.back() != gpu) {
      list.push_back(gpu);
    }
  };
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    for (const Json& holder : get(gpus[i], "holders")) {
      note(pod_text(get(holder, "pod")), i);
    }
    if (is_mig(gpus[i])) {
      std::string instances;
      for (const Json& instance : gpus[i].at("instances")) {
        instances +=
            fmt::format("{}{}@{} {}", instances.empty() ? "" : ", ", text(get(instance, "profile")),
                        text(get(instance, "start")), instance.contains("pod") ? pod_text(instance.at("pod")) : "free");
      }
      mig += fmt::format("<li>GPU {}, MIG: {}</li>", i, instances.empty() ? "no instance" : instances);
    } else if (get_number(gpus[i], "free") > 0) {
      free.push_back(i);
    }
  }
  std::string out = R"(<ul class="who">)";
  for (const std::string& pod : order) {
    out += fmt::format("<li>{}: GPU {}</li>", pod, ranges(by_pod[pod]));
  }
  out += mig;
  if (!free.empty()) {
    out += fmt::format("<li>room: GPU {}</li>", ranges(free));
  }
  return out + "</ul>";
}

std::string remarks(const Json& node) {
  std::string out;
  if (get(node, "cordoned") == true) {
    out += R"( <span class="tag">cordoned</span>)";
  }
  if (get(node, "assumed") == true) {
    out += R"( <span class="tag" title="The dump tells how many GPUs a pod holds, not which ones">GPUs assumed</span>)";
  }
  if (get(node, "islandsUnknown") == true) {
    out += R"( <span class="tag">links unknown</span>)";
  }
  return out;
}

std::string node_card(const Json& node, const Room& room, const Holders& holders) {
  return fmt::format(
      R"(<details class="node" data-s="{}{}"><summary><span class="top"><b>{}</b>{} <span class="free">{}</span></span><span class="model">{}</span>{}</summary>{}</details>
)",
      room.states(), get(node, "cordoned") == true ? " cordoned" : "", text(get(node, "name")), remarks(node),
      room.words(), escape(room.models), gpu_cells(node, holders), who_list(node));
}

/// Nodes of many: by model and what is free, in closed boxes.
std::string grouped(const std::vector<std::pair<const Json*, Room>>& nodes, const Holders& holders) {
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, std::string>> groups;
  for (const auto& [node, room] : nodes) {
    auto& [count, cards] = groups[{room.models, room.words()}];
    ++count;
    cards += node_card(*node, room, holders);
  }
  std::string out;
  const auto all = static_cast<double>(nodes.size());
  for (const auto& [key, group] : groups) {
    const auto count = static_cast<double>(group.first);
    out += fmt::format(
        R"(<details class="group"><summary><b>{}</b> · {} · {}{}</summary><div class="nodes">{}</div></details>
)",
        escape(key.first), key.second, count_of(count, "node"),
        bar({{count, "share"}}, all, fmt::format("{} of {} nodes", group.first, nodes.size())), group.second);
  }
  return out;
}

std::string legend(bool has_old, bool has_new) {
  std::string out = R"(<ul class="legend"><li><i class="g f"></i> free</li>)";
  if (has_new) {
    out += R"(<li><i class="g c0"></i> held, a colour for each pod</li>)";
  }
  if (has_old) {
    out += R"(<li><i class="g old"></i> held before, or without a name</li>)";
  }
  return out + R"(<li><span class="g sh"><i class="r c2"></i><i class="r f"></i></span> shared</li>)"
               R"(<li><span class="mig"><i class="m s2 c3">2g</i><i class="gap s2"></i></span> MIG slices</li>)"
               R"(<li><span class="isl"><i class="g f"></i><i class="g f"></i></span> NVLink island</li></ul>)";
}

std::string node_names(const std::set<std::string>& nodes) {
  constexpr std::size_t kNamed = 5;
  std::string words;
  std::size_t named = 0;
  for (const std::string& node : nodes) {
    if (named++ == kNamed) {
      return fmt::format("{} and {} more", words, nodes.size() - kNamed);
    }
    words += (words.empty() ? "" : ", ") + escape(node);
  }
  return words;
}

std::string holder_table(const Holders& holders) {
  std::vector<std::size_t> order(holders.entries().size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  const auto size = [&](std::size_t i) {
    const Holders::Entry& entry = holders.entries()[i];
    return entry.gpus + static_cast<double>(entry.replicas + entry.instances) / 1e6;
  };
  std::ranges::stable_sort(order, std::ranges::greater(), size);
  const auto any = [&](auto amount) {
    return std::ranges::any_of(holders.entries(), [&](const auto& entry) { return amount(entry) > 0; });
  };
  const bool replicas = any([](const auto& entry) { return entry.replicas; });
  const bool instances = any([](const auto& entry) { return entry.instances; });
  std::vector<Column> columns{{"pod"}, {"GPUs", true}};
  if (replicas) {
    columns.push_back({"replicas", true});
  }
  if (instances) {
    columns.push_back({"MIG instances", true});
  }
  columns.push_back({"nodes"});
  Table table("Who holds what", std::move(columns));
  for (const std::size_t i : order) {
    if (table.size() == kMaxHolders) {
      break;
    }
    const Holders::Entry& entry = holders.entries()[i];
    std::vector<std::string> cells{pod_text(entry.pod), plain(entry.gpus)};
    if (replicas) {
      cells.push_back(fmt::format("{}", entry.replicas));
    }
    if (instances) {
      cells.push_back(fmt::format("{}", entry.instances));
    }
    cells.push_back(node_names(entry.nodes));
    table.add(cells, fmt::format("data-p=\"{}\"", i));
  }
  std::string out = table.html();
  if (order.size() > kMaxHolders) {
    out += fmt::format("<p class=\"note\">and {} more pods</p>", order.size() - kMaxHolders);
  }
  return out;
}

}  // namespace

std::string cluster_map(const Json& cluster, const std::set<std::string>& placed, PodColors& colors) {
  const Json& list = get(cluster, "nodes");
  if (!list.is_array() || list.empty()) {
    return {};
  }
  Holders holders(placed, colors);
  count_holders(list, holders);
  std::vector<std::pair<const Json*, Room>> nodes;
  std::size_t without = 0;
  for (const Json& node : list) {
    if (get(node, "gpus").empty()) {
      ++without;
    } else {
      nodes.emplace_back(&node, room_of(node));
    }
  }
  const auto& entries = holders.entries();
  const auto is_old = [&](const Holders::Entry& entry) { return holders.look(entry.pod) == "old"; };
  const bool has_old = std::ranges::any_of(entries, is_old);
  const bool has_new = !std::ranges::all_of(entries, is_old);
  std::string out = legend(has_old, has_new) + "<div class=\"map\" data-map>\n";
  if (nodes.size() > kOpenNodes) {
    out += grouped(nodes, holders);
  } else {
    out += "<div class=\"nodes\">";
    for (const auto& [node, room] : nodes) {
      out += node_card(*node, room, holders);
    }
    out += "</div>";
  }
  out += "</div>\n";
  if (without > 0) {
    out += fmt::format("<p class=\"note\">{} without GPUs {} not shown.</p>\n",
                       count_of(static_cast<double>(without), "node"), without == 1 ? "is" : "are");
  }
  return entries.empty() ? out : out + holder_table(holders);
}

}  // namespace gpusched::render::html
