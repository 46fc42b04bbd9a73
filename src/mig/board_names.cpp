// Product names -> boards. A name is cut into words; each word must be understood, and the family, form and memory that
// they spell must leave one row of kNameRows. Unknown words mean no match, so that "A100-4C" (a vGPU) or "RTX 6000 Ada"
// never become a board with MIG.

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "gpusched/mig/board.hpp"
#include "gpusched/mig/profile.hpp"

namespace gpusched::mig {
namespace {

enum class Form : std::uint8_t { kAny, kSxm, kPcie, kNvl };

/// One way to name a board.
struct NameRow {
  std::string_view family;                 ///< words that stand together in the name; longer families first
  Form form;                               ///< kAny: every form, also none
  std::array<std::uint16_t, 4> memory_gb;  ///< figures that names carry: the nominal size, marketing sizes
  std::string_view board;
  bool alone = false;  ///< meant by a name that leaves several rows open, when the memory is unknown
};

// A name with a memory figure but no form takes the first row with that figure, which is why the SXM row of the 80 GB
// H100 stands first (its PCIe sibling has other SM counts and the same geometry).
constexpr NameRow kNameRows[] = {
    {"A30", Form::kAny, {24}, "a30-24gb"},
    {"TESLA A100", Form::kAny, {40}, "a100-40gb", true},  // GKE: nvidia-tesla-a100 is 40 GB, nvidia-a100-80gb is not
    {"TESLA A100", Form::kAny, {80}, "a100-80gb"},
    {"A100", Form::kAny, {40}, "a100-40gb"},
    {"A100", Form::kAny, {80}, "a100-80gb"},
    {"A800", Form::kAny, {40}, "a100-40gb"},
    {"A800", Form::kAny, {80}, "a100-80gb"},
    {"H100", Form::kSxm, {80}, "h100-sxm5-80gb"},
    {"H100", Form::kPcie, {80}, "h100-pcie-80gb"},
    {"H100", Form::kNvl, {94}, "h100-94gb"},
    {"H100", Form::kSxm, {94}, "h100-94gb"},
    {"H100", Form::kSxm, {96}, "h100-96gb"},
    {"H800", Form::kSxm, {80}, "h100-sxm5-80gb", true},  // NVML: "NVIDIA H800" is the SXM board
    {"H800", Form::kPcie, {80}, "h100-pcie-80gb"},
    {"H800", Form::kNvl, {94}, "h100-94gb"},
    // NVML names the 96 GB board (0x2342) after the 120 or 480 GB of the Grace CPU.
    {"GH200", Form::kAny, {96, 120, 480}, "h100-96gb"},
    {"GH200", Form::kAny, {144}, "gh200-144gb"},
    {"H200", Form::kAny, {141}, "h200-141gb"},
    {"H20 3E", Form::kAny, {141}, "h20-141gb"},  // NVML's name of the 141 GB board
    {"H20", Form::kAny, {96}, "h20-96gb", true},
    {"H20", Form::kAny, {141}, "h20-141gb"},
    {"B200", Form::kAny, {180, 183, 192}, "b200-180gb"},
    {"GB200", Form::kAny, {186, 189, 192}, "gb200-186gb"},
    {"B300", Form::kAny, {269, 270, 275, 288}, "b300-269gb"},
    {"GB300", Form::kAny, {278, 279, 288}, "gb300-278gb"},
    {"RTX PRO 6000", Form::kAny, {96}, "rtx-pro-6000-blackwell-96gb"},
    {"RTX PRO 5000", Form::kAny, {48}, "rtx-pro-5000-blackwell-48gb"},
    {"RTX PRO 4500", Form::kAny, {32}, "rtx-pro-4500-blackwell-32gb"},
    {"THOR", Form::kAny, {}, "thor-igpu"},
};

constexpr std::pair<std::string_view, Form> kFormWords[] = {
    {"SXM", Form::kSxm},  {"SXM4", Form::kSxm},   {"SXM5", Form::kSxm},
    {"SXM6", Form::kSxm}, {"NVLINK", Form::kSxm}, {"MEGA", Form::kSxm},  // GKE's A3 Mega machines
    {"NVL", Form::kNvl},  {"PCIE", Form::kPcie},
};

/// Words that say nothing about the board, per family ("" for every family).
constexpr std::pair<std::string_view, std::string_view> kNeutralWords[] = {
    {"", "NVIDIA"},     {"", "TESLA"},        {"", "GPU"},        {"", "TENSOR"},     {"", "CORE"},
    {"", "HBM3"},       {"", "HBM3E"},        {"A800", "ACTIVE"}, {"B300", "AC"},     {"GB200", "NVL72"},
    {"GB300", "NVL72"}, {"RTX", "BLACKWELL"}, {"RTX", "SERVER"},  {"RTX", "EDITION"}, {"RTX", "WORKSTATION"},
    {"RTX", "MAX"},     {"RTX", "Q"},         {"THOR", "IGPU"},   {"THOR", "GB10B"},
};

struct ModelName {
  std::string_view family;
  Form form = Form::kAny;
  std::uint32_t memory_gb = 0;
};

using Words = std::vector<std::string>;

constexpr std::size_t kLongestName = 128;

bool is_alnum(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return result;
}

Words split_words(std::string_view text) {
  Words words;
  bool inside = false;
  for (const char c : text) {
    if (is_alnum(c)) {
      if (!inside) words.emplace_back();
      words.back().push_back(c);
    }
    inside = is_alnum(c);
  }
  return words;
}

/// "80GB", "144G", "141GIB" -> the number; 0 for other words.
std::uint32_t memory_word(std::string_view word) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const std::string_view unit(end, static_cast<std::size_t>(word.data() + word.size() - end));
  return error == std::errc() && (unit == "GB" || unit == "G" || unit == "GIB") ? value : 0;
}

bool neutral(std::string_view family, std::string_view word) {
  return std::ranges::any_of(kNeutralWords, [&](const auto& row) {
    return row.second == word && (row.first.empty() || family.starts_with(row.first));
  });
}

/// Index of the first word of the family and the number of its words, or {size, 0}.
std::pair<std::size_t, std::size_t> find_family(const Words& words, std::string_view family) {
  const Words parts = split_words(family);
  const auto found = std::ranges::search(words, parts);
  return {static_cast<std::size_t>(found.begin() - words.begin()), found.size()};
}

std::optional<ModelName> parse_rest(const Words& words, std::string_view family, std::size_t first, std::size_t count) {
  ModelName name{.family = family};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i >= first && i < first + count) continue;
    std::string word = words[i];
    if (i + 1 < words.size() && memory_word(word + words[i + 1]) != 0) word += words[++i];  // "80 GB"
    const auto* form = std::ranges::find(kFormWords, word, &std::pair<std::string_view, Form>::first);
    if (const std::uint32_t memory = memory_word(word); memory != 0) {
      if (name.memory_gb != 0 && name.memory_gb != memory) return std::nullopt;
      name.memory_gb = memory;
    } else if (form != std::end(kFormWords)) {
      if (name.form != Form::kAny && name.form != form->second) return std::nullopt;
      name.form = form->second;
    } else if (!neutral(family, word)) {
      return std::nullopt;
    }
  }
  return name;
}

