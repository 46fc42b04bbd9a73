#include "dra/known_answers.hpp"

#include <algorithm>
#include <utility>

#include "dra/content_hash.hpp"
#include "dra/device_values.hpp"

namespace gpusched::dra {

namespace {

constexpr std::uint64_t kShapeSeed = 1, kDeviceSeed = 2, kUseSeed = 3;
constexpr Hash128 kInUse{0x7137'4491'23ef'65cdU, 0xe9b5'dba5'8189'dbbcU};
constexpr std::uint64_t kMatch = 1, kNoMatch = 2, kError = 3;

/// A sequence of hashes as one, cheaply: the parts are well mixed already.
void append(Hash128& sum, const Hash128& part, std::uint64_t flags) {
  sum.a = (sum.a + part.a + flags) * 0x9e37'79b9'7f4a'7c15U;
  sum.b = (sum.b ^ (part.b + flags)) * 0xc2b2'ae3d'27d4'eb4fU;
  sum.b ^= sum.a >> 32U;
}

}  // namespace

KnownAnswers::KnownAnswers(ClusterFacts& cluster, std::span<const objects::ResourceClaim* const> claims,
                           const AllocateOptions& options)
    : cluster_(cluster), options_(options), device_hashes_(cluster.slices.size()) {
  for (const objects::ResourceClaim* const claim : claims) {
    objects::ResourceClaim& copy = claims_.emplace_back();
    copy.devices = claim->devices;
    pointers_.push_back(&copy);
  }
  read_leaves();
}

void KnownAnswers::read_leaves() {
  const auto add = [&](const objects::DeviceRequirements& wanted) {
    comparable_ = comparable_ && wanted.derived_attributes.empty();
    asks_capacity_ = asks_capacity_ || wanted.capacity.has_value();
    passes_used_ = passes_used_ && wanted.allocation_mode == "ExactCount" && !wanted.admin_access.value_or(false);
    Leaf& leaf = leaves_.emplace_back();
    const objects::DeviceClass* const device_class = cluster_.find_class(wanted.device_class_name);
    if (device_class == nullptr) {
      comparable_ = false;
      return;
    }
    for (const auto& selector : device_class->selectors) {
      leaf.class_selectors.push_back(cluster_.selectors.compile(selector.cel.value_or("")));
    }
    for (const auto& selector : wanted.selectors) {
      leaf.own_selectors.push_back(cluster_.selectors.compile(selector.cel.value_or("")));
    }
    const auto fails = [&](std::size_t selector) { return !cluster_.selectors.compile_error(selector).empty(); };
    comparable_ = comparable_ && std::ranges::none_of(leaf.class_selectors, fails) &&
                  std::ranges::none_of(leaf.own_selectors, fails);
  };
  for (const objects::ResourceClaim& claim : claims_) {
    for (const objects::DeviceRequest& request : claim.devices.requests) {
      if (request.first_available.empty() && request.exactly) add(*request.exactly);
      for (const objects::DeviceSubRequest& subrequest : request.first_available) add(subrequest.requirements);
    }
    for (const objects::DeviceConstraint& constraint : claim.devices.constraints) {
      attributes_.push_back(constraint.match_attribute ? *constraint.match_attribute
                                                       : constraint.distinct_attribute.value_or(""));
    }
  }
}

bool KnownAnswers::is_for(std::span<const objects::ResourceClaim* const> claims, const AllocateOptions& options) const {
  if (claims.size() != claims_.size() || options.max_calls != options_.max_calls ||
      options.count_steps != options_.count_steps || options.timeout_steps != options_.timeout_steps ||
      options.method != options_.method) {
    return false;
  }
  for (std::size_t c = 0; c < claims.size(); ++c) {
    if (claims[c]->devices != claims_[c].devices) return false;
  }
  return true;
}

std::span<const objects::ResourceClaim* const> KnownAnswers::claims_named(
    std::span<const objects::ResourceClaim* const> claims) {
  for (std::size_t c = 0; c < claims.size(); ++c) {
    claims_[c].name = claims[c]->name;
    claims_[c].namespace_name = claims[c]->namespace_name;
  }
  return pointers_;
}

std::uint64_t KnownAnswers::version(const NodeDevices& node) const {
  std::uint64_t version = 1;
  for (const std::size_t slice : node.slices) version += cluster_.versions[slice];
  return version;
}

std::uint64_t KnownAnswers::selection(const DeviceRef& device, std::span<const std::size_t> selectors) {
  const std::size_t number = cluster_.number_of(device.slice, device.index);
  for (const std::size_t selector : selectors) {
    const SelectorEvaluator::Outcome& outcome = cluster_.selectors.evaluate(selector, number);
    if (!outcome.error.empty()) return kError;
    if (!outcome.match) return kNoMatch;
  }
  return kMatch;
}

// A request that does not name a capacity takes all of one without a policy, and has the device to itself.
bool KnownAnswers::capacity_counts(const objects::Device& device) const {
  return asks_capacity_ || !passes_used_ || device.allow_multiple_allocations.value_or(false) ||
         std::ranges::any_of(device.capacity, [](const auto& named) {
           return named.second.request_policy.has_value() || named.second.value.sign() < 0;
         });
}

Hash128 KnownAnswers::compute_device_hash(const DeviceRef& device) {
  const objects::Device& published = cluster_.api(device);
  const std::string& driver = cluster_.slices.slice(device.slice).spec.driver;
  ContentHash hash(kDeviceSeed);
  hash.add(hash_of(published, capacity_counts(published)));
  for (const Leaf& leaf : leaves_) {
    const std::uint64_t of_class = selection(device, leaf.class_selectors);
    hash.add(of_class);
    if (of_class == kMatch) hash.add(selection(device, leaf.own_selectors));
  }
  for (const std::string& attribute : attributes_) {
    const objects::AttributeValue* const value = attribute_of(published, driver, attribute);
    hash.add(value != nullptr ? 1U : 0U);
    if (value != nullptr) hash.add(hash_of(*value));
  }
  return hash.value();
}

namespace {

template <class T>
void fetch(const std::vector<T>& values) {
  constexpr std::size_t kLine = 64;
  const auto* const bytes = reinterpret_cast<const char*>(values.data());
  for (std::size_t i = 0; i < values.size() * sizeof(T); i += kLine) __builtin_prefetch(bytes + i);
}

}  // namespace

const Hash128& KnownAnswers::device_hash(const DeviceRef& device) {
  std::vector<Hash128>& hashes = device_hashes_[device.slice];
  if (hashes.empty()) hashes.resize(cluster_.slices.slice(device.slice).spec.devices.size());
  Hash128& hash = hashes[device.index];
  if (hash == Hash128{}) {
    const std::vector<objects::Device>& published = cluster_.slices.slice(device.slice).spec.devices;
    // What is read of a device is far from that of the one before.
    if (device.index + 1 < published.size()) {
      fetch(published[device.index + 1].attributes);
      fetch(published[device.index + 1].capacity);
    }
    hash = compute_device_hash(device);
  }
  return hash;
}

// A pool that has counters on other nodes, or devices that choose their nodes, makes a node one of its own.
std::optional<Hash128> KnownAnswers::shape(const NodeDevices& node) const {
  if (!comparable_ || !node.error.empty()) return std::nullopt;
  ContentHash hash(kShapeSeed);
  for (std::size_t p = 0; p < node.pools.size(); ++p) {
    const Pool& pool = node.pools[p];
    if (!pool.other_slices.empty() && !pool.counter_sets.empty()) return std::nullopt;
    hash.add((pool.incomplete ? 1U : 0U) + (pool.invalid() ? 2U : 0U)).add(pool.counter_sets.size());
    for (const objects::CounterSet* const set : pool.counter_sets) hash.add(hash_of(*set));
    hash.add(node.first_of_pool[p + 1] - node.first_of_pool[p]);
    for (const std::size_t slice : pool.device_slices) {
      const objects::ResourceSliceSpec& spec = cluster_.slices.slice(slice).spec;
      if (spec.per_device_node_selection.value_or(false) || !spec.skip_node_operations.empty()) return std::nullopt;
    }
  }
  return hash.value();
}

bool KnownAnswers::hides_use(const NodeDevices& node) const {
  return passes_used_ && std::ranges::all_of(node.pools, [](const Pool& pool) { return pool.counter_sets.empty(); });
}

std::optional<Hash128> KnownAnswers::signature(const NodeDevices& node) {
  if (!asked_->shaped) {
    asked_->shape = shape(node);
    asked_->shaped = true;
  }
  if (!asked_->shape) return std::nullopt;
  Hash128 sum = *asked_->shape;
  const bool hides_use = this->hides_use(node);
  for (const DeviceRef& device : node.devices) {
    const ClusterFacts::DeviceFacts& facts = cluster_.facts(device.slice, device.index);
    if (hides_use && facts.in_use) {
      append(sum, kInUse, kUseSeed);
      continue;
    }
    append(sum, device_hash(device), facts.in_use ? kUseSeed : 0);
    if (!facts.shared) continue;
    ContentHash held(kUseSeed);
    for (const auto& [name, amount] : *facts.consumed) held.add(name).add(amount);
    append(sum, held.value(), 1);
  }
  return mixed(sum);
}

const KnownAnswer* KnownAnswers::find(const NodeDevices& node) {
  if (node.number >= nodes_.size()) nodes_.resize(std::max(node.number + 1, cluster_.nodes.size()));
  asked_ = &nodes_[node.number];
  const std::uint64_t now = version(node);
  if (asked_->version == now && asked_->answer != kNone) return &answers_[asked_->answer];
  asked_->version = now;
  asked_->answer = kNone;
  asked_signature_ = signature(node);
  if (!asked_signature_) return nullptr;
  const std::uint32_t* const known = by_signature_.find(*asked_signature_);
  if (known == nullptr) return nullptr;
  asked_->answer = *known;
  return &answers_[*known];
}

std::optional<Hash128> KnownAnswers::static_signature(const NodeDevices& node) {
  if (!asked_->shape || !hides_use(node)) return std::nullopt;
  Hash128 sum = *asked_->shape;
  for (const DeviceRef& device : node.devices) {
    if (cluster_.facts(device.slice, device.index).shared) return std::nullopt;
    append(sum, device_hash(device), 0);
  }
  return mixed(sum);
}

KnownAnswers::Compiled* KnownAnswers::find_compiled(const NodeDevices& node) {
  const std::optional<Hash128> signature = compiled_.empty() ? std::nullopt : static_signature(node);
  const std::uint32_t* const known = signature ? by_static_signature_.find(*signature) : nullptr;
  if (known == nullptr) return nullptr;
  Question& question = compiled_[*known].question;
  question.pools = node.pools;
  question.devices = node.devices;
  for (std::size_t d = 0; d < node.devices.size(); ++d) {
    question.problem.devices[d].in_use = cluster_.facts(node.devices[d].slice, node.devices[d].index).in_use;
  }
  return &compiled_[*known];
}

// Errors name the devices of the node.
KnownAnswers::Compiled* KnownAnswers::add_compiled(const NodeDevices& node, Question& question) {
  if (!question.selection_errors.empty() || !question.value_errors.empty()) return nullptr;
  const std::optional<Hash128> signature = static_signature(node);
  if (!signature) return nullptr;
  by_static_signature_.insert(*signature, static_cast<std::uint32_t>(compiled_.size()));
  return &compiled_.emplace_back(Compiled{std::move(question)});
}

const KnownAnswer& KnownAnswers::add(KnownAnswer answer) {
  const auto number = static_cast<std::uint32_t>(answers_.size());
  answers_.push_back(std::move(answer));
  asked_->answer = number;
  if (asked_signature_) by_signature_.insert(*asked_signature_, number);
  return answers_.back();
}

}  // namespace gpusched::dra
