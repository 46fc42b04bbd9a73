#include "gpusched/io/topology_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>

#include "gpusched/base/text.hpp"

// Source of the cells: the legend that nvidia-smi prints under the matrix.
namespace gpusched::io {

namespace {

constexpr std::string_view kPaths[] = {"X", "PIX", "PXB", "PHB", "NODE", "SYS", "SOC"};  // SOC: SYS of older drivers
constexpr unsigned kMostNvlinks = 64;

using Words = std::vector<std::string_view>;

Words words_of(std::string_view line) {
  Words words;
  while (!line.empty()) {
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t\r", start), line.size());
    words.push_back(line.substr(start, end - start));
    line.remove_prefix(end);
  }
  return words;
}

std::optional<unsigned> number_in(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// The index of "GPU7".
std::optional<unsigned> gpu_index(std::string_view word) {
  return word.starts_with("GPU") ? number_in(word.substr(3)) : std::nullopt;
}

/// The text without a terminal's escape sequences: nvidia-smi underlines its header.
std::string plain_text(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\x1b' && i + 1 < bytes.size() && bytes[i + 1] == '[') {
      i += 2;
      while (i < bytes.size() && (bytes[i] < '@' || bytes[i] > '~')) ++i;
      continue;
    }
    text += bytes[i];
  }
  return text;
}

class MatrixReader {
 public:
  explicit MatrixReader(const Source& source) : source_(source), text_(plain_text(source.bytes)) {}

  Result<TopologyMatrix> read() {
    std::string_view rest = text_;
    for (std::uint32_t line = 1; !rest.empty(); ++line) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      read_line(words_of(rest.substr(0, end)), line);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    finish();
    if (!errors_.empty()) return std::unexpected(std::move(errors_));
    return std::move(matrix_);
  }

 private:
  void error(std::uint32_t line, std::string message, std::string hint = {}) {
    constexpr std::size_t kMostErrors = 20;
    if (errors_.size() >= kMostErrors) return;
    Diagnostic& diagnostic = errors_.emplace_back();
    diagnostic.code = "bad-topology-matrix";
    diagnostic.message = std::move(message);
    diagnostic.source = source_.name;
    diagnostic.line = line;
    diagnostic.hint = std::move(hint);
  }

  void read_line(const Words& words, std::uint32_t line) {
    if (words.empty()) return;
    if (cells_ == 0) {
      if (gpu_index(words.front()) == 0U) read_header(words, line);
    } else if (const auto gpu = gpu_index(words.front())) {
      read_row(words, *gpu, line);
    }
  }

  // GPUs, then NICs, then "CPU Affinity", "NUMA Affinity" and "GPU NUMA ID" as far as the driver knows them.
  void read_header(const Words& words, std::uint32_t line) {
    const auto cpu = std::ranges::find(words, "CPU");
    cells_ = static_cast<std::size_t>(cpu - words.begin());
    has_numa_ = std::ranges::find(words, "NUMA") != words.end();
    std::size_t gpus = 0;
    while (gpus < cells_ && gpu_index(words[gpus]) == gpus) ++gpus;
    if (gpus > kMaxGpusPerNode) {
      error(line, fmt::format("the matrix has {} GPUs, at most {} are read", gpus, kMaxGpusPerNode));
      gpus = 0;
    }
    matrix_.nvlinks.assign(gpus, {});
    matrix_.numa_nodes.assign(gpus, -1);
  }

