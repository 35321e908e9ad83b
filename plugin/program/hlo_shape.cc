#include "plugin/program/hlo_shape.h"

#include "plugin/program/axes_order.h"
#include "plugin/program/held_type.h"

namespace systolic::inline v0 {
namespace plugin {

using protobuf::Message;

// ShapeProto: element_type 2, dimensions 3, layout 5, is_dynamic_dimension 6; LayoutProto:
// minor_to_major 1.
Message hlo_shape(abi::ElementType element, const std::vector<int64_t>& sizes,
                  const std::vector<int64_t>& minor_to_major) {
  Message shape;
  shape.integer(2, primitive_type(element));
  if (element == pjrt::abi::ElementType::token) return shape;
  shape.integers(3, sizes);
  for (size_t i = 0; i < sizes.size(); ++i) shape.integer(6, 0);
  return shape.message(5, Message().integers(1, minor_to_major));
}

Message hlo_shape(abi::ElementType element, const std::vector<int64_t>& sizes) {
  return hlo_shape(element, sizes, row_major(sizes.size()));
}

// ShapeProto: tuple_shapes 4.
Message hlo_shape(const std::vector<Message>& arrays) {
  constexpr int64_t tuple_type = 13;
  if (arrays.size() == 1) return arrays[0];
  Message shape;
  shape.integer(2, tuple_type);
  for (const Message& array : arrays) shape.message(4, array);
  return shape;
}

}  // namespace plugin
}  // namespace systolic::inline v0
