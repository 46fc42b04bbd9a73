#include "io/sniff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "io/excerpt.hpp"

namespace gpusched::io {

namespace {

/// Beyond this many bytes nothing is looked at: the syntax errors of the readers take over.
constexpr std::size_t kSniffedBytes = 4096;

constexpr std::string_view kKubectlErrors[] = {
    "Error from server",
    "error: ",
    "Error: ",
    "Unable to connect to the server",
    "The connection to the server ",
    "No resources found",
    "couldn't get ",
};

Diagnostic diagnostic(std::string code, std::string message, std::string hint) {
  return fail(std::move(code), std::move(message), std::move(hint)).error().front();
}

/// "UTF-16" or "UTF-32" by the byte order mark, or by the zero bytes around the first ASCII character.
std::string_view wide_encoding(std::string_view bytes) {
  const auto starts = [bytes](std::string_view mark) { return bytes.starts_with(mark); };
  using std::string_view_literals::operator""sv;
  if (starts("\xFF\xFE\0\0"sv) || starts("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (starts("\xFF\xFE"sv) || starts("\xFE\xFF"sv)) return "UTF-16";
  if (bytes.size() < 4) return {};
  const bool zero[4] = {bytes[0] == '\0', bytes[1] == '\0', bytes[2] == '\0', bytes[3] == '\0'};
  if (zero[0] + zero[1] + zero[2] + zero[3] == 3 && (!zero[0] || !zero[3])) return "UTF-32";
  if ((zero[0] && !zero[1] && zero[2] && !zero[3]) || (!zero[0] && zero[1] && !zero[2] && zero[3])) return "UTF-16";
  return {};
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find_first_of("\r\n"));
}

bool is_markup(std::string_view text) {
  if (text.size() < 2 || text[0] != '<') return false;
  const char c = text[1];
  return c == '!' || c == '?' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// `kubectl get`: a line of upper-case column names of which the first is NAME or NAMESPACE.
bool is_kubectl_table(std::string_view text) {
  const std::string_view line = first_line(text);
  const bool name = line.starts_with("NAME ") || line.starts_with("NAMESPACE ");
  return name && std::ranges::none_of(line, [](char c) { return c == ':' || (c >= 'a' && c <= 'z'); });
}

bool is_kubectl_describe(std::string_view text) {
  if (!text.starts_with("Name:  ")) return false;
  return std::ranges::any_of(std::array{"\nLabels:", "\nNamespace:", "\nRoles:", "\nTaints:"},
                             [text](const char* line) { return text.find(line) != std::string_view::npos; });
}

}  // namespace

std::optional<Diagnostic> refuse_bytes(std::string_view bytes) {
  const std::string_view head = bytes.substr(0, kSniffedBytes);
  if (const std::string_view encoding = wide_encoding(head); !encoding.empty()) {
    return diagnostic("wide-encoding", fmt::format("the input is {} text; only UTF-8 is read", encoding),
                      fmt::format("convert it: iconv -f {} -t UTF-8 FILE", encoding));
  }
  const std::size_t start = bytes.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) {
    return diagnostic("empty-input", bytes.empty() ? "the input is empty" : "the input holds only blanks",
                      "the command that wrote it may have failed");
  }
  if (const std::size_t zero = bytes.find('\0'); zero != std::string_view::npos) {
    return diagnostic("binary-input", fmt::format("the input is binary data: byte {} is zero", zero),
                      "give JSON or YAML text, also compressed with gzip or zstd");
  }
  const std::string_view text = head.substr(std::min(start, head.size()));
  if (is_markup(text)) {
    return diagnostic("html-input",
                      fmt::format("the input is an HTML or XML page: it starts with {}", quote(first_line(text))),
                      "a log-in or error page may have been saved instead of the file");
  }
  const auto* error = std::ranges::find_if(kKubectlErrors, [text](std::string_view e) { return text.starts_with(e); });
  if (error != std::end(kKubectlErrors) && text.find("\nkind:") == std::string_view::npos) {
    return diagnostic("kubectl-error",
                      fmt::format("the input holds an error text of kubectl: {}", quote(first_line(text), 160)),
                      "run the kubectl command again and look at its exit code");
  }
  if (is_kubectl_table(text) || is_kubectl_describe(text)) {
    return diagnostic("kubectl-table",
                      fmt::format("the input holds kubectl output for people: {}", quote(first_line(text))),
                      "write it with kubectl get … -o json");
  }
  return std::nullopt;
}

}  // namespace gpusched::io
