#include "dra/step_bound.hpp"

#include <algorithm>

namespace gpusched::dra {

namespace {

/// Calls of one request, if all that comes after it takes `rest` calls.
double calls_of(const Problem& problem, const Problem::Leaf& leaf, double rest) {
  if (leaf.all) return leaf.count + 1 + rest;
  double devices = 0;
  for (std::size_t d = 0; d < leaf.status.size(); ++d) {
    const bool in_use = problem.devices[d].in_use && !leaf.admin;
    devices += leaf.status[d] != Problem::Status::kNever && !in_use ? 1 : 0;
  }
  // Sets of the first devices, or sequences of them; each full one goes on.
  double calls = 1, choices = 1;
  const std::uint32_t most = std::min(leaf.count, kMaxDevicesPerClaim);
  for (std::uint32_t chosen = 1; chosen <= most && choices > 0; ++chosen) {
    choices *= std::max(devices - chosen + 1, 0.0) / (problem.permutations ? 1 : chosen);
    calls += choices;
  }
  return calls + (leaf.count <= most ? choices * rest : 0);
}

}  // namespace

double step_bound(const Problem& problem) {
  double rest = 1;
  for (auto claim = problem.claims.rbegin(); claim != problem.claims.rend(); ++claim) {
    rest += 1;
    for (std::uint32_t r = claim->first_request + claim->request_count; r-- > claim->first_request;) {
      const Problem::Request& request = problem.requests[r];
      double calls = 1;
      for (std::uint32_t l = request.first_leaf; l < request.first_leaf + request.leaf_count; ++l) {
        calls += calls_of(problem, problem.leaves[l], rest);
      }
      rest = calls;
    }
  }
  return rest;
}

}  // namespace gpusched::dra
