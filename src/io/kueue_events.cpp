#include <fmt/format.h>

#include <array>

#include "gpusched/io/core_objects.hpp"
#include "gpusched/io/kueue_objects.hpp"
#include "io/core_fields.hpp"

namespace gpusched::io {

namespace {

using objects::KueueEvent;

class EventReader {
 public:
  EventReader(const Document& document, std::string_view default_namespace)
      : decoder_(document), default_namespace_(default_namespace) {}

  void read(const Value& root) {
    if (root.is_array()) {
      read_items(root);
    } else if (const Value* const list = find_list(root)) {
      decoder_.at_key(list == root.find("events") ? "events" : "steps", [&] { read_items(*list); });
    } else {
      read_event(root);
    }
  }

  bool failed() const { return decoder_.failed(); }
  Diagnostics take_diagnostics() { return decoder_.take_diagnostics(); }
  std::vector<KueueEvent> take_events() { return std::move(events_); }

 private:
  static const Value* find_list(const Value& root) {
    for (const std::string_view key : {"events", "steps"}) {
      if (const Value* const list = root.find(key); list != nullptr && list->is_array()) {
        return list;
      }
    }
    return nullptr;
  }

  void read_items(const Value& list) {
    for (std::size_t i = 0; i < list.items().size(); ++i) {
      decoder_.at_index(i, [&] { read_event(list.items()[i]); });
    }
  }

  /// "namespace/name"; a name alone is in the default namespace.
  std::vector<std::string> read_names(ObjectReader& reader, std::string_view key) {
    std::vector<std::string> names;
    for (const std::string_view name : reader.strings(key)) {
      names.push_back(full_name(name));
    }
    return names;
  }

  std::string full_name(std::string_view name) const {
    return name.find('/') == std::string_view::npos ? fmt::format("{}/{}", default_namespace_, name)
                                                    : std::string(name);
  }

  objects::CheckUpdate read_check(const Value& value) {
    static constexpr std::array<std::string_view, 4> kStates = {"Pending", "Ready", "Retry", "Rejected"};
    ObjectReader reader(decoder_, value, "check");
    objects::CheckUpdate update;
    update.workload = full_name(reader.required_string("workload"));
    update.check = reader.required_string("check");
    update.state = kStates[reader.required_one_of("state", kStates)];
    return update;
  }

  void read_event(const Value& value) {
    constexpr std::int64_t kCentury = 3'155'760'000;
    ObjectReader reader(decoder_, value, "event");
    KueueEvent event;
    event.create = read_names(reader, "create");
    event.finish = read_names(reader, "finish");
    event.ready = read_names(reader, "ready");
    reader.array("checks", [&](const Value& item, std::size_t) { event.checks.push_back(read_check(item)); });
    event.advance_seconds = reader.optional_int64("advance", 0, kCentury).value_or(0);
    reader.object("replace", [&](const Value& object) { read_replacement(object, event); });
    events_.push_back(std::move(event));
  }

  void read_replacement(const Value& value, KueueEvent& event) {
    const Value* const kind_value = value.find("kind");
    const std::string_view kind = kind_value == nullptr ? std::string_view() : kind_value->text();
    if (kind == "ClusterQueue") {
      event.replace = decode_cluster_queue(decoder_, value);
    } else if (kind == "LocalQueue") {
      objects::LocalQueue queue = decode_local_queue(decoder_, value);
      if (queue.meta.namespace_name.empty()) {
        queue.meta.namespace_name = default_namespace_;
      }
      event.replace = std::move(queue);
    } else if (kind == "Node") {
      event.replace = decode_node(decoder_, value);
    } else {
      decoder_.error(value, "wrong-kind", "only a ClusterQueue, a LocalQueue or a Node can be replaced");
    }
  }

  Decoder decoder_;
  std::string default_namespace_;
  std::vector<KueueEvent> events_;
};

}  // namespace

Result<std::vector<KueueEvent>> read_kueue_events(const std::vector<Document>& documents,
                                                  std::string_view default_namespace) {
  std::vector<KueueEvent> events;
  Diagnostics errors;
  for (const Document& document : documents) {
    EventReader reader(document, default_namespace);
    reader.read(document.root);
    if (reader.failed()) {
      Diagnostics found = reader.take_diagnostics();
      errors.insert(errors.end(), found.begin(), found.end());
    }
    for (KueueEvent& event : reader.take_events()) {
      events.push_back(std::move(event));
    }
  }
  if (!errors.empty()) {
    return std::unexpected(std::move(errors));
  }
  return events;
}

}  // namespace gpusched::io
