#include "dra/nvidia_product.hpp"
#include "gpusched/base/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace gpusched::dra {
namespace {

using Words = std::vector<std::string>;

/// Spelling of go-nvlib v0.13.0, which the driver asks.
struct Architecture {
  std::string_view of_board;  ///< mig::Board::architecture
  std::string_view name;
};
constexpr Architecture kArchitectures[] = {{"ampere", "Ampere"}, {"hopper", "Hopper"}, {"blackwell", "Blackwell"}};

/// Compute capability by the start of mig::Board::id. Source: NVIDIA's list of CUDA GPUs.
struct Capability {
  std::string_view board;
  std::string_view version;
};
constexpr Capability kCapabilities[] = {
    {"a30-", "8.0.0"},   {"a100-", "8.0.0"},   {"h100-", "9.0.0"},     {"gh200-", "9.0.0"},
    {"h200-", "9.0.0"},  {"h20-", "9.0.0"},    {"b200-", "10.0.0"},    {"gb200-", "10.0.0"},
    {"b300-", "10.3.0"}, {"gb300-", "10.3.0"}, {"rtx-pro-", "12.0.0"},
};

/// Data centre products without MIG. Names: nvidia-smi captures and NVIDIA's list of CUDA GPUs, which also has the
/// compute capabilities.
struct Product {
  std::string_view name;
  std::string_view architecture;
  std::string_view compute_capability;
};
constexpr Product kProducts[] = {
    {"NVIDIA L4", "Ada Lovelace", "8.9.0"},
    {"NVIDIA L40", "Ada Lovelace", "8.9.0"},
    {"NVIDIA L40S", "Ada Lovelace", "8.9.0"},
    {"NVIDIA A10", "Ampere", "8.6.0"},
    {"NVIDIA A10G", "Ampere", "8.6.0"},
    {"NVIDIA A40", "Ampere", "8.6.0"},
    {"Tesla T4", "Turing", "7.5.0"},
    {"Tesla V100-SXM2-16GB", "Volta", "7.0.0"},
    {"Tesla V100-SXM2-32GB", "Volta", "7.0.0"},
};

/// Lower case words of letters and digits, without the vendor's.
Words words_of(std::string_view text) {
  Words words;
  bool inside = false;
  for (char c : text) {
    c = ascii_lower(c);
    const bool part = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (part && !inside) words.emplace_back();
    if (part) words.back().push_back(c);
    inside = part;
  }
  std::erase_if(words, [](const std::string& word) { return word == "nvidia" || word == "tesla"; });
  return words;
}

/// {words of the product that the model has, minus those it has not}: larger is better.
std::pair<std::ptrdiff_t, std::ptrdiff_t> likeness(const Words& model, std::string_view product) {
  const Words words = words_of(product);
  const auto known = std::ranges::count_if(words, [&](const std::string& word) {
    return std::ranges::any_of(
        model, [&](const std::string& own) { return own == word || (own == "sxm" && word.starts_with("sxm")); });
  });
  return {known, known - static_cast<std::ptrdiff_t>(words.size())};
}

/// The product that is most like the model; "" when two are equally like it, or when it is none that NVML's name is
/// known of.
std::string_view best_product(const Words& model, const mig::Board& board) {
  std::string_view best;
  std::pair<std::ptrdiff_t, std::ptrdiff_t> most{0, 0};
  bool alone = false;
  for (const std::string_view product : board.products) {
    const auto score = likeness(model, product);
    if (score.first == 0 || score < most) continue;
    alone = score > most;
    most = score;
    best = product;
  }
  return alone && best.starts_with("NVIDIA ") ? best : std::string_view();
}

}  // namespace

NvidiaProduct nvidia_product(std::string_view model, const mig::Board* board) {
  const Words words = words_of(model);
  NvidiaProduct result{std::string(model), {}, {}};
  if (board == nullptr) {
    const auto* found =
        std::ranges::find_if(kProducts, [&](const Product& product) { return words_of(product.name) == words; });
    if (found != std::end(kProducts)) {
      result = {std::string(found->name), found->architecture, found->compute_capability};
    }
    return result;
  }
  if (const std::string_view product = best_product(words, *board); !product.empty()) result.name = product;
  for (const Architecture& row : kArchitectures) {
    if (row.of_board == board->architecture) result.architecture = row.name;
  }
  for (const Capability& row : kCapabilities) {
    if (board->id.starts_with(row.board)) result.compute_capability = row.version;
  }
  return result;
}

}  // namespace gpusched::dra
