#include "systolic/trace/ops/creation.h"

#include "systolic/trace/operand.h"

namespace systolic::inline v0 {

Tensor fill(const Shape& shape, double value, DType dtype, At at) {
  return wrap(Trace::current().at(at).filled(dtype, shape, value));
}

Tensor zeros(const Shape& shape, DType dtype, At at) { return fill(shape, 0, dtype, at); }
Tensor ones(const Shape& shape, DType dtype, At at) { return fill(shape, 1, dtype, at); }
Tensor zeros_like(const Tensor& x, At at) { return fill(x.shape(), 0, x.dtype(), at); }
Tensor ones_like(const Tensor& x, At at) { return fill(x.shape(), 1, x.dtype(), at); }

Tensor iota(const Shape& shape, int axis, DType dtype, At at) {
  return wrap(Trace::current().at(at).iota({dtype, shape}, positive_axis(axis, shape.rank(), at)));
}

Tensor range(int64_t limit, DType dtype, At at) { return iota(Shape{limit}, 0, dtype, at); }

Tensor eye(int64_t rows, DType dtype, At at) {
  ir::Builder& builder = Trace::current().at(at);
  const ir::Type type{DType::i32, {rows, rows}};
  const ir::Value same =
      ir::compare(builder.iota(type, 0), builder.iota(type, 1), ir::Direction::eq);
  return wrap(ir::convert(same, dtype));
}

}  // namespace systolic::inline v0
