#pragma once

#include <string>
#include <unordered_map>

#include "gpusched/io/cluster_dump.hpp"
#include "io/object_text.hpp"

namespace gpusched::io {

/// Decodes object texts into a ClusterDump; equal specs, statuses and labels are decoded once.
class DumpCollector {
 public:
  explicit DumpCollector(ClusterDump& dump) : dump_(dump) {}

  /// Objects that follow belong to this input.
  void start_source(const std::string& name);
  void add(ObjectText&& object, Diagnostics& errors);
  /// A whole list was read: paged lists are errors.
  void finish_list(const Envelope& envelope, Diagnostics& errors);

 private:
  struct Names {  // one map per kind of shared text
    std::unordered_map<std::string, std::uint32_t> ids;
  };

  void add_pod(ObjectText&& object, Diagnostics& errors);
  void add_node(ObjectText&& object, Diagnostics& errors);
  void add_other(ObjectText&& object, Diagnostics& errors);
  template <class Part, class Take>
  std::uint32_t shared(Names& names, std::string&& text, std::string_view member, std::vector<Part>& parts, Take&& take,
                       const ObjectText& object, Diagnostics& errors);
  void note_group(const Value& root);
  [[nodiscard]] ObjectPlace place_of(const ObjectText& object) const;
  void move_errors(Diagnostics found, const ObjectText& object, Diagnostics& errors) const;
  [[nodiscard]] bool first_of_its_name(const ObjectText& object, Diagnostics& errors);

  ClusterDump& dump_;
  Names specs_, statuses_, labels_;
  std::unordered_map<std::string, ObjectPlace> seen_;  // "Pod ns/name"
};

}  // namespace gpusched::io
