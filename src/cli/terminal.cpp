#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "gpusched/render/render.hpp"

namespace gpusched::cli {

namespace {

bool write_all(std::FILE* file, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
}

extern "C" void on_interrupt(int /*signal*/) {
  _exit(kInterrupted);
}

}  // namespace

void Terminal::install_signal_handlers() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGINT, &on_interrupt);
}

void Terminal::set_color(std::string_view when) {
  const char* const no_color = std::getenv("NO_COLOR");
  const bool wanted = no_color == nullptr || *no_color == '\0';
  color_ = when == "always" || (when == "auto" && wanted && isatty(STDERR_FILENO) == 1);
}

bool Terminal::print(std::string_view text) {
  if (write_all(stdout, text) || errno == EPIPE) {
    return true;
  }
  std::fputs(fmt::format("error: cannot write the result: {}\n", std::strerror(errno)).c_str(), stderr);
  return false;
}

void Terminal::report(std::span<const Diagnostic> diagnostics) const {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity == Severity::kError || !quiet_) {
      text += json_errors_ ? render::diagnostic_json(diagnostic) : render::diagnostic_text(diagnostic, color_);
    }
  }
  std::fputs(text.c_str(), stderr);
}

Result<bool> Terminal::write_file(const std::string& path, std::string_view text) const {
  const std::string beside = fmt::format("{}.{}.tmp", path, getpid());
  const auto failed = [&] {
    const std::string why = std::strerror(errno);
    std::remove(beside.c_str());
    return fail("write-failed", fmt::format("cannot write \"{}\": {}", path, why));
  };
  std::FILE* const file = std::fopen(beside.c_str(), "wb");
  if (file == nullptr) {
    return failed();
  }
  const bool written = write_all(file, text);
  if (std::fclose(file) != 0 || !written) {
    return failed();
  }
  std::error_code error;
  std::filesystem::rename(beside, path, error);
  if (error) {
    std::remove(beside.c_str());
    return fail("write-failed", fmt::format("cannot write \"{}\": {}", path, error.message()));
  }
  return true;
}

}  // namespace gpusched::cli
