#pragma once

#include <string>
#include <vector>

#include "gpusched/io/decode.hpp"
#include "gpusched/io/model_reader.hpp"

namespace gpusched::io {

/// Reads one element of a fixture's `jobs`.
class JobFixture {
 public:
  JobFixture(ModelReader& model, Decoder& decoder, const Value& value)
      : model_(model), decoder_(decoder), value_(value) {}
  void read();

 private:
  void read_times(ObjectReader& job);
  void read_pods(ObjectReader& job);
  void read_pod_set(ObjectReader& object, const Value& value, std::string_view name);
  void read_failures(ObjectReader& job);
  void read_topology(ObjectReader& job);
  [[nodiscard]] std::int64_t seconds(ObjectReader& job, std::string_view key, std::int64_t fallback_ms);
  [[nodiscard]] StringId optional_text(ObjectReader& job, std::string_view key);

  ModelReader& model_;
  Decoder& decoder_;
  const Value& value_;
  Job job_;
};

}  // namespace gpusched::io
