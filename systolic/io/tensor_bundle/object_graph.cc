#include "systolic/io/tensor_bundle/object_graph.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/base/protobuf/wire.h"

namespace systolic::inline v0 {
namespace io {
namespace {

using Node = ObjectGraph::Node;

// Messages of which the number and text fields are wanted. False where one is damaged.
bool read_graph_part(std::string_view message, size_t* numbers[], std::string* texts[],
                     uint32_t fields) {
  protobuf::WireReader reader(message);
  while (!reader.at_end()) {
    uint32_t field = 0;
    protobuf::WireType type{};
    uint64_t number = 0;
    std::string_view text;
    if (!reader.read_tag(field, type)) return false;
    if (field <= fields && type == protobuf::WireType::varint && numbers[field - 1] != nullptr) {
      if (!reader.read_varint(number)) return false;
      *numbers[field - 1] = static_cast<size_t>(number);
    } else if (field <= fields && type == protobuf::WireType::bytes &&
               texts[field - 1] != nullptr) {
      if (!reader.read_bytes(text)) return false;
      *texts[field - 1] = text;
    } else if (!reader.skip(type)) {
      return false;
    }
  }
  return true;
}

bool read_graph_child(std::string_view message, ObjectGraph::Child& child) {
  size_t* numbers[] = {&child.node, nullptr};
  std::string* texts[] = {nullptr, &child.name};
  return read_graph_part(message, numbers, texts, 2);
}

bool read_graph_attribute(std::string_view message, ObjectGraph::Attribute& attribute) {
  size_t* numbers[] = {nullptr, nullptr, nullptr};
  std::string* texts[] = {&attribute.name, &attribute.full_name, &attribute.checkpoint_key};
  return read_graph_part(message, numbers, texts, 3);
}

bool read_graph_slot(std::string_view message, ObjectGraph::Slot& slot) {
  size_t* numbers[] = {&slot.variable, nullptr, &slot.value};
  std::string* texts[] = {nullptr, &slot.name, nullptr};
  return read_graph_part(message, numbers, texts, 3);
}

bool read_graph_node(std::string_view message, Node& node) {
  protobuf::WireReader reader(message);
  while (!reader.at_end()) {
    uint32_t field = 0;
    protobuf::WireType type{};
    std::string_view part;
    if (!reader.read_tag(field, type)) return false;
    if (field > 3 || type != protobuf::WireType::bytes) {
      if (!reader.skip(type)) return false;
      continue;
    }
    if (!reader.read_bytes(part)) return false;
    const bool whole = field == 1   ? read_graph_child(part, node.children.emplace_back())
                       : field == 2 ? read_graph_attribute(part, node.attributes.emplace_back())
                                    : read_graph_slot(part, node.slots.emplace_back());
    if (!whole) return false;
  }
  return true;
}

bool read_graph(std::string_view message, ObjectGraph& graph) {
  protobuf::WireReader reader(message);
  while (!reader.at_end()) {
    uint32_t field = 0;
    protobuf::WireType type{};
    std::string_view node;
    if (!reader.read_tag(field, type)) return false;
    const bool is_node = field == 1 && type == protobuf::WireType::bytes;
    if (!is_node && !reader.skip(type)) return false;
    if (is_node && !(reader.read_bytes(node) && read_graph_node(node, graph.nodes.emplace_back())))
      return false;
  }
  return true;
}

// Whether every number of a node is one of a node.
bool points_inside(const ObjectGraph& graph) {
  const size_t count = graph.nodes.size();
  return std::all_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return std::all_of(node.children.begin(), node.children.end(),
                       [&](const auto& child) { return child.node < count; }) &&
           std::all_of(node.slots.begin(), node.slots.end(), [&](const auto& slot) {
             return slot.variable < count && slot.value < count;
           });
  });
}

void put_number(uint32_t field, size_t number, std::string& out) {
  protobuf::append_tag(field, protobuf::WireType::varint, out);
  protobuf::append_varint(number, out);
}

void put_text(uint32_t field, std::string_view text, std::string& out) {
  protobuf::append_bytes_header(field, text.size(), out);
  out += text;
}

std::string encode_graph_node(const Node& node) {
  std::string out;
  for (const auto& child : node.children) {
    std::string part;
    put_number(1, child.node, part);
    put_text(2, child.name, part);
    put_text(1, part, out);
  }
  for (const auto& attribute : node.attributes) {
    std::string part;
    put_text(1, attribute.name, part);
    put_text(2, attribute.full_name, part);
    put_text(3, attribute.checkpoint_key, part);
    put_text(2, part, out);
  }
  for (const auto& slot : node.slots) {
    std::string part;
    put_number(1, slot.variable, part);
    put_text(2, slot.name, part);
    put_number(3, slot.value, part);
    put_text(3, part, out);
  }
  return out;
}

}  // namespace

std::optional<size_t> ObjectGraph::find(std::string_view path) const {
  if (nodes.empty()) return std::nullopt;
  size_t node = 0;
  for (const std::string& name : split(path, '/')) {
    const auto& children = nodes[node].children;
    const auto found = std::find_if(children.begin(), children.end(),
                                    [&](const Child& child) { return child.name == name; });
    if (found == children.end()) return std::nullopt;
    node = found->node;
  }
  return node;
}

ObjectGraph parse_object_graph(std::string_view message, const std::string& path,
                               SourceLocation location) {
  ObjectGraph graph;
  if (!read_graph(message, graph)) {
    raise<DataLoss>(
        {.what = str("'", path, "': its graph of objects is damaged"), .location = location});
  }
  if (points_inside(graph)) return graph;
  raise<DataLoss>({.what = str("'", path, "': its graph of ", graph.nodes.size(),
                               " objects points to others than these"),
                   .location = location});
}

std::string encode_object_graph(const ObjectGraph& graph) {
  std::string out;
  for (const Node& node : graph.nodes) put_text(1, encode_graph_node(node), out);
  return out;
}

ObjectGraph read_object_graph(const TensorBundle& bundle, SourceLocation location) {
  const auto& tensors = bundle.tensors();
  const auto found = std::find_if(tensors.begin(), tensors.end(), [](const TensorInfo& tensor) {
    return tensor.name == object_graph_key && tensor.dtype == DType::string &&
           tensor.shape == Shape{};
  });
  if (found == tensors.end()) {
    raise<NotFound>({.what = str("'", bundle.path(), "' has no graph of objects"),
                     .hint = "it is of TensorFlow 1: its arrays bear the variables' own names",
                     .location = location});
  }
  const Literal graph = bundle.read(static_cast<size_t>(found - tensors.begin()), location);
  return parse_object_graph(graph.bytes(), bundle.path(), location);
}

}  // namespace io
}  // namespace systolic::inline v0
