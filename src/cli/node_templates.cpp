#include "cli/node_templates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/input_names.hpp"
#include "gpusched/base/text.hpp"

namespace gpusched::cli {

namespace {

/// On-premises machines come with the memory that was ordered; then memory is nothing that pods run out of.
ShapePtr without_memory_limit(ShapePtr shape) {
  ClusterShape changed = *shape;
  for (NodeClass& node_class : changed.node_classes) {
    node_class.allocatable[kMemory.index()] = kNotModelled;
  }
  return std::make_shared<const ClusterShape>(std::move(changed));
}

Result<io::Model> read_model(const objects::Node& node, io::DumpOptions options) {
  for (const auto& [key, value] : node.meta.labels) {
    options.labels.push_back(key);
  }
  io::ClusterDump dump;
  dump.nodes.push_back({node, {}});
  io::ModelReader reader(std::move(options));
  reader.read_dump(std::move(dump));
  return std::move(reader).finish();
}

Result<whatif::NodeTemplate> template_of(objects::Node node, io::DumpOptions options) {
  const Result<io::Model> model = read_model(node, std::move(options));
  if (!model) {
    return std::unexpected(model.error());
  }
  std::string name = node.meta.name;
  return whatif::NodeTemplate{std::move(name), std::move(node), model->usage.shape_ptr(), model->network.of(NodeId{0})};
}

Result<whatif::NodeTemplate> from_catalogue(std::string_view text) {
  const Result<const whatif::NodeShape*> shape = whatif::find_node_shape(text);
  if (!shape) {
    return std::unexpected(shape.error());
  }
  objects::Node node = whatif::node_of(**shape);
  Result<whatif::NodeTemplate> result = template_of(std::move(node), {});
  if (result && (*shape)->memory_mib == 0) {
    result->shape = without_memory_limit(std::move(result->shape));
  }
  return result;
}

std::unexpected<Diagnostics> not_one_node(std::string_view text, std::size_t nodes) {
  return fail("not-one-node",
              fmt::format("{} holds {} nodes, and exactly one is needed to add copies of", quote(text, 200), nodes),
              "a file with one node of a cluster fixture, or one Kubernetes Node");
}

Result<whatif::NodeTemplate> from_file(std::string_view text, Inputs& inputs) {
  Result<io::ClusterInput> input = inputs.file(std::string(text));
  if (!input) {
    return std::unexpected(std::move(input.error()));
  }
  if (input->fixtures.empty()) {
    if (input->dump.nodes.size() != 1) {
      return not_one_node(text, input->dump.nodes.size());
    }
    objects::Node node = input->dump.nodes.front().node;
    Result<io::DumpOptions> options = inputs.dump_options();
    if (!options) {
      return std::unexpected(std::move(options.error()));
    }
    return template_of(std::move(node), std::move(*options));
  }
  io::ModelReader reader;
  for (const io::Document& document : input->fixtures) {
    reader.read_cluster(document);
  }
  Result<io::Model> model = std::move(reader).finish();
  if (!model) {
    return std::unexpected(std::move(model.error()));
  }
  const ClusterShape& shape = model->usage.shape();
  if (shape.nodes.size() != 1 || !input->dump.nodes.empty()) {
    return not_one_node(text, shape.nodes.size() + input->dump.nodes.size());
  }
  return whatif::NodeTemplate{
      std::string(shape.name(NodeId{0})), {}, model->usage.shape_ptr(), model->network.of(NodeId{0})};
}

}  // namespace

Result<ShapePtr> model_of(const objects::Node& node, io::DumpOptions options) {
  const Result<io::Model> model = read_model(node, std::move(options));
  if (!model) {
    return std::unexpected(model.error());
  }
  return model->usage.shape_ptr();
}

Result<whatif::NodeTemplate> read_node_template(std::string_view text, Inputs& inputs) {
  return names_file(text) ? from_file(text, inputs) : from_catalogue(text);
}

}  // namespace gpusched::cli
