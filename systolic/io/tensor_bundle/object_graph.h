// Which objects a TensorFlow checkpoint was saved from: the TrackableObjectGraph that lies in it as
// the string "_CHECKPOINTABLE_OBJECT_GRAPH"
// (tensorflow/core/protobuf/trackable_object_graph.proto).
//
//   const io::ObjectGraph graph = io::read_object_graph(*bundle);
//   const auto node = graph.find("layer_with_weights-0/kernel");
//   graph.nodes[*node].attributes[0].full_name          // "dense/kernel"
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/io/tensor_bundle/tensor_bundle.h"

namespace systolic::inline v0 {
namespace io {

inline constexpr std::string_view object_graph_key = "_CHECKPOINTABLE_OBJECT_GRAPH";

struct ObjectGraph {
  // An object under the name of a member of another: "kernel", "layer_with_weights-0".
  struct Child {
    std::string name;
    size_t node = 0;
  };
  // An array of an object: name "VARIABLE_VALUE", the variable's own name "dense/kernel", and the
  // name in the checkpoint, "layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE".
  struct Attribute {
    std::string name, full_name, checkpoint_key;
  };
  // What an optimizer keeps beside a variable: "m" of the kernel.
  struct Slot {
    size_t variable = 0;  // a node, as is
    size_t value = 0;
    std::string name;
  };
  struct Node {
    std::vector<Child> children;
    std::vector<Attribute> attributes;
    std::vector<Slot> slots;
  };
  std::vector<Node> nodes;  // the first is the root

  // The node that is reached from the root by these names of children: "optimizer/iter".
  std::optional<size_t> find(std::string_view path) const;
};

// Numbers of nodes that are not there and bytes that are no such message are a DataLoss that names
// `path`, the checkpoint.
ObjectGraph parse_object_graph(std::string_view message, const std::string& path,
                               SourceLocation location = SourceLocation::current());
std::string encode_object_graph(const ObjectGraph& graph);

// That of a checkpoint; one without, as TensorFlow 1 wrote them, is a NotFound.
ObjectGraph read_object_graph(const TensorBundle& bundle,
                              SourceLocation location = SourceLocation::current());

}  // namespace io
}  // namespace systolic::inline v0
