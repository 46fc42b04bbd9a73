#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cel/estimate.hpp"

namespace gpusched::cel {

/// Sizes of the elements of a list or map.
struct EntrySizes {
  bool list = true;
  Range key, value;
};

/// Where in the device a value comes from: "device", field names, "@keys", "@values", "@items".
using Path = std::vector<std::string>;

/// What the cost rules know of an argument.
struct Operand {
  const Expr* expr = nullptr;  ///< null for an element of a list
  const Type* type = nullptr;
  Path path;
  std::optional<Range> size;
};

struct CallEstimate {
  Range cost;
  std::optional<Range> result_size;
};

/// One run of cel-go's cost estimate with Kubernetes' rules and DRA's sizes.
class Estimator {
 public:
  explicit Estimator(const Declarations& declarations) : declarations_(declarations) {}
  Range cost(const Expr* expr);

 private:
  struct Local {
    Path path;
    std::optional<Range> size;
    std::optional<EntrySizes> entries;
  };

  Range ident(const Expr* expr);
  Range select(const Expr* expr);
  Range call(const Expr* expr);
  Range list(const Expr* expr);
  Range map(const Expr* expr);
  Range message(const Expr* expr);
  Range comprehension(const Expr* expr);
  Range bind(const Expr* expr);

  CallEstimate overload_cost(const Expr* expr, const Overload& overload, const Operand* target,
                             const std::vector<Operand>& args, const std::vector<Range>& costs);
  CallEstimate standard_cost(const Expr* expr, std::string_view overload, const Operand* target,
                             const std::vector<Operand>& args, const std::vector<Range>& costs, Range sum);
  CallEstimate conditional_cost(const Expr* expr, const std::vector<Operand>& args, const std::vector<Range>& costs);
  CallEstimate sum_cost(const Expr* expr, std::string_view overload, const std::vector<Operand>& args, Range sum);
  std::optional<CallEstimate> list_function_cost(std::string_view overload, const Operand* target,
                                                 const std::vector<Operand>& args) const;
  std::optional<CallEstimate> kubernetes_cost(std::string_view function, std::string_view overload,
                                              const Operand* target, const std::vector<Operand>& args) const;
  std::optional<CallEstimate> traversal_cost(std::string_view function, const Operand& target) const;
  std::optional<CallEstimate> join_cost(const Operand& target, const std::vector<Operand>& args) const;
  std::optional<CallEstimate> cidr_cost(std::string_view overload, const std::vector<Operand>& args) const;

  Operand operand(const Expr* expr);
  [[nodiscard]] Operand element_of(const Operand& list, bool& known) const;
  [[nodiscard]] Range size_of(const Operand& operand) const;
  Range size_or_unknown(const Expr* expr);
  std::optional<Range> size(const Expr* expr);
  [[nodiscard]] std::optional<Range> declared_size(const Path& path) const;
  std::optional<EntrySizes> entries(const Expr* expr);
  void copy_sizes(const Expr* to, const Expr* from);
  [[nodiscard]] Path path_of(const Expr* expr) const;
  [[nodiscard]] const Local* local(const std::string& name) const;
  void push(const std::string& name, Local local) { locals_[name].push_back(std::move(local)); }
  void pop(const std::string& name) { locals_[name].pop_back(); }
  void push_variables(const Expr* expr);

  const Declarations& declarations_;
  std::unordered_map<std::string, std::vector<Local>> locals_;
  std::unordered_map<const Expr*, Path> paths_;
  std::unordered_map<const Expr*, Range> sizes_;
  std::unordered_map<const Expr*, EntrySizes> entries_;
};

}  // namespace gpusched::cel
