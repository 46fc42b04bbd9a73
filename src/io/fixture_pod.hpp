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
  /// What a pod asks for, whatever it is part of; `gpus_key` names the number of GPUs.
  [[nodiscard]] PodClassId read_class(ObjectReader& pod, std::string_view gpus_key);

 private:
  void read_gpus(ObjectReader& pod, std::string_view gpus_key);
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
