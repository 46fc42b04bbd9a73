#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cel/program_data.hpp"

namespace gpusched::cel {
namespace {

/// A path into the device by constant names, as far as it is known: device, field, domain, name.
using Path = std::vector<std::string>;

/// Walks a tree and notes every path into the device. A variable of cel.bind stands for its path.
class Observer {
 public:
  Observed run(const Expr* root) {
    visit(root);
    if (observed_.all_attributes) observed_.attributes.clear();
    if (observed_.all_capacities) observed_.capacities.clear();
    return std::move(observed_);
  }

 private:
  /// The path of an expression that is nothing but a path; its own parts are not noted.
  std::optional<Path> path_of(const Expr* expr) const {
    switch (expr->kind) {
      case ExprKind::kIdent:
        return path_of_name(expr->name);
      case ExprKind::kSelect:
        return extended(expr->target, expr->name);
      case ExprKind::kCall: {
        const bool step = expr->name == "_[_]" || expr->name == "_[?_]" || expr->name == "_?._";
        if (!step || expr->args[1]->kind != ExprKind::kLiteral || !expr->args[1]->literal.is(Kind::kString)) {
          return std::nullopt;
        }
        return extended(expr->args[0], expr->args[1]->literal.view());
      }
      default:
        return std::nullopt;
    }
  }

  std::optional<Path> path_of_name(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (scope->first == name) return scope->second;
    }
    if (name == "device" || name == ".device") return Path{"device"};
    return std::nullopt;
  }

  std::optional<Path> extended(const Expr* base, std::string_view step) const {
    auto path = path_of(base);
    // Steps into a value do not change what is looked at.
    if (path && path->size() < 4) path->emplace_back(step);
    return path;
  }

  void note(const Path& path) {
    if (path.size() == 1) {
      observed_.driver = observed_.allow_multiple_allocations = true;
      observed_.all_attributes = observed_.all_capacities = true;
      return;
    }
    if (path[1] == "driver") observed_.driver = true;
    if (path[1] == "allowMultipleAllocations") observed_.allow_multiple_allocations = true;
    const bool attributes = path[1] == "attributes";
    if (!attributes && path[1] != "capacity") return;
    if (path.size() < 4) {
      (attributes ? observed_.all_attributes : observed_.all_capacities) = true;
      return;
    }
    auto& names = attributes ? observed_.attributes : observed_.capacities;
    ObservedName name{path[2], path[3]};
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }

  void visit(const Expr* expr) {
    if (expr == nullptr) return;
    if (const auto path = path_of(expr)) return note(*path);
    if (expr->kind == ExprKind::kComprehension) return comprehension(expr);
    visit(expr->target);
    for (const Expr* part : expr->keys) visit(part);
    for (const Expr* part : expr->args) visit(part);
  }

  void comprehension(const Expr* expr) {
    visit(expr->target);
    const auto alias = path_of(expr->init);
    const bool binds = alias && expr->target->kind == ExprKind::kList && expr->target->args.empty();
    if (!binds) visit(expr->init);
    scopes_.emplace_back(expr->accumulator, binds ? alias : std::nullopt);
    scopes_.emplace_back(expr->variable, std::nullopt);
    if (!expr->variable2.empty()) scopes_.emplace_back(expr->variable2, std::nullopt);
    // Nothing is evaluated in the loop over an empty list.
    if (!binds) {
      visit(expr->condition);
      visit(expr->step);
    }
    scopes_.resize(scopes_.size() - (expr->variable2.empty() ? 1 : 2));
    visit(expr->result);
    scopes_.pop_back();
  }

  Observed observed_;
  std::vector<std::pair<std::string_view, std::optional<Path>>> scopes_;
};

}  // namespace

Observed find_observed(const Ast& ast) {
  return Observer().run(ast.root);
}

const Observed& observed(const Program& program) {
  return program.data().observed;
}

}  // namespace gpusched::cel
