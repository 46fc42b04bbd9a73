#include "cel/function.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include "cel/environment.hpp"
#include "cel/map.hpp"

namespace gpusched::cel {
namespace {

/// Reads "string.(int, list(A)) bool".
class SignatureReader {
 public:
  SignatureReader(std::string_view text, TypePool& pool) : rest_(text), pool_(pool) {}

  void read(Overload& overload) {
    if (!rest_.starts_with('(')) {
      overload.member = true;
      overload.args.push_back(type());
      rest_.remove_prefix(1);  // the dot
    }
    read_types(overload.args);
    rest_.remove_prefix(1);  // the space in front of the result
    overload.result = type();
    overload.params = params_;
  }

 private:
  void read_types(std::vector<const Type*>& types) {
    rest_.remove_prefix(1);
    while (!rest_.starts_with(')')) {
      types.push_back(type());
      if (rest_.starts_with(", ")) rest_.remove_prefix(2);
    }
    rest_.remove_prefix(1);
  }

  const Type* type() {
    // Names have dots, but a dot in front of a parenthesis ends the receiver.
    std::size_t length = 0;
    while (length < rest_.size() && std::string_view("(), ").find(rest_[length]) == std::string_view::npos &&
           !rest_.substr(length).starts_with(".(")) {
      ++length;
    }
    const std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    std::vector<const Type*> params;
    if (rest_.starts_with('(')) read_types(params);
    return make(name, std::move(params));
  }

  const Type* make(std::string_view name, std::vector<const Type*> params) {
    if (name == "list") return pool_.list(params[0]);
    if (name == "map") return pool_.map(params[0], params[1]);
    if (name == "optional") return pool_.optional(params[0]);
    if (name == "type") return pool_.type_of(params[0]);
    if (name.size() == 1) return param(name);
    if (name == "dyn") return &types::kDyn;
    if (name == "timestamp") return &types::kTimestamp;
    if (name == "duration") return &types::kDuration;
    if (name == "Quantity") return &types::kQuantity;
    if (name == "Semver") return &types::kSemver;
    if (name == "URL") return &types::kUrl;
    if (name == "NamedFormat") return &types::kNamedFormat;
    if (const Type* known = Declarations::named_type(name)) return known;
    return pool_.object(name);
  }

  const Type* param(std::string_view name) {
    const auto found = std::ranges::find(params_, name, &Type::name);
    if (found != params_.end()) return *found;
    params_.push_back(pool_.param(name));
    return params_.back();
  }

  std::string_view rest_;
  TypePool& pool_;
  std::vector<const Type*> params_;
};

/// All functions by name, built once and never changed. Overloads are tried in the order in which an environment loads
/// its libraries: the first that fits an argument whose type is open decides that type.
class Catalogue {
 public:
  explicit Catalogue(Environment environment) {
    // Kubernetes 1.37 replaced its library of lists by a later one: what is compatible with 1.36 loads it before
    // strings.
    const bool stored = environment == Environment::kStored;
    const Library early = stored ? string_library() : kubernetes_list_library();
    const Library late = stored ? kubernetes_list_library() : string_library();
    for (const Library& library :
         {operator_library(), conversion_library(), time_library(), core_library(), optional_library(), regex_library(),
          early, late, list_library(), set_library(), url_library(), ip_library(), cidr_library(), format_library(),
          quantity_library(), semver_library(), authorizer_library()}) {
      add(library);
    }
    for (const std::string_view name : {"contains", "startsWith", "endsWith", "flatten"})
      functions_[name].unguarded = true;
  }

  [[nodiscard]] const Function* find(std::string_view name) const {
    const auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : &found->second;
  }

 private:
  void add(const Library& library) {
    for (const OverloadRow& row : library.overloads) {
      Overload overload;
      overload.id = row.id;
      overload.implementation = row.implementation;
      SignatureReader(row.signature, pool_).read(overload);
      Function& function = functions_[row.function];
      function.name = row.function;
      function.overloads.push_back(std::move(overload));
    }
    for (const FunctionRow& row : library.functions) {
      functions_[row.function].shared = row.implementation;
      functions_[row.function].trait = row.trait;
    }
  }

  TypePool pool_;
  std::map<std::string_view, Function, std::less<>> functions_;
};

}  // namespace

const Function* find_function(std::string_view name, Environment environment) {
  static const Catalogue stored(Environment::kStored);
  if (environment == Environment::kStored) return stored.find(name);
  static const Catalogue written(Environment::kNew);
  return written.find(name);
}

bool accepts(const Type& type, const Value& value) {
  switch (type.kind) {
    case TypeKind::kDyn:
    case TypeKind::kAny:
    case TypeKind::kTypeParam:
      return true;
    case TypeKind::kList: {
      if (!value.is(Kind::kList)) return false;
      const auto items = items_of(value);
      return items.empty() || accepts(*type.params[0], items[0]);
    }
    case TypeKind::kMap: {
      if (!value.is(Kind::kMap)) return false;
      const auto entries = value.map->all();
      return entries.empty() ||
             (accepts(*type.params[0], entries[0].key) && accepts(*type.params[1], entries[0].value));
    }
    default:
      return type.name == type_name(value);
  }
}

bool has_trait(const Value& value, Trait trait) {
  const auto one_of = [&value](std::initializer_list<Kind> kinds) {
    return std::ranges::find(kinds, value.kind) != kinds.end();
  };
  switch (trait) {
    case Trait::kNone:
      return true;
    case Trait::kAdder:
      return one_of({Kind::kInt, Kind::kUint, Kind::kDouble, Kind::kString, Kind::kBytes, Kind::kList, Kind::kTimestamp,
                     Kind::kDuration});
    case Trait::kComparer:
      return is_comparable(value);
    case Trait::kDivider:
    case Trait::kMultiplier:
      return one_of({Kind::kInt, Kind::kUint, Kind::kDouble});
    case Trait::kModder:
      return one_of({Kind::kInt, Kind::kUint});
    case Trait::kNegator:
      return one_of({Kind::kBool, Kind::kInt, Kind::kDouble, Kind::kDuration});
    case Trait::kSubtractor:
      return one_of({Kind::kInt, Kind::kUint, Kind::kDouble, Kind::kTimestamp, Kind::kDuration});
    case Trait::kSizer:
      return has_size(value);
    case Trait::kMatcher:
      return value.is(Kind::kString);
    case Trait::kLister:
      return value.is(Kind::kList);
  }
  return false;
}

}  // namespace gpusched::cel