std::optional<ModelName> parse_words(const Words& words) {
  for (const NameRow& row : kNameRows) {
    const auto [first, count] = find_family(words, row.family);
    if (count != 0) return parse_rest(words, row.family, first, count);
  }
  return std::nullopt;
}

const Board* board_by_id(std::string_view id) {
  const auto all = boards();
  const auto found = std::ranges::find(all, id, &Board::id);
  return found == all.end() ? nullptr : &*found;
}

/// Total memory to compare with: the captured one, else the nominal figure in GiB.
std::uint64_t reference_mib(const Board& board) {
  return board.memory_total_mib != 0 ? board.memory_total_mib : std::uint64_t{board.memory_nominal_gb} * 1024;
}

std::uint64_t memory_distance(const Board& board, std::uint64_t memory_mib) {
  const std::uint64_t reference = reference_mib(board);
  return reference > memory_mib ? reference - memory_mib : memory_mib - reference;
}

/// Within 8 per cent: captures of one product differ by up to 7 (80 GB in powers of ten is 76294 MiB), while a GB300
/// whose driver reports a tenth less has another geometry.
bool memory_agrees(const Board& board, std::uint64_t memory_mib) {
  return memory_distance(board, memory_mib) * 100 <= reference_mib(board) * 8;
}

/// The name without GFD's suffixes; `profile` receives the "1g.10gb" of "-MIG-1g.10gb".
std::string strip_suffixes(std::string_view model, std::string& profile) {
  std::string name = upper(model);
  std::ranges::replace(name, ' ', '-');
  constexpr std::string_view kShared = "-SHARED";
  if (name.ends_with(kShared)) name.resize(name.size() - kShared.size());
  if (const std::size_t at = name.find("-MIG-"); at != std::string::npos) {
    profile = name.substr(at + 5);
    for (char& c : profile) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    name.resize(at);
  }
  return name;
}

