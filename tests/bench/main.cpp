#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "bench.hpp"

// Without arguments all benchmarks of our own, with one word only those; with a word and files, cases that a peer runs
// too.
int main(int argc, char** argv) {
  using namespace gpusched::bench;  // NOLINT(google-build-using-namespace): the folder's own
  const std::map<std::string, void (*)()> own = {{"place", place_benchmark}, {"frag", frag_benchmark},
                                                 {"dra", dra_benchmark},     {"kueue", kueue_benchmark},
                                                 {"gang", gang_benchmark},   {"search", search_benchmark}};
  if (argc < 3) {
    for (const auto& [name, benchmark] : own) {
      if (argc == 1 || name == argv[1]) benchmark();
    }
    return 0;
  }
  const std::vector<std::string> files(argv + 2, argv + argc);
  const std::map<std::string, void (*)(std::span<const std::string>)> cases = {
      {"alloc", dra_cases}, {"cel", cel_cases}, {"dump", dump_cases}, {"k8s", scheduler_cases}, {"kueue", kueue_cases}};
  const auto chosen = cases.find(argv[1]);
  if (chosen == cases.end()) {
    fmt::print(stderr, "usage: {} [alloc|cel|dump|k8s|kueue FILE...]\n", argv[0]);
    return 2;
  }
  chosen->second(files);
}