  void read_row(const Words& words, unsigned gpu, std::uint32_t line) {
    const std::size_t gpus = matrix_.gpus();
    if (gpu >= gpus) {
      error(line, fmt::format("a row for GPU{}, but the header has {} GPUs", gpu, gpus));
      return;
    }
    if (!matrix_.nvlinks[gpu].empty()) {
      error(line, fmt::format("a second row for GPU{}", gpu));
      return;
    }
    if (words.size() < 1 + cells_) {
      error(line, fmt::format("the row of GPU{} has {} cells, the header {}", gpu, words.size() - 1, cells_),
            "copy the lines as they are, without breaking them");
      matrix_.nvlinks[gpu].resize(gpus);
      return;
    }
    for (std::size_t i = 0; i < gpus; ++i) matrix_.nvlinks[gpu].push_back(nvlinks(words[1 + i], gpu, i, line));
    const Words last(words.begin() + 1 + static_cast<std::ptrdiff_t>(cells_), words.end());
    if (has_numa_ && last.size() >= 2) {
      const auto node = number_in(last[1].substr(0, last[1].find_first_of(",-")));
      if (node && *node < kMaxGpusPerNode) matrix_.numa_nodes[gpu] = static_cast<std::int16_t>(*node);
    }
  }

  std::uint8_t nvlinks(std::string_view cell, unsigned gpu, std::size_t other, std::uint32_t line) {
    const bool nvlink = cell.starts_with("NV");
    const auto links = nvlink ? number_in(cell.substr(2)) : std::nullopt;
    if ((links && *links <= kMostNvlinks) || (!nvlink && std::ranges::find(kPaths, cell) != std::end(kPaths))) {
      return static_cast<std::uint8_t>(links.value_or(0));
    }
    error(line, fmt::format("unknown connection {} of GPU{} and GPU{}", quote(cell), gpu, other),
          "NV and a number, X, PIX, PXB, PHB, NODE and SYS are known");
    return 0;
  }

  void finish() {
    if (cells_ == 0 || matrix_.gpus() == 0) {
      if (errors_.empty()) {
        error(0, "expected the matrix of nvidia-smi topo -m, found no header with GPU0",
              "nvidia-smi topo -m > FILE on the node writes it");
      }
      return;
    }
    for (std::size_t i = 0; i < matrix_.gpus(); ++i) {
      if (matrix_.nvlinks[i].empty()) error(0, fmt::format("the row of GPU{} is missing", i));
    }
    if (!errors_.empty()) return;
    for (std::size_t i = 0; i < matrix_.gpus(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (matrix_.nvlinks[i][j] != matrix_.nvlinks[j][i]) {
          error(0, fmt::format("GPU{} and GPU{} disagree on the NVLinks between them: {} and {}", j, i,
                               matrix_.nvlinks[j][i], matrix_.nvlinks[i][j]));
        }
      }
    }
  }

  const Source& source_;
  std::string text_;
  TopologyMatrix matrix_;
  std::size_t cells_ = 0;  // GPUs and NICs of the header; 0: not seen yet
  bool has_numa_ = false;
  Diagnostics errors_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> TopologyMatrix::islands() const {
  std::vector<std::vector<std::uint32_t>> islands;
  std::vector<bool> seen(gpus());
  for (std::uint32_t first = 0; first < gpus(); ++first) {
    if (seen[first]) continue;
    std::vector<std::uint32_t>& island = islands.emplace_back(1, first);
    seen[first] = true;
    for (std::size_t next = 0; next < island.size(); ++next) {
      const std::vector<std::uint8_t>& row = nvlinks[island[next]];
      for (std::uint32_t i = 0; i < gpus(); ++i) {
        if (!seen[i] && row[i] > 0) {
          seen[i] = true;
          island.push_back(i);
        }
      }
    }
    std::ranges::sort(island);
  }
  return islands;
}

Result<TopologyMatrix> parse_topology_matrix(const Source& source) {
  return MatrixReader(source).read();
}

bool apply_topology(NodeClass& node_class, const TopologyMatrix& matrix) {
  if (matrix.gpus() != node_class.gpus.size()) return false;
  std::uint16_t number = 0;
  for (const std::vector<std::uint32_t>& island : matrix.islands()) {
    for (const std::uint32_t gpu : island) node_class.gpus[gpu].island = number;
    ++number;
  }
  for (std::size_t i = 0; i < matrix.gpus(); ++i) {
    if (matrix.numa_nodes[i] >= 0) node_class.gpus[i].numa_node = matrix.numa_nodes[i];
  }
  node_class.islands_known = true;
  return true;
}

}  // namespace gpusched::io
