#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dra/selector_parts.hpp"
#include "gpusched/cel/anatomy.hpp"
#include "gpusched/cel/device.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// Why no device at all matches a row of selectors, and the nearest expression that some device matches.
struct SelectorMiss {
  std::size_t selector = 0;  ///< in the row
  std::string text;
  std::string replacement;  ///< the whole selector with one word changed; some device matches it. "" when there is none
};

/// Looks at what the devices of a cluster publish. Of very many devices a part, evenly spread, stands for all.
class NearMisses {
 public:
  explicit NearMisses(std::span<const objects::ResourceSlice> slices);

  /// Nothing when some device matches all selectors. A device must match them all, in their order.
  [[nodiscard]] std::optional<SelectorMiss> of_selectors(std::span<const std::string> selectors);
  /// A constraint's attribute that no device publishes: what is published instead; "" when it is published.
  [[nodiscard]] std::string of_attribute(const std::string& name) const;

 private:
  struct Sample {
    std::string_view driver;
    const objects::Device* device = nullptr;
    cel::Device asked;
  };
  using Chosen = std::vector<std::uint32_t>;  // indices into samples_
  struct Change {
    std::string part;  // with the word changed
    std::string text;  // "\"81559Mi\" in place of \"80Gi\" matches 8 devices"
  };

  [[nodiscard]] Chosen matching(const cel::Program& program, const Chosen& devices);
  [[nodiscard]] std::string missing_names(const SelectorPart& part, const Chosen& devices) const;
  [[nodiscard]] std::string missing_name(const cel::ObservedName& name, bool capacity, const Chosen& devices) const;
  [[nodiscard]] std::string published_values(const SelectorPart& part, const Chosen& devices) const;
  [[nodiscard]] std::optional<Change> nearest_change(const SelectorPart& part, const Chosen& devices);
  [[nodiscard]] std::vector<std::string> candidates(const cel::Word& word, const SelectorPart& part,
                                                    const Chosen& devices) const;
  [[nodiscard]] std::string counted(std::size_t devices) const;

  std::vector<Sample> samples_;
  bool all_ = true;  // every device is a sample
  cel::Scratch scratch_;
};

}  // namespace gpusched::dra
