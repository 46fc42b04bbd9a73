#include "cli/shape_offers.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/node_templates.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::cli {

namespace {

constexpr std::string_view kLike = "like:";
constexpr std::size_t kMostOffers = 100;

Result<whatif::NodeTemplate> node_template(const std::string& word, Inputs& inputs, const ClusterShape& shape) {
  if (!word.starts_with(kLike)) {
    return read_node_template(word, inputs);
  }
  const std::string_view name = std::string_view(word).substr(kLike.size());
  const NodeId node = shape.find_node(name);
  if (node.valid()) {
    return whatif::template_like(shape, node);
  }
  std::vector<std::string_view> names;
  for (const NodeId id : shape.nodes_by_name) {
    names.push_back(shape.name(id));
  }
  const std::string nearest = suggest(name, names);
  return bad_usage(fmt::format("--min-nodes: the cluster has no node {}", quote(name)),
                   nearest.empty() ? "" : fmt::format("did you mean {}?", nearest));
}

}  // namespace

Result<std::vector<whatif::ShapeOffer>> shape_offers(const Arguments& arguments, Inputs& inputs,
                                                     const ClusterShape& shape) {
  const Result<io::PriceList> prices = inputs.prices();
  if (!prices) {
    return std::unexpected(prices.error());
  }
  std::vector<whatif::ShapeOffer> offers;
  const std::vector<std::string> words = arguments.list("min-nodes");
  if (words.empty() || words.size() > kMostOffers) {
    return bad_usage(fmt::format("--min-nodes takes 1 to {} shapes", kMostOffers));
  }
  for (const std::string& word : words) {
    Result<whatif::NodeTemplate> node = node_template(word, inputs, shape);
    if (!node) {
      return std::unexpected(std::move(node.error()));
    }
    node->name = word;
    const auto price = prices->find(word);
    if (!prices->empty() && price == prices->end()) {
      return bad_usage(fmt::format("--prices has no price of {}", quote(word)), "name the shape as --min-nodes does");
    }
    offers.push_back({std::move(*node), prices->empty() ? std::nullopt : std::optional(price->second)});
  }
  return offers;
}

}  // namespace gpusched::cli
