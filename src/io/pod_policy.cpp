#include "gpusched/io/pod_policy_objects.hpp"
#include "io/core_fields.hpp"
#include "io/core_pod_fields.hpp"

namespace gpusched::io {

using namespace core;

namespace {

/// The resources under a key; none when it is absent.
objects::ResourceList read_amounts(Decoder& decoder, ObjectReader& reader, std::string_view key) {
  return read_resources(decoder, reader, key).value_or(objects::ResourceList());
}

objects::LimitRangeItem read_limit(Decoder& decoder, const Value& value) {
  ObjectReader limit(decoder, value, "limit");
  limit.ignore_other_keys();
  objects::LimitRangeItem item;
  item.type = read_string(limit, "type");
  item.max = read_amounts(decoder, limit, "max");
  item.min = read_amounts(decoder, limit, "min");
  item.default_limits = read_amounts(decoder, limit, "default");
  item.default_requests = read_amounts(decoder, limit, "defaultRequest");
  item.max_limit_request_ratio = read_amounts(decoder, limit, "maxLimitRequestRatio");
  return item;
}

objects::QuotaScope read_scope(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "scope");
  reader.ignore_other_keys();
  return {read_string(reader, "scopeName"), read_string(reader, "operator"), read_strings(reader, "values")};
}

}  // namespace

objects::LimitRange decode_limit_range(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "LimitRange");
  reader.ignore_other_keys();
  objects::LimitRange range;
  range.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    range.limits = read_list(fields, "limits", [&](const Value& item) { return read_limit(decoder, item); });
  });
  return range;
}

objects::RuntimeClass decode_runtime_class(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "RuntimeClass");
  reader.ignore_other_keys();
  objects::RuntimeClass runtime_class;
  runtime_class.meta = read_meta(decoder, reader);
  reader.object("overhead", [&](const Value& overhead) {
    ObjectReader fields(decoder, overhead, "overhead");
    fields.ignore_other_keys();
    runtime_class.overhead = read_amounts(decoder, fields, "podFixed");
  });
  reader.object("scheduling", [&](const Value& scheduling) {
    ObjectReader fields(decoder, scheduling, "scheduling");
    fields.ignore_other_keys();
    runtime_class.node_selector = read_string_map(fields, "nodeSelector");
    runtime_class.tolerations =
        read_list(fields, "tolerations", [&](const Value& item) { return read_toleration(decoder, item); });
  });
  return runtime_class;
}

objects::ResourceQuota decode_resource_quota(Decoder& decoder, const Value& value) {
  ObjectReader reader(decoder, value, "ResourceQuota");
  reader.ignore_other_keys();
  objects::ResourceQuota quota;
  quota.meta = read_meta(decoder, reader);
  reader.object("spec", [&](const Value& spec) {
    ObjectReader fields(decoder, spec, "spec");
    fields.ignore_other_keys();
    for (std::string& name : read_strings(fields, "scopes")) {
      quota.scopes.push_back({std::move(name), "Exists", {}});
    }
    fields.object("scopeSelector", [&](const Value& selector) {
      ObjectReader expressions(decoder, selector, "scopeSelector");
      expressions.ignore_other_keys();
      for (objects::QuotaScope& scope :
           read_list(expressions, "matchExpressions", [&](const Value& item) { return read_scope(decoder, item); })) {
        quota.scopes.push_back(std::move(scope));
      }
    });
  });
  reader.object("status", [&](const Value& status) {
    ObjectReader fields(decoder, status, "status");
    fields.ignore_other_keys();
    quota.hard = read_amounts(decoder, fields, "hard");
    quota.used = read_amounts(decoder, fields, "used");
  });
  return quota;
}

}  // namespace gpusched::io
