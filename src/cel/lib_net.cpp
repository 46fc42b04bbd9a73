// Addresses, networks and URLs (k8s.io/apiserver/pkg/cel/library ip.go, cidr.go, urls.go), and the authorizer's
// functions, which are declared for nothing: selectors have no authorizer.

#include <string>

#include "cel/evaluation.hpp"
#include "cel/function.hpp"
#include "cel/map.hpp"
#include "cel/net.hpp"
#include "cel/url.hpp"

namespace gpusched::cel {
namespace {

using Args = std::span<const Value>;

Value address_value(Evaluation& e, Kind kind, const IpAddress& address) {
  Value value;
  value.kind = kind;
  value.ip = e.heap().make(address);
  return value;
}

Value ip(Evaluation& e, Args args) {
  const auto address = parse_ip(args[0].view());
  return address ? address_value(e, Kind::kIp, *address) : e.error(address.error());
}
Value is_ip(Evaluation&, Args args) {
  return Value::boolean(parse_ip(args[0].view()).has_value());
}
Value is_canonical(Evaluation& e, Args args) {
  const auto address = parse_ip(args[0].view());
  return address ? Value::boolean(to_string(*address) == args[0].view()) : e.error(address.error());
}
Value family(Evaluation&, Args args) {
  return Value::of_int(args[0].ip->v4 ? 4 : 6);
}
Value ip_text(Evaluation& e, Args args) {
  return e.heap().string(to_string(*args[0].ip));
}

template <bool (*test)(const IpAddress&)>
Value address_is(Evaluation&, Args args) {
  return Value::boolean(test(*args[0].ip));
}

constexpr OverloadRow kIp[] = {
    {"ip", "string_to_ip", "(string) net.IP", ip},
    {"family", "ip_family", "net.IP.() int", family},
    {"ip.isCanonical", "ip_is_canonical", "(string) bool", is_canonical},
    {"isUnspecified", "ip_is_unspecified", "net.IP.() bool", address_is<is_unspecified>},
    {"isLoopback", "ip_is_loopback", "net.IP.() bool", address_is<is_loopback>},
    {"isLinkLocalMulticast", "ip_is_link_local_multicast", "net.IP.() bool", address_is<is_link_local_multicast>},
    {"isLinkLocalUnicast", "ip_is_link_local_unicast", "net.IP.() bool", address_is<is_link_local_unicast>},
    {"isGlobalUnicast", "ip_is_global_unicast", "net.IP.() bool", address_is<is_global_unicast>},
    {"isIP", "is_ip", "(string) bool", is_ip},
    {"string", "ip_to_string", "(net.IP) string", ip_text},
};

std::expected<IpAddress, std::string> read_cidr(std::string_view text) {
  auto cidr = parse_cidr(text);
  if (!cidr) return std::unexpected("network address parse error during conversion from string: " + cidr.error());
  return cidr;
}

Value cidr(Evaluation& e, Args args) {
  const auto network = read_cidr(args[0].view());
  return network ? address_value(e, Kind::kCidr, *network) : e.error(network.error());
}
Value is_cidr(Evaluation&, Args args) {
  return Value::boolean(parse_cidr(args[0].view()).has_value());
}
Value cidr_text(Evaluation& e, Args args) {
  return e.heap().string(cidr_to_string(*args[0].ip));
}

Value contains_ip(Evaluation&, Args args) {
  return Value::boolean(contains(*args[0].ip, *args[1].ip));
}
/// A text that is no address makes the call fail without saying why.
Value contains_ip_text(Evaluation&, Args args) {
  const auto address = parse_ip(args[1].view());
  return address ? Value::boolean(contains(*args[0].ip, *address)) : no_such_overload();
}
Value contains_network(Evaluation&, Args args) {
  return Value::boolean(contains_cidr(*args[0].ip, *args[1].ip));
}
Value contains_network_text(Evaluation& e, Args args) {
  const auto network = read_cidr(args[1].view());
  return network ? Value::boolean(contains_cidr(*args[0].ip, *network)) : e.error(network.error());
}
Value cidr_ip(Evaluation& e, Args args) {
  IpAddress address = *args[0].ip;
  address.prefix = 0;
  return address_value(e, Kind::kIp, address);
}
Value prefix_length(Evaluation&, Args args) {
  return Value::of_int(args[0].ip->prefix);
}
Value cidr_masked(Evaluation& e, Args args) {
  return address_value(e, Kind::kCidr, masked(*args[0].ip, args[0].ip->prefix));
}

constexpr OverloadRow kCidr[] = {
    {"cidr", "string_to_cidr", "(string) net.CIDR", cidr},
    {"containsIP", "cidr_contains_ip_string", "net.CIDR.(string) bool", contains_ip_text},
    {"containsIP", "cidr_contains_ip_ip", "net.CIDR.(net.IP) bool", contains_ip},
    {"containsCIDR", "cidr_contains_cidr_string", "net.CIDR.(string) bool", contains_network_text},
    {"containsCIDR", "cidr_contains_cidr", "net.CIDR.(net.CIDR) bool", contains_network},
    {"ip", "cidr_ip", "net.CIDR.() net.IP", cidr_ip},
    {"prefixLength", "cidr_prefix_length", "net.CIDR.() int", prefix_length},
    {"masked", "cidr_masked", "net.CIDR.() net.CIDR", cidr_masked},
    {"isCIDR", "is_cidr", "(string) bool", is_cidr},
    {"string", "cidr_to_string", "(net.CIDR) string", cidr_text},
};

Value url(Evaluation& e, Args args) {
  const auto request = parse_request_uri(args[0].view());
  const auto parts = request ? parse_url(args[0].view()) : request;
  if (!parts) return e.error("URL parse error during conversion from string: " + parts.error());
  Heap& heap = e.heap();
  Url kept = parts->view();
  for (std::string_view Url::* text : {&Url::scheme, &Url::host, &Url::path, &Url::raw_path, &Url::raw_query,
                                       &Url::opaque, &Url::user, &Url::fragment}) {
    kept.*text = heap.keep(kept.*text);
  }
  Value value;
  value.kind = Kind::kUrl;
  value.url = heap.make(kept);
  return value;
}
Value is_url(Evaluation&, Args args) {
  return Value::boolean(parse_request_uri(args[0].view()).has_value());
}
Value scheme(Evaluation&, Args args) {
  return Value::string(args[0].url->scheme);
}
Value host(Evaluation&, Args args) {
  return Value::string(args[0].url->host);
}
Value host_name(Evaluation&, Args args) {
  return Value::string(hostname(*args[0].url));
}
Value port_text(Evaluation&, Args args) {
  return Value::string(port(*args[0].url));
}
Value path(Evaluation& e, Args args) {
  return e.heap().string(escaped_path(*args[0].url));
}
Value query(Evaluation& e, Args args) {
  Heap& heap = e.heap();
  auto* map = heap.make(MapValue());
  for (const auto& [key, values] : query_of(*args[0].url)) {
    auto* items = heap.array<Value>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) items[i] = heap.string(values[i]);
    put(heap, *map, heap.string(key), Value::list({items, values.size()}));
  }
  return Value::of_map(map);
}

constexpr OverloadRow kUrl[] = {
    {"url", "string_to_url", "(string) URL", url},
    {"getScheme", "url_get_scheme", "URL.() string", scheme},
    {"getHost", "url_get_host", "URL.() string", host},
    {"getHostname", "url_get_hostname", "URL.() string", host_name},
    {"getPort", "url_get_port", "URL.() string", port_text},
    {"getEscapedPath", "url_get_escaped_path", "URL.() string", path},
    {"getQuery", "url_get_query", "URL.() map(string, list(string))", query},
    {"isURL", "is_url_string", "(string) bool", is_url},
};

Value no_authorizer(Evaluation&, Args) {
  return no_such_overload();
}

#define GPUSCHED_AUTHORIZER "kubernetes.authorization.Authorizer"
#define GPUSCHED_PATH_CHECK "kubernetes.authorization.PathCheck"
#define GPUSCHED_GROUP_CHECK "kubernetes.authorization.GroupCheck"
#define GPUSCHED_RESOURCE_CHECK "kubernetes.authorization.ResourceCheck"
#define GPUSCHED_DECISION "kubernetes.authorization.Decision"

constexpr OverloadRow kAuthorizer[] = {
    {"path", "authorizer_path", GPUSCHED_AUTHORIZER ".(string) " GPUSCHED_PATH_CHECK, no_authorizer},
    {"group", "authorizer_group", GPUSCHED_AUTHORIZER ".(string) " GPUSCHED_GROUP_CHECK, no_authorizer},
    {"serviceAccount", "authorizer_serviceaccount", GPUSCHED_AUTHORIZER ".(string, string) " GPUSCHED_AUTHORIZER,
     no_authorizer},
    {"resource", "groupcheck_resource", GPUSCHED_GROUP_CHECK ".(string) " GPUSCHED_RESOURCE_CHECK, no_authorizer},
    {"subresource", "resourcecheck_subresource", GPUSCHED_RESOURCE_CHECK ".(string) " GPUSCHED_RESOURCE_CHECK,
     no_authorizer},
    {"namespace", "resourcecheck_namespace", GPUSCHED_RESOURCE_CHECK ".(string) " GPUSCHED_RESOURCE_CHECK,
     no_authorizer},
    {"name", "resourcecheck_name", GPUSCHED_RESOURCE_CHECK ".(string) " GPUSCHED_RESOURCE_CHECK, no_authorizer},
    {"check", "pathcheck_check", GPUSCHED_PATH_CHECK ".(string) " GPUSCHED_DECISION, no_authorizer},
    {"check", "resourcecheck_check", GPUSCHED_RESOURCE_CHECK ".(string) " GPUSCHED_DECISION, no_authorizer},
    {"errored", "decision_errored", GPUSCHED_DECISION ".() bool", no_authorizer},
    {"error", "decision_error", GPUSCHED_DECISION ".() string", no_authorizer},
    {"allowed", "decision_allowed", GPUSCHED_DECISION ".() bool", no_authorizer},
    {"reason", "decision_reason", GPUSCHED_DECISION ".() string", no_authorizer},
    {"fieldSelector", "authorizer_fieldselector", GPUSCHED_RESOURCE_CHECK ".(string) " GPUSCHED_RESOURCE_CHECK,
     no_authorizer},
    {"labelSelector", "authorizer_labelselector", GPUSCHED_RESOURCE_CHECK ".(string) " GPUSCHED_RESOURCE_CHECK,
     no_authorizer},
};

}  // namespace

Library ip_library() {
  return {kIp};
}
Library cidr_library() {
  return {kCidr};
}
Library url_library() {
  return {kUrl};
}
Library authorizer_library() {
  return {kAuthorizer};
}

}  // namespace gpusched::cel
