#include "cli/run_words.hpp"
#include "cli/terminal.hpp"

int main(int argc, char** argv) {
  gpusched::cli::Terminal::install_signal_handlers();
  gpusched::cli::Terminal terminal;
  return gpusched::cli::run_words({argv + 1, argv + argc}, terminal);
}
