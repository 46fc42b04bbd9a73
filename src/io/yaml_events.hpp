#pragma once

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpusched/io/document.hpp"
#include "io/syntax_error.hpp"
#include "io/tree_builder.hpp"

namespace gpusched::io {

/// Leaves yaml-cpp's parser when an event handler finds an error; never leaves the YAML reader.
struct YamlRefusal {
  SyntaxError error;
};

/// Builds the tree out of yaml-cpp's events: types of plain scalars, anchors and aliases, merge keys, limits.
class YamlEvents : public YAML::EventHandler {
 public:
  YamlEvents(std::string_view text, TreeBuilder& builder, const Limits& limits, std::vector<Value>& roots)
      : text_(text), builder_(builder), limits_(limits), roots_(roots) {}

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override;
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;

 private:
  /// A value with what a walk over it would cost.
  struct Node {
    Value value;
    std::size_t weight = 1;  // values in it, itself included, aliases expanded
    std::size_t height = 0;  // containers from it down to its deepest leaf
    bool complete = false;
    bool merge = false;  // the plain scalar `<<`
  };

  struct Frame {
    bool object = false;
    bool block = false;    // without brackets
    std::size_t mark = 0;  // of the builder
    std::uint32_t offset = 0;
    YAML::anchor_t anchor = 0;
    std::size_t weight = 1;
    std::size_t height = 1;
    bool has_key = false;
    bool merge_key = false;
    std::string_view key;
    std::uint32_t key_offset = 0;
    std::vector<Member> merged;
  };

  [[noreturn]] void refuse(std::size_t offset, std::string code, std::string message, std::string hint = {}) const;
  std::uint32_t offset_of(const YAML::Mark& mark) const;
  bool may_start_document(std::uint32_t offset) const;
  Node scalar_node(std::uint32_t offset, const std::string& tag, const std::string& value);
  Node string_node(std::uint32_t offset, const std::string& value);
  void check_closed(std::uint32_t offset) const;
  void open(bool object, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style);
  void close();
  void remember(YAML::anchor_t anchor, const Node& node);
  void add(const Node& node);
  void add_key(Frame& frame, const Node& node);
  void add_merge(Frame& frame, const Value& value) const;

  std::string_view text_;
  TreeBuilder& builder_;
  const Limits& limits_;
  std::vector<Value>& roots_;
  std::vector<Frame> open_;
  std::vector<Node> anchors_;  // by yaml-cpp's number
  std::size_t alias_values_ = 0;
  std::optional<std::uint32_t> document_start_;  // of the document before
};

}  // namespace gpusched::io
