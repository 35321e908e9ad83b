#include "systolic/nn/symbol.h"

#include <atomic>

#include "systolic/base/error.h"
#include "systolic/nn/symbol_node.h"

namespace systolic::inline v0 {

std::string shape_text(const Shape& shape) {
  std::vector<std::string> sizes;
  for (const int64_t size : shape) sizes.push_back(size < 0 ? "None" : str(size));
  return str("(", join(sizes), sizes.size() == 1 ? ",)" : ")");
}

Shape known_shape(Shape shape, const Shape& like) {
  for (int axis = 0; axis < shape.rank() && axis < like.rank(); ++axis) {
    if (shape[axis] < 0) shape.set(axis, like[axis]);
  }
  return shape;
}

std::shared_ptr<SymbolNode> make_symbol_node(SymbolNode node) {
  // Only the order counts, and only within one graph.
  static std::atomic<uint64_t> count{0};
  node.number = ++count;
  return std::make_shared<SymbolNode>(std::move(node));
}

const SymbolType& Symbol::type() const { return node_->outputs[static_cast<size_t>(output_)]; }

Symbol input(InputOptions options, SourceLocation location) {
  const Shape& example = options.shape;
  for (const int64_t size : example) {
    if (size < -1 || size == 0) {
      raise<InvalidArgument>({.what = str("Input: shape ", example, " has an axis of ", size),
                              .wanted = "sizes of 1 and more, or -1 for unknown",
                              .location = location});
    }
  }
  SymbolNode node;
  node.input_name = options.name;
  node.rules = {options.default_value, options.values_below, options.masks, options.normalized_by};
  node.outputs = {{options.dtype, example.with_inserted(0, options.batch_size.value_or(-1))}};
  node.location = location;
  return {make_symbol_node(std::move(node)), 0};
}

}  // namespace systolic::inline v0
