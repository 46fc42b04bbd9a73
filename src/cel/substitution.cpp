#include "cel/type.hpp"

namespace gpusched::cel {
namespace {

bool nullable(const Type& type) {
  switch (type.kind) {
    case TypeKind::kOpaque:
    case TypeKind::kStruct:
    case TypeKind::kAny:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp:
      return true;
    default:
      return takes(type, types::kNull);
  }
}

bool equal_or_less_specific(const Type& a, const Type& b) {
  if (is_dyn(a) || a.is(TypeKind::kTypeParam)) return true;
  if (is_dyn(b) || b.is(TypeKind::kTypeParam) || a.kind != b.kind) return false;
  switch (a.kind) {
    case TypeKind::kOpaque:
      if (a.name != b.name || a.params.size() != b.params.size()) return false;
      [[fallthrough]];
    case TypeKind::kList:
    case TypeKind::kMap:
      for (std::size_t i = 0; i < a.params.size(); ++i) {
        if (!equal_or_less_specific(*a.params[i], *b.params[i])) return false;
      }
      return true;
    case TypeKind::kType:
      return true;
    default:
      return same_type(a, b);
  }
}

}  // namespace

const Type* most_general(const Type* a, const Type* b) {
  return equal_or_less_specific(*a, *b) ? a : b;
}

const Type* Substitution::find(const Type& param) const {
  if (param.kind != TypeKind::kTypeParam) return nullptr;
  const auto found = bound_.find(param.name);
  return found == bound_.end() ? nullptr : found->second;
}

bool Substitution::assign(const Type* to, const Type* from) {
  if (!to->params.empty() || !from->params.empty() || to->is(TypeKind::kTypeParam) || from->is(TypeKind::kTypeParam)) {
    Substitution trial = *this;
    if (!trial.unify(to, from)) return false;
    *this = std::move(trial);
    return true;
  }
  return unify(to, from);
}

bool Substitution::assign_all(const std::vector<const Type*>& to, const std::vector<const Type*>& from) {
  if (to.size() != from.size()) return false;
  Substitution trial = *this;
  if (!trial.unify_all(to, from)) return false;
  *this = std::move(trial);
  return true;
}

bool Substitution::unify_all(const std::vector<const Type*>& a, const std::vector<const Type*>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!unify(a[i], b[i])) return false;
  }
  return true;
}

bool Substitution::unify(const Type* a, const Type* b) {
  if (b->is(TypeKind::kTypeParam)) {
    const auto [valid, had_one] = bind(a, b);
    if (valid) return true;
    if (had_one) return false;
  }
  if (a->is(TypeKind::kTypeParam)) return bind(b, a).first;
  if (is_dyn_or_error(*a) || is_dyn_or_error(*b)) return true;
  if (a->is(TypeKind::kNull)) return nullable(*b);
  if (b->is(TypeKind::kNull)) return nullable(*a);
  switch (a->kind) {
    case TypeKind::kType:
      return b->is(TypeKind::kType);
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      return a->kind == b->kind && a->name == b->name && unify_all(a->params, b->params);
    default:
      return takes(*b, *a);
  }
}

std::pair<bool, bool> Substitution::bind(const Type* a, const Type* b) {
  if (a->kind == b->kind && same_type(*a, *b)) return {true, true};
  if (const Type* bound = find(*b)) {
    if (a->kind == bound->kind && same_type(*a, *bound)) return {true, true};
    if (!unify(a, bound)) return {false, true};
    const Type* general = most_general(a, bound);
    if (!occurs(*b, *general)) add(*b, general);
    return {true, true};
  }
  if (occurs(*b, *a)) return {false, false};
  add(*b, a);
  return {true, false};
}

bool Substitution::occurs(const Type& param, const Type& within) const {
  if (same_type(param, within)) return true;
  if (within.is(TypeKind::kTypeParam)) {
    const Type* bound = find(within);
    return bound != nullptr && occurs(param, *bound);
  }
  for (const Type* part : within.params) {
    if (occurs(param, *part)) return true;
  }
  return false;
}

const Type* Substitution::apply(TypePool& pool, const Type* type, bool unbound_to_dyn) const {
  if (const Type* bound = find(*type)) return apply(pool, bound, unbound_to_dyn);
  if (type->is(TypeKind::kTypeParam)) return unbound_to_dyn ? &types::kDyn : type;
  if (type->params.empty()) return type;
  std::vector<const Type*> params;
  params.reserve(type->params.size());
  bool changed = false;
  for (const Type* part : type->params) {
    params.push_back(apply(pool, part, unbound_to_dyn));
    changed = changed || params.back() != part;
  }
  if (!changed) return type;
  switch (type->kind) {
    case TypeKind::kList:
      return pool.list(params[0]);
    case TypeKind::kMap:
      return pool.map(params[0], params[1]);
    case TypeKind::kType:
      return pool.type_of(params[0]);
    default:
      return pool.opaque(type->name, std::move(params));
  }
}

}  // namespace gpusched::cel
