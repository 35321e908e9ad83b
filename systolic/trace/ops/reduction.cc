#include "systolic/trace/ops/reduction.h"

#include "systolic/base/error.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/sort_with_positions.h"

namespace systolic::inline v0 {
namespace {

// The shape with the folded axes as 1.
Shape kept(const Shape& shape, const std::vector<int64_t>& axes) {
  Shape result = shape;
  for (int64_t axis : axes) result.set(static_cast<int>(axis), 1);
  return result;
}

ir::Value restored(ir::Value folded, const Shape& shape, const std::vector<int64_t>& axes,
                   bool keepdims) {
  return keepdims ? ir::reshape(folded, kept(shape, axes)) : folded;
}

Tensor fold(const Tensor& x, ir::OpCode code, const ReduceOptions& options, At at) {
  Trace& trace = Trace::current();
  trace.at(at);
  const auto axes = positive_axes(options.axis, x.rank(), at);
  const ir::Value folded = ir::reduce(trace.value_of(x, at), code, axes);
  return wrap(restored(folded, x.shape(), axes, options.keepdims));
}

bool is_narrow_float(DType dtype) { return dtype == DType::bf16 || dtype == DType::f16; }

int64_t folded_elements(const Tensor& x, const ReduceOptions& options, At at) {
  int64_t count = 1;
  for (int64_t axis : positive_axes(options.axis, x.rank(), at))
    count *= x.shape()[static_cast<int>(axis)];
  return count;
}

void check_pred(const Tensor& x, std::string_view name, At at) {
  if (x.dtype() == DType::pred) return;
  raise<InvalidArgument>({.what = str(name, " of ", to_string(x.dtype())),
                          .wanted = "pred",
                          .hint = "compare first: x != 0",
                          .location = at});
}

void check_float(const Tensor& x, std::string_view name, At at) {
  if (is_float(x.dtype()) || is_complex(x.dtype())) return;
  raise<InvalidArgument>({.what = str(name, " of ", to_string(x.dtype())),
                          .wanted = "floats",
                          .hint = "write cast(x, DType::f32)",
                          .location = at});
}

}  // namespace

Tensor sum(const Tensor& x, ReduceOptions options, At at) {
  if (!is_narrow_float(x.dtype())) return fold(x, ir::OpCode::add, options, at);
  return cast(fold(cast({x, at}, DType::f32), ir::OpCode::add, options, at), x.dtype());
}

Tensor mean(const Tensor& x, ReduceOptions options, At at) {
  check_float(x, "mean", at);
  const double count = static_cast<double>(folded_elements(x, options, at));
  if (!is_narrow_float(x.dtype())) return Operand(sum(x, options, at), at) * Operand(1 / count, at);
  return cast(Operand(fold(cast({x, at}, DType::f32), ir::OpCode::add, options, at), at) *
                  Operand(1 / count, at),
              x.dtype());
}

// clang-format off
Tensor prod(const Tensor& x, ReduceOptions options, At at) { return fold(x, ir::OpCode::multiply, options, at); }
Tensor max(const Tensor& x, ReduceOptions options, At at) { return fold(x, ir::OpCode::maximum, options, at); }
Tensor min(const Tensor& x, ReduceOptions options, At at) { return fold(x, ir::OpCode::minimum, options, at); }
// clang-format on

Tensor any(const Tensor& x, ReduceOptions options, At at) {
  check_pred(x, "any", at);
  return fold(x, ir::OpCode::or_, options, at);
}

Tensor All::operator()(const Tensor& x, At at) const { return (*this)(x, {}, at); }
Tensor All::operator()(const Tensor& x, const ReduceOptions& options, At at) const {
  check_pred(x, "all", at);
  return fold(x, ir::OpCode::and_, options, at);
}

Tensor variance(const Tensor& x, ReduceOptions options, At at) {
  check_float(x, "variance", at);
  const Tensor wide = is_narrow_float(x.dtype()) ? cast({x, at}, DType::f32) : x;
  const Tensor centre = mean(wide, {.axis = options.axis, .keepdims = true}, at);
  const Tensor spread = mean(square(Operand(wide, at) - centre), options, at);
  return spread.dtype() == x.dtype() ? spread : cast({spread, at}, x.dtype());
}

Tensor logsumexp(const Tensor& x, ReduceOptions options, At at) {
  check_float(x, "logsumexp", at);
  const Tensor peak = stop_gradient({max(x, {.axis = options.axis, .keepdims = true}, at), at});
  const Tensor total =
      log(sum(exp(Operand(x, at) - peak), {.axis = options.axis, .keepdims = true}, at)) + peak;
  if (options.keepdims) return total;
  std::vector<int> axes;
  for (int64_t axis : positive_axes(options.axis, x.rank(), at))
    axes.push_back(static_cast<int>(axis));
  return axes.empty() ? total : squeeze(total, axes, at);
}

namespace {

// The position of the extreme: equal elements are told apart by the smaller position.
Tensor position_of_extreme(const Tensor& x, int axis, bool largest, At at) {
  const auto positive = static_cast<int>(positive_axis(axis, x.rank(), at));
  const Tensor extreme = largest ? max(x, {.axis = positive, .keepdims = true}, at)
                                 : min(x, {.axis = positive, .keepdims = true}, at);
  const Tensor positions = iota(x.shape(), positive, DType::i32, at);
  const Tensor none = fill({}, static_cast<double>(x.shape()[positive] - 1), DType::i32, at);
  return min(where(Operand(x, at) == extreme, positions, none), {.axis = positive}, at);
}

}  // namespace

Tensor argmax(const Tensor& x, int axis, At at) { return position_of_extreme(x, axis, true, at); }
Tensor argmin(const Tensor& x, int axis, At at) { return position_of_extreme(x, axis, false, at); }

Tensor softmax(const Tensor& x, int axis, At at) {
  check_float(x, "softmax", at);
  const Tensor peak = stop_gradient({max(x, {.axis = axis, .keepdims = true}, at), at});
  const Tensor powers = exp(Operand(x, at) - peak);
  return powers / sum(powers, {.axis = axis, .keepdims = true}, at);
}

Tensor log_softmax(const Tensor& x, int axis, At at) {
  check_float(x, "log_softmax", at);
  const Tensor peak = stop_gradient({max(x, {.axis = axis, .keepdims = true}, at), at});
  const Tensor shifted = Operand(x, at) - peak;
  return shifted - log(sum(exp(shifted), {.axis = axis, .keepdims = true}, at));
}

Tensor cumsum(const Tensor& x, int axis, At at) {
  Trace& trace = Trace::current();
  trace.at(at);
  const auto positive = static_cast<size_t>(positive_axis(axis, x.rank(), at));
  const auto rank = static_cast<size_t>(x.rank());
  ir::WindowAttributes window;
  window.window_dimensions.assign(rank, 1);
  window.window_strides.assign(rank, 1);
  window.base_dilations.assign(rank, 1);
  window.window_dilations.assign(rank, 1);
  window.padding.assign(rank, {0, 0});
  const int64_t size = x.shape()[static_cast<int>(positive)];
  window.window_dimensions[positive] = size;
  window.padding[positive] = {size - 1, 0};
  return wrap(ir::reduce_window(trace.value_of(x, at), ir::OpCode::add, std::move(window)));
}

Sorted sort_with_positions(const Tensor& x, int64_t axis, bool descending, At at) {
  Trace& trace = Trace::current();
  ir::Builder& builder = trace.at(at);
  const ir::Value values = trace.value_of(x, at);
  const ir::Value positions = builder.iota({DType::i32, x.shape()}, axis);
  const ir::Direction direction = descending ? ir::Direction::gt : ir::Direction::lt;
  const ir::Value both[] = {values, positions};
  const auto results = ir::sort(
      both, {.dimension = axis, .is_stable = true},
      [&](std::span<const ir::Value> pair) { return ir::compare(pair[0], pair[1], direction); });
  return {wrap(results[0]), wrap(results[1])};
}

TopK top_k(const Tensor& x, int64_t k, At at) {
  if (x.rank() == 0 || k < 1 || k > x.shape()[-1]) {
    raise<InvalidArgument>({.what = str("top_k of k = ", k, " over shape ", x.shape()),
                            .wanted = "1 to the size of the last axis",
                            .location = at});
  }
  const Sorted sorted = sort_with_positions(x, x.rank() - 1, true, at);
  Shape begin(std::vector<int64_t>(static_cast<size_t>(x.rank()), 0));
  Shape size = x.shape();
  size.set(-1, k);
  return {slice(sorted.values, begin, size, at), slice(sorted.positions, begin, size, at)};
}

Tensor sort(const Tensor& x, int axis, bool descending, At at) {
  return sort_with_positions(x, positive_axis(axis, x.rank(), at), descending, at).values;
}

}  // namespace systolic::inline v0
