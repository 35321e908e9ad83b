// Ops whose sizes are operands: they become the static ops where the sizes are known while
// importing, or follow from the type of the result.
#include "systolic/base/error.h"
#include "systolic/stablehlo/import/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// The numbers that an operand is known to hold.
std::optional<ir::Axes> known_numbers(const OpImport& op, size_t i) {
  const Literal* literal = op.importer().constant(op.operand(i).id());
  if (literal == nullptr) return std::nullopt;
  ir::Axes numbers;
  for (int64_t k = 0; k < literal->size(); ++k) numbers.push_back(literal->integer_at(k));
  return numbers;
}

ir::Axes numbers(const OpImport& op, size_t i) {
  std::optional<ir::Axes> known = known_numbers(op, i);
  if (!known) {
    op.lack(str("operand ", i, " is not known while importing"),
            "sizes must follow from constants and from the shapes of the arguments");
  }
  return *known;
}

// The result's type, with the sizes that an operand gives.
ir::Type sized_type(const OpImport& op, size_t sizes) {
  ir::Type type = op.written();
  const std::optional<ir::Axes> known = known_numbers(op, sizes);
  if (!known) return op.static_type();
  if (static_cast<int>(known->size()) != type.shape.rank()) {
    op.fail(str("operand ", sizes), str(known->size(), " sizes"), str(type.shape.rank()));
  }
  for (int axis = 0; axis < type.shape.rank(); ++axis) {
    const int64_t size = (*known)[static_cast<size_t>(axis)];
    if (size < 0) op.fail(str("operand ", sizes), str("size ", size), "sizes of 0 or more");
    type.shape.set(axis, size);
  }
  return type;
}

}  // namespace

void import_get_dimension_size(OpImport& op) {
  const ir::Value x = op.operand(0);
  const int64_t axis = op.integer("dimension");
  if (axis < 0 || axis >= x.rank()) {
    op.fail("dimension", str(axis), str("an axis of ", to_string(x.type())));
  }
  const auto size = static_cast<int32_t>(x.shape()[static_cast<int>(axis)]);
  op.set(op.builder().constant(Literal::scalar(size)));
}

void import_set_dimension_size(OpImport& op) {
  const ir::Value x = op.operand(0);
  const int64_t axis = op.integer("dimension");
  const ir::Axes size = numbers(op, 1);
  const bool whole = axis >= 0 && axis < x.rank() && size.size() == 1 &&
                     size[0] == x.shape()[static_cast<int>(axis)];
  if (!whole) op.lack("arrays that are smaller than their type says");
  op.set(x);
}

void import_dynamic_shape(OpImport& op) {
  switch (op.code()) {
    case ir::OpCode::iota:
      return op.set(op.builder().iota(sized_type(op, 0), op.integer("iota_dimension")));
    case ir::OpCode::reshape:
      return op.set(ir::reshape(op.operand(0), sized_type(op, 1).shape));
    default:
      return op.set(ir::broadcast_in_dim(op.operand(0), sized_type(op, 1).shape,
                                         op.axes("broadcast_dimensions")));
  }
}

void import_dynamic_gather(OpImport& op) {
  ir::GatherAttributes attributes = gather_attributes(op);
  attributes.slice_sizes = numbers(op, 2);
  op.set(ir::gather(op.operand(0), op.operand(1), std::move(attributes)));
}

void import_dynamic_pad(OpImport& op) {
  op.set(ir::pad(op.operand(0), op.operand(1), numbers(op, 2), numbers(op, 3), numbers(op, 4)));
}

void import_real_dynamic_slice(OpImport& op) {
  op.set(ir::slice(op.operand(0), numbers(op, 1), numbers(op, 2), numbers(op, 3)));
}

void import_dynamic_conv(OpImport& op) {
  const ir::Axes flat = numbers(op, 2);
  ir::ConvolutionAttributes attributes = convolution_attributes(op);
  if (flat.size() != 2 * attributes.padding.size()) {
    op.fail("operand 2", str(flat.size(), " numbers"), str(2 * attributes.padding.size()));
  }
  for (size_t i = 0; i < attributes.padding.size(); ++i) {
    attributes.padding[i] = {flat[2 * i], flat[2 * i + 1]};
  }
  op.set(op.add(ir::OpCode::convolution, {op.operand(0), op.operand(1)}, std::move(attributes), {},
                {{op.result_dtype(), {}}}));
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
