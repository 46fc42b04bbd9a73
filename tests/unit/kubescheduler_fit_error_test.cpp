#include "kubescheduler/fit_error.hpp"

#include <catch2/catch.hpp>

namespace gpusched::kubescheduler {
namespace {

TEST_CASE("counts are sorted as texts") {
  ReasonTable reasons;
  FitError error(13);
  for (int i = 0; i < 10; ++i) {
    error.add(reasons.unschedulable("x"));
  }
  error.add(reasons.unschedulable("a"));
  error.add(reasons.unschedulable("a"));
  error.add({StatusCode::kUnresolvable, 0, reasons.intern({"Insufficient cpu", "a"})});
  CHECK(error.message() == "0/13 nodes are available: 1 Insufficient cpu, 10 x, 3 a.");
  CHECK(error.message("preemption: no") == "0/13 nodes are available: 1 Insufficient cpu, 10 x, 3 a. preemption: no");
}

TEST_CASE("absent nodes share a reason") {
  ReasonTable reasons;
  FitError error(5);
  error.set_absent_reason("elsewhere");
  CHECK(error.message() == "0/5 nodes are available: 5 elsewhere.");
  error.add(reasons.unschedulable("elsewhere"));
  error.add(reasons.unschedulable("full"));
  CHECK(error.message() == "0/5 nodes are available: 1 full, 4 elsewhere.");
}

TEST_CASE("without reasons nothing is counted") {
  CHECK(FitError(2).message() == "0/2 nodes are available:");
  CHECK(FitError::message_of_pre_filter(3, "no volume", "not found") ==
        "0/3 nodes are available: no volume. not found");
}

TEST_CASE("equal reasons are kept once") {
  ReasonTable reasons;
  CHECK(reasons.intern({"a", "b"}) == reasons.intern({"a", "b"}));
  CHECK(reasons.intern({"a", "b"}) != reasons.intern({"b", "a"}));
}

}  // namespace
}  // namespace gpusched::kubescheduler