struct Candidates {
  std::vector<const Board*> boards;  ///< that the name leaves open, each once
  const Board* alone = nullptr;      ///< the one that is meant when the memory does not decide
  bool instance = false;             ///< the name is that of a MIG instance
};

bool row_matches(const NameRow& row, const ModelName& name) {
  const bool form = row.form == Form::kAny || name.form == Form::kAny || row.form == name.form;
  const bool memory = name.memory_gb == 0 || std::ranges::find(row.memory_gb, name.memory_gb) != row.memory_gb.end();
  return row.family == name.family && form && memory;
}

Candidates match(const ModelName& name) {
  Candidates result;
  for (const NameRow& row : kNameRows) {
    if (!row_matches(row, name)) continue;
    const Board* board = board_by_id(row.board);
    if (std::ranges::find(result.boards, board) == result.boards.end()) result.boards.push_back(board);
    if (row.alone) result.alone = board;
    if (name.memory_gb != 0) {  // a figure in the name decides, also against a reported size
      result.alone = board;
      break;
    }
  }
  if (result.boards.size() == 1) result.alone = result.boards.front();
  return result;
}

/// "H20-MIG-1g.18gb": the profile's name tells boards apart too.
void keep_boards_with(std::string_view profile, Candidates& candidates) {
  const auto lacks = [&](const Board* board) { return !find_profile(*board, profile); };
  if (std::ranges::all_of(candidates.boards, lacks)) return;
  std::erase_if(candidates.boards, lacks);
  if (candidates.alone != nullptr && lacks(candidates.alone)) candidates.alone = nullptr;
  if (candidates.boards.size() == 1) candidates.alone = candidates.boards.front();
}

/// `memory_in_name` receives whether the name itself carries a memory figure.
Candidates candidates_of(std::string_view model, bool& memory_in_name) {
  if (model.size() > kLongestName) return {};
  std::string profile;
  const auto name = parse_words(split_words(strip_suffixes(model, profile)));
  if (!name) return {};
  memory_in_name = name->memory_gb != 0;
  Candidates result = match(*name);
  result.instance = !profile.empty();
  if (result.instance) keep_boards_with(profile, result);
  return result;
}

}  // namespace

std::vector<const Board*> board_candidates(std::string_view model) {
  bool memory_in_name = false;
  return candidates_of(model, memory_in_name).boards;
}

const Board* find_board(std::string_view model, std::uint64_t memory_mib) {
  bool memory_in_name = false;
  const Candidates candidates = candidates_of(model, memory_in_name);
  if (memory_mib == 0 || memory_in_name || candidates.instance) return candidates.alone;
  const Board* nearest = nullptr;
  for (const Board* board : candidates.boards) {
    if (!memory_agrees(*board, memory_mib)) continue;
    if (nearest == nullptr || memory_distance(*board, memory_mib) < memory_distance(*nearest, memory_mib))
      nearest = board;
  }
  return nearest;
}

}  // namespace gpusched::mig
