#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dra/hash128.hpp"
#include "dra/memo.hpp"
#include "dra/question.hpp"
#include "dra/search.hpp"
#include "gpusched/dra/allocator.hpp"

namespace gpusched::dra {

/// An answer that holds for every node that looks the same to the claims.
struct KnownAnswer {
  AllocationAnswer answer;  ///< without allocations
  std::vector<SearchState::Taking> takings;
  std::shared_ptr<const Question> question;  ///< of the first such node; only if allocated
};

/// The answers to one question, by what nodes look like. Claims are asked for by what they want, not by their names.
class KnownAnswers {
 public:
  KnownAnswers(ClusterFacts& cluster, std::span<const objects::ResourceClaim* const> claims,
               const AllocateOptions& options);

  [[nodiscard]] bool is_for(std::span<const objects::ResourceClaim* const> claims,
                            const AllocateOptions& options) const;
  /// Copies of the claims, which live as long as the answers, under the names of `claims`.
  [[nodiscard]] std::span<const objects::ResourceClaim* const> claims_named(
      std::span<const objects::ResourceClaim* const> claims);

  /// The answer of an earlier node alike, or of the same node while nothing on it has changed; nullptr if unknown.
  [[nodiscard]] const KnownAnswer* find(const NodeDevices& node);
  /// Of the node of the last find(). Errors that end the attempt name devices and must not be added.
  const KnownAnswer& add(KnownAnswer answer);

  /// What was compiled for a node, if that is all of it but which devices are in use.
  struct Compiled {
    Question question;
    std::shared_ptr<const Question> for_results = nullptr;
    std::unique_ptr<Search> plain = nullptr;  ///< that does not remember; made when it is first wanted
  };
  /// For the node of the last find(): what was compiled for a node that has the same devices, with the use of this
  /// one's; nullptr if there is none.
  [[nodiscard]] Compiled* find_compiled(const NodeDevices& node);
  /// What find_compiled() may give for other nodes; nullptr if it cannot serve them, and then `question` is untouched.
  Compiled* add_compiled(const NodeDevices& node, Question& question);

 private:
  /// What a device is to the claims: what it observes of it, and everything static that the allocator looks at.
  [[nodiscard]] const Hash128& device_hash(const DeviceRef& device);
  [[nodiscard]] Hash128 compute_device_hash(const DeviceRef& device);
  [[nodiscard]] bool capacity_counts(const objects::Device& device) const;
  [[nodiscard]] std::uint64_t selection(const DeviceRef& device, std::span<const std::size_t> selectors);
  /// Nothing when the node cannot be compared with others.
  [[nodiscard]] std::optional<Hash128> signature(const NodeDevices& node);
  [[nodiscard]] std::optional<Hash128> shape(const NodeDevices& node) const;
  /// Whether a device in use is out of reach, whatever it is.
  [[nodiscard]] bool hides_use(const NodeDevices& node) const;
  [[nodiscard]] std::optional<Hash128> static_signature(const NodeDevices& node);
  [[nodiscard]] std::uint64_t version(const NodeDevices& node) const;
  void read_leaves();

  struct Leaf {
    std::vector<std::size_t> class_selectors, own_selectors;
  };
  struct NodeEntry {
    bool shaped = false;
    std::optional<Hash128> shape;
    std::uint64_t version = 0;
    std::uint32_t answer = kNone;
  };
  static constexpr std::uint32_t kNone = 0xffff'ffffU;

  ClusterFacts& cluster_;
  AllocateOptions options_;
  std::deque<objects::ResourceClaim> claims_;
  std::vector<const objects::ResourceClaim*> pointers_;
  bool comparable_ = true;   // of the claims
  bool passes_used_ = true;  // no request is for all devices or has admin access
  bool asks_capacity_ = false;
  std::vector<Leaf> leaves_;
  std::vector<std::string> attributes_;              // of constraints
  std::vector<std::vector<Hash128>> device_hashes_;  // by slice, empty: none is known; zero: unknown
  std::vector<NodeEntry> nodes_;                     // by number
  Memo<std::uint32_t> by_signature_;                 // into answers_
  std::deque<KnownAnswer> answers_;
  Memo<std::uint32_t> by_static_signature_;  // into compiled_
  std::deque<Compiled> compiled_;
  NodeEntry* asked_ = nullptr;
  std::optional<Hash128> asked_signature_;
};

}  // namespace gpusched::dra
