#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cli/write_target.hpp"
#include "gpusched/render/render.hpp"

namespace gpusched::cli {

namespace {

constexpr std::size_t kMaxShown = 50;  // of each severity

bool write_all(std::FILE* file, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
}

std::string_view plural_of(Severity severity) {
  return severity == Severity::kError ? "errors" : severity == Severity::kWarning ? "warnings" : "notes";
}

}  // namespace

void Terminal::install_signal_handlers() {
  std::signal(SIGPIPE, SIG_IGN);
  remove_unfinished_on_signals(kInterrupted);
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

void Terminal::keep_answer(std::string_view json) const {
  while (!json.empty()) {
    const ssize_t written = write(kept_, json.data(), json.size());
    if (written < 0 && errno != EINTR) {
      return;  // a JSON text that is cut short is noticed
    }
    json.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
  }
}

void Terminal::report(std::span<const Diagnostic> diagnostics) const {
  std::string text;
  const auto show = [&](const Diagnostic& diagnostic) {
    text += json_errors_ ? render::diagnostic_json(diagnostic) : render::diagnostic_text(diagnostic, color_);
  };
  std::array<std::size_t, 3> counts{};  // by Severity
  for (const Diagnostic& diagnostic : diagnostics) {
    const bool wanted = diagnostic.severity == Severity::kError || !quiet_;
    if (wanted && ++counts[static_cast<std::size_t>(diagnostic.severity)] <= kMaxShown) {
      show(diagnostic);
    }
  }
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kNote}) {
    if (const std::size_t count = counts[static_cast<std::size_t>(severity)]; count > kMaxShown) {
      Diagnostic rest;
      rest.severity = severity;
      rest.code = "and-more";
      rest.message = fmt::format("… and {} more {}", count - kMaxShown, plural_of(severity));
      show(rest);
    }
  }
  std::fputs(text.c_str(), stderr);
}

}  // namespace gpusched::cli
