#include "gpusched/io/gpu_usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "gpusched/base/text.hpp"

// Lines of the text format: name{label="value",...} value [timestamp]. Source: prometheus.io/docs, "Exposition
// formats".
namespace gpusched::io {

namespace {

constexpr std::string_view kPrefix = "DCGM_FI_";
constexpr std::size_t kMostErrors = 20;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
}

struct LineError {
  std::size_t column = 0;  // from 0
  std::string message;
};

/// Reads one line; the labels stay valid until the next one.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : line_(line) {}

  std::optional<LineError> read() {
    while (at_ < line_.size() && is_name(line_[at_])) ++at_;
    skip_blanks();
    if (peek() == '{') {
      ++at_;
      if (auto error = read_labels()) return error;
    }
    skip_blanks();
    if (at_ == line_.size()) return LineError{at_, "expected a value at the end of the line"};
    return std::nullopt;
  }

  /// The first of these labels that is there and not empty.
  [[nodiscard]] std::string_view label(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      for (const auto& [key, value] : labels_) {
        if (key == name && !value.empty()) return value;
      }
    }
    return {};
  }

 private:
  [[nodiscard]] char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }

  void skip_blanks() {
    while (is_blank(peek())) ++at_;
  }

  std::optional<LineError> read_labels() {
    while (true) {
      skip_blanks();
      if (peek() == '}') break;
      const std::size_t start = at_;
      while (is_name(peek())) ++at_;
      const std::string_view name = line_.substr(start, at_ - start);
      if (name.empty()) return LineError{at_, "expected the name of a label or \"}\""};
      skip_blanks();
      if (peek() != '=') return LineError{at_, fmt::format("expected \"=\" after the label name {}", name)};
      ++at_;
      skip_blanks();
      if (peek() != '"') return LineError{at_, fmt::format("expected the value of label {} in double quotes", name)};
      ++at_;
      auto value = read_text();
      if (!value) return LineError{start, fmt::format("the value of label {} has no closing quote", name)};
      if (!valid_utf8(*value)) return LineError{start, fmt::format("the value of label {} is not UTF-8", name)};
      labels_.emplace_back(name, std::move(*value));
      skip_blanks();
      if (peek() == ',') {
        ++at_;
      } else if (peek() != '}') {
        return LineError{at_, "expected \",\" or \"}\" after a label"};
      }
    }
    ++at_;
    return std::nullopt;
  }

  /// Up to the closing quote; \\, \" and \n are the format's escapes, other backslashes stand for themselves.
  std::optional<std::string> read_text() {
    std::string text;
    for (; at_ < line_.size(); ++at_) {
      const char c = line_[at_];
      if (c == '"') {
        ++at_;
        return text;
      }
      const char next = at_ + 1 < line_.size() ? line_[at_ + 1] : '\0';
      if (c == '\\' && (next == '\\' || next == '"' || next == 'n')) {
        text.push_back(next == 'n' ? '\n' : next);
        ++at_;
      } else {
        text.push_back(c);
      }
    }
    return std::nullopt;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  std::vector<std::pair<std::string_view, std::string>> labels_;
};

std::int32_t index_of(std::string_view text) {
  std::int32_t value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 ? value : -1;
}

/// Prometheus keeps labels that it would overwrite as exported_*: then the plain ones are the exporter's own pod.
GpuUse use_of(const LineReader& line) {
  GpuUse use;
  use.node = line.label({"node", "NodeName", "kubernetes_node", "Hostname"});
  use.gpu = index_of(line.label({"gpu"}));
  use.uuid = line.label({"UUID", "uuid"});
  const bool exported = !line.label({"exported_pod"}).empty();
  use.pod = line.label({exported ? "exported_pod" : "pod", "pod_name"});
  use.namespace_name = line.label({exported ? "exported_namespace" : "namespace", "pod_namespace"});
  use.container = line.label({exported ? "exported_container" : "container", "container_name"});
  use.mig_profile = line.label({"GPU_I_PROFILE"});
  if (!use.mig_profile.empty()) use.mig_instance = index_of(line.label({"GPU_I_ID"}));
  return use;
}

using GpuKey = std::tuple<std::string, std::int32_t, std::string, std::int32_t, std::string>;

GpuKey key_of(const GpuUse& use) {
  return {use.node, use.gpu, use.uuid, use.mig_instance, use.mig_profile};
}

class UsageReader {
 public:
  explicit UsageReader(const Source& source) : source_(source) {}

  Result<std::vector<GpuUse>> read() {
    std::string_view rest = source_.bytes;
    for (std::uint32_t number = 1; !rest.empty(); ++number) {
      const std::size_t end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      const std::size_t indent = line.size() - std::min(line.size(), trimmed(line).size());
      if (trimmed(line).starts_with(kPrefix)) read_line(trimmed(line), number, indent);
      if (errors_.size() == kMostErrors) break;
    }
    if (!errors_.empty()) return std::unexpected(std::move(errors_));
    if (!any_) {
      Diagnostics none = fail("no-gpu-metrics", "no line of a metric DCGM_FI_*",
                              "save what the exporter serves: curl http://NODE:9400/metrics")
                             .error();
      none.front().source = source_.name;
      return std::unexpected(std::move(none));
    }
    std::erase_if(uses_, [&](const GpuUse& use) { return use.pod.empty() && held_.contains(key_of(use)); });
    return std::move(uses_);
  }

 private:
  static std::string_view trimmed(std::string_view line) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    return line;
  }

  void read_line(std::string_view line, std::uint32_t number, std::size_t indent) {
    LineReader reader(line);
    if (auto error = reader.read()) {
      Diagnostic diagnostic;
      diagnostic.code = "metrics-syntax";
      diagnostic.message = std::move(error->message);
      diagnostic.source = source_.name;
      diagnostic.line = number;
      diagnostic.column = static_cast<std::uint32_t>(indent + error->column + 1);
      errors_.push_back(std::move(diagnostic));
      return;
    }
    any_ = true;
    GpuUse use = use_of(reader);
    if (use.gpu < 0 && use.uuid.empty()) return;  // an NVSwitch or a CPU
    GpuKey key = key_of(use);
    if (!use.pod.empty()) held_.insert(key);
    if (seen_.emplace(std::move(key), use.namespace_name, use.pod, use.container).second)
      uses_.push_back(std::move(use));
  }

  const Source& source_;
  std::vector<GpuUse> uses_;
  std::set<std::tuple<GpuKey, std::string, std::string, std::string>> seen_;
  std::set<GpuKey> held_;
  Diagnostics errors_;
  bool any_ = false;
};

}  // namespace

Result<std::vector<GpuUse>> parse_gpu_usage(const Source& source) {
  return UsageReader(source).read();
}

}  // namespace gpusched::io
