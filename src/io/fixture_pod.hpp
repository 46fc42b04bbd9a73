#pragma once

#include <string_view>

#include "gpusched/io/decode.hpp"
#include "gpusched/io/model_reader.hpp"

namespace gpusched::io {

/// Reads one element of a fixture's `pods`.
class PodFixture {
 public:
  PodFixture(ModelReader& model, Decoder& decoder, const Value& value)
      : model_(model), decoder_(decoder), value_(value) {}
  void read();

 private:
  void read_gpus(ObjectReader& pod);
  void read_mig(ObjectReader& pod);
  void add_mig(std::string_view profile, std::int64_t count);
  void read_requests(ObjectReader& pod);
  void read_priority(ObjectReader& pod);
  void read_tolerations(ObjectReader& pod);
  void add(ObjectReader& pod, std::string_view name, PodClassId pod_class);

  ModelReader& model_;
  Decoder& decoder_;
  const Value& value_;
  PodClass pod_class_;
};

}  // namespace gpusched::io
