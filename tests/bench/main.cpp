#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "bench.hpp"

// Without arguments all benchmarks of our own; with one of the words below, cases that a peer runs too.
int main(int argc, char** argv) {
  using namespace gpusched::bench;  // NOLINT(google-build-using-namespace): the folder's own
  if (argc < 3) {
    place_benchmark();
    frag_benchmark();
    dra_benchmark();
    kueue_benchmark();
    search_benchmark();
    return 0;
  }
  const std::vector<std::string> files(argv + 2, argv + argc);
  const std::map<std::string, void (*)(std::span<const std::string>)> cases = {
      {"alloc", dra_cases}, {"cel", cel_cases}, {"dump", dump_cases}};
  const auto chosen = cases.find(argv[1]);
  if (chosen == cases.end()) {
    fmt::print(stderr, "usage: {} [alloc|cel|dump FILE...]\n", argv[0]);
    return 2;
  }
  chosen->second(files);
}
