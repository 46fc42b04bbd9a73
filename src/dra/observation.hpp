#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dra/hash128.hpp"
#include "gpusched/cel/program.hpp"
#include "gpusched/objects/resource_slice.hpp"

namespace gpusched::dra {

/// What an expression observes of the devices of one driver at a time. Their attributes must be good: one without a
/// value, or with a version that cannot be read, makes every expression fail.
class Observation {
 public:
  /// `look` must outlive it.
  explicit Observation(const cel::Observed& look);
  /// The text must stay where it is while its devices are looked at.
  void turn_to(std::string_view driver);

  /// Whether nothing tells the device from the one of the last call since turn_to() changed the driver; false when that
  /// is not found out cheaply.
  [[nodiscard]] bool same_as_last(const objects::Device& device);

  /// The hash of all that can be observed, so that equal hashes mean equal outcomes.
  [[nodiscard]] Hash128 hash(const objects::Device& device) const;
  /// Makes `asked` show all that can be observed, and no more.
  void show(const objects::Device& device, cel::Device& asked) const;

 private:
  /// A name by which an expression looks something up.
  struct Name {
    std::string_view domain, id;
    std::size_t full_size = 0;                      ///< of "domain/id"; 0: no published name is split so
    bool plain = false;                             ///< published without a domain it means the same
    const objects::AttributeValue* last = nullptr;  ///< of an attribute: what same_as_last() met
  };
  using Names = std::vector<Name>;

  static Names names_of(const std::vector<cel::ObservedName>& observed);
  static bool is_named(std::string_view published, const Name& name);

  const cel::Observed& look_;
  Names attributes_, capacities_;
  std::string_view driver_;
  Hash128 start_;          // of the hash, driver included
  bool compares_ = false;  // same_as_last() can tell at all
  bool has_last_ = false;
  bool last_multiple_ = false;  // allowMultipleAllocations
};

}  // namespace gpusched::dra
