#include "bench.hpp"

int main() {
  gpusched::bench::place_benchmark();
  gpusched::bench::frag_benchmark();
  gpusched::bench::kueue_benchmark();
}
