#include "cli/input_names.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "gpusched/io/cluster_input.hpp"

namespace gpusched::cli {

namespace {

constexpr std::uintmax_t kMaxBytes = 64U << 20U;

std::vector<std::string> readable(std::span<const std::string> files) {
  std::vector<std::string> result;
  std::uintmax_t bytes = 0;
  for (const std::string& file : files) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) {
      continue;
    }
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (!error && bytes + size <= kMaxBytes) {
      bytes += size;
      result.push_back(file);
    }
  }
  return result;
}

void add_names(const io::Document& document, std::string_view list, std::vector<std::string>& names) {
  const io::Value* const items = document.root.find(list);
  if (items == nullptr) {
    return;
  }
  for (const io::Value& item : items->items()) {
    if (const io::Value* const name = item.find("name"); name != nullptr && name->is_string()) {
      names.emplace_back(name->text());
    }
  }
}

void sort_once(std::vector<std::string>& names) {
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
}

}  // namespace

bool names_file(std::string_view word) {
  constexpr std::array<std::string_view, 3> kEndings = {".json", ".yaml", ".yml"};
  std::error_code error;
  return word == "-" ||
         std::ranges::any_of(kEndings, [&](std::string_view ending) { return word.ends_with(ending); }) ||
         (std::filesystem::exists(word, error) && !std::filesystem::is_directory(word, error));
}

InputNames read_input_names(std::span<const std::string> files) {
  InputNames names;
  io::SourceReader reader({}, std::cin);
  const Result<io::ClusterInput> input = io::read_cluster_input(reader, readable(files), 1);
  if (!input) {
    return names;
  }
  for (const io::Document& document : input->fixtures) {
    add_names(document, "nodes", names.nodes);
    add_names(document, "pods", names.pods);
  }
  for (const io::NodeRecord& node : input->dump.nodes) {
    names.nodes.push_back(node.node.meta.name);
  }
  for (const io::PodRecord& pod : input->dump.pods) {
    names.pods.push_back(pod.full_name());
    names.namespaces.push_back(pod.name_space);
  }
  for (std::vector<std::string>* const list : {&names.nodes, &names.pods, &names.namespaces}) {
    sort_once(*list);
  }
  return names;
}

}  // namespace gpusched::cli
