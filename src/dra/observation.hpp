#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
  void turn_to(std::string_view driver) {
    if (driver.data() == nullptr || driver.data() != driver_.data() || driver.size() != driver_.size()) turn(driver);
  }

  /// Looks at a device, which must outlive hash() and show(). True: nothing tells it from the one before, which may be
  /// gone, since turn_to() changed the driver; false also when that is not found out cheaply.
  [[nodiscard]] bool look_at(const objects::Device& device);

  /// Of the device: the hash of all that can be observed, so that equal hashes mean equal outcomes.
  [[nodiscard]] Hash128 hash() const;
  /// Makes `asked` show all that can be observed of the device, and no more.
  void show(cel::Device& asked) const;

 private:
  /// A name by which an expression looks something up.
  struct Name {
    std::string_view domain, id;
    std::size_t full_size = 0;  ///< of "domain/id"; 0: no published name is split so
    bool plain = false;         ///< published without a domain it means the same

    [[nodiscard]] bool means(std::string_view published) const;
    /// Of several that mean it the last counts; nullptr: there is none.
    template <class Content>
    [[nodiscard]] const std::pair<std::string, Content>* last_of(const objects::Named<Content>& published) const;
  };
  /// And what the device has under it, of several the last, and the one before had.
  struct Attribute : Name {
    const objects::AttributeValue* value = nullptr;
    std::string_view published;
    std::optional<objects::AttributeValue> before;
  };
  struct Capacity : Name {
    const Quantity* amount = nullptr;
    std::optional<Quantity> before;
  };

  void turn(std::string_view driver);

  const cel::Observed& look_;
  std::vector<Attribute> attributes_;
  std::vector<Capacity> capacities_;
  std::string_view driver_;
  Hash128 start_;            // of the hash, driver included
  bool any_before_ = false;  // since turn_to() changed the driver
  const objects::Device* device_ = nullptr;
  bool multiple_ = false;  // its allowMultipleAllocations
};

}  // namespace gpusched::dra
