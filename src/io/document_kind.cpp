#include "gpusched/io/document_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpusched/base/text.hpp"

namespace gpusched::io {

namespace {

/// Our own documents by the list that makes them what they are. A cluster may have pods and jobs beside its nodes.
struct OwnKind {
  std::string_view key, what, reader;
};

constexpr std::array kOwnKinds = {
    OwnKind{"nodes", "a cluster", "gpusched place CLUSTER PODS and gpusched frag CLUSTER read it"},
    OwnKind{"pods", "a pod list", "gpusched place CLUSTER PODS reads it, behind a cluster"},
    OwnKind{"jobs", "a job list", "gpusched gang CLUSTER JOBS plays jobs, behind a cluster"},
    OwnKind{"questions", "a suite", "gpusched check SUITE asks its questions"},
};

std::string_view text_of(const Value& root, std::string_view key) {
  const Value* const value = root.find(key);
  return value != nullptr && value->is_string() ? value->text() : std::string_view();
}

bool is_answer(const Value& root) {
  return text_of(root, "apiVersion").starts_with("gpusched/");
}

const OwnKind* own_kind(const Value& root) {
  const auto found = std::ranges::find_if(kOwnKinds, [&](const OwnKind& kind) { return root.find(kind.key); });
  return found == kOwnKinds.end() ? nullptr : found;
}

}  // namespace

std::string describe_document(const Value& root) {
  if (const std::string_view kind = text_of(root, "kind"); !kind.empty()) {
    return is_answer(root) ? fmt::format("an answer of gpusched ({})", shorten(kind))
                           : fmt::format("a Kubernetes {}", shorten(kind));
  }
  if (const OwnKind* const own = own_kind(root)) {
    return std::string(own->what);
  }
  const auto telling = std::ranges::find_if(root.members(), [](const Member& m) { return m.key() != "version"; });
  return telling == root.members().end() ? describe(root) : fmt::format("an object with {}", quote(telling->key()));
}

std::string_view reader_of(const Value& root) {
  if (!text_of(root, "kind").empty()) {
    return is_answer(root) ? "gpusched check --baseline compares with it, if it is check's own"
                           : "gpusched place, frag and k8s read what kubectl get -o json writes";
  }
  const OwnKind* const own = own_kind(root);
  return own == nullptr ? std::string_view() : own->reader;
}

}  // namespace gpusched::io
