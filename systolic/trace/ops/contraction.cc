#include "systolic/trace/ops/contraction.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/ir/window.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {
namespace {

void check_same_type(const Tensor& a, const Tensor& b, std::string_view name, At at) {
  if (a.dtype() == b.dtype()) return;
  raise<InvalidArgument>(
      {.what = str(name, " of ", to_string(a.dtype()), " and ", to_string(b.dtype())),
       .wanted = "one element type",
       .hint = str("write cast(x, DType::", to_string(a.dtype()), ") for the second"),
       .location = at});
}

// Leading axes of both, broadcast to one shape.
Tensor with_batch(const Tensor& x, const Shape& batch, At at) {
  std::vector<int64_t> dims = batch.to_vector();
  dims.insert(dims.end(), {x.shape()[-2], x.shape()[-1]});
  const Shape wanted(dims);
  return x.shape() == wanted ? x : wrap(ir::broadcast_to(Trace::current().value_of(x, at), wanted));
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b, MatmulOptions options, At at) {
  check_same_type(a, b, "matmul", at);
  const int inner_a = options.transpose_a ? -2 : -1, inner_b = options.transpose_b ? -1 : -2;
  if (a.rank() < 2 || b.rank() < 2 || a.shape()[inner_a] != b.shape()[inner_b]) {
    raise<InvalidArgument>(
        {.what = str("matmul of shapes ", a.shape(), options.transpose_a ? " (transposed)" : "",
                     " and ", b.shape(), options.transpose_b ? " (transposed)" : ""),
         .wanted = "[..., m, k] and [..., k, n] with one k",
         .location = at});
  }
  Trace& trace = Trace::current();
  trace.at(at);
  // A matrix without leading axes on the right serves all of the left: one contraction, nothing
  // broadcast.
  const bool shared_right = b.rank() == 2;
  const Shape batch_a = a.shape().slice(0, a.rank() - 2),
              batch_b = b.shape().slice(0, b.rank() - 2);
  ir::DotAttributes dot;
  ir::Value left, right;
  if (shared_right) {
    left = trace.value_of(a, at);
    right = trace.value_of(b, at);
  } else {
    const Shape batch = broadcast_shape(batch_a, batch_b, at);
    left = trace.value_of(with_batch(a, batch, at), at);
    right = trace.value_of(with_batch(b, batch, at), at);
    for (int axis = 0; axis < batch.rank(); ++axis) {
      dot.lhs_batching_dimensions.push_back(axis);
      dot.rhs_batching_dimensions.push_back(axis);
    }
  }
  dot.lhs_contracting_dimensions = {left.rank() + inner_a};
  dot.rhs_contracting_dimensions = {right.rank() + inner_b};
  return wrap(ir::dot_general(left, right, dot));
}

namespace {

struct Equation {
  bool complete = false;  // has its comma and its arrow
  std::string left, right, result;
};

bool has_repeats(std::string letters) {
  std::sort(letters.begin(), letters.end());
  return std::adjacent_find(letters.begin(), letters.end()) != letters.end();
}

Equation parse_equation(std::string_view text, const Tensor& a, const Tensor& b, At at) {
  const size_t comma = text.find(','), arrow = text.find("->");
  Equation equation;
  if (comma != std::string_view::npos && arrow != std::string_view::npos && comma < arrow) {
    equation.complete = true;
    equation.left = trim(text.substr(0, comma));
    equation.right = trim(text.substr(comma + 1, arrow - comma - 1));
    equation.result = trim(text.substr(arrow + 2));
  }
  if (!equation.complete || static_cast<int>(equation.left.size()) != a.rank() ||
      static_cast<int>(equation.right.size()) != b.rank() || has_repeats(equation.left) ||
      has_repeats(equation.right)) {
    raise<InvalidArgument>(
        {.what = str("einsum \"", text, "\" of shapes ", a.shape(), " and ", b.shape()),
         .wanted =
             "two operands with a letter of its own for each axis, such as \"bqhd,bkhd->bhqk\"",
         .location = at});
  }
  return equation;
}

bool has(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

int64_t place(const std::string& letters, char letter) {
  return static_cast<int64_t>(letters.find(letter));
}

}  // namespace

Tensor einsum(std::string_view text, const Tensor& a, const Tensor& b, At at) {
  check_same_type(a, b, "einsum", at);
  const Equation equation = parse_equation(text, a, b, at);
  ir::DotAttributes dot;
  std::string order;  // the letters of dot_general's result
  std::string rest_left, rest_right;
  for (char letter : equation.left) {
    if (!has(equation.right, letter)) {
      rest_left += letter;
    } else if (has(equation.result, letter)) {
      dot.lhs_batching_dimensions.push_back(place(equation.left, letter));
      dot.rhs_batching_dimensions.push_back(place(equation.right, letter));
      order += letter;
    } else {
      dot.lhs_contracting_dimensions.push_back(place(equation.left, letter));
      dot.rhs_contracting_dimensions.push_back(place(equation.right, letter));
    }
  }
  for (char letter : equation.right) {
    if (!has(equation.left, letter)) rest_right += letter;
  }
  order += rest_left + rest_right;
  std::vector<int64_t> permutation;
  for (char letter : equation.result) permutation.push_back(place(order, letter));
  if (!std::is_permutation(order.begin(), order.end(), equation.result.begin(),
                           equation.result.end())) {
    raise<InvalidArgument>(
        {.what = str("einsum \"", text, "\""),
         .wanted = str("the letters ", order, " in the result"),
         .hint = "sum over an axis of one operand with sum(x, {.axis = ...}) first",
         .location = at});
  }
  Trace& trace = Trace::current();
  trace.at(at);
  const ir::Value product = ir::dot_general(trace.value_of(a, at), trace.value_of(b, at), dot);
  return wrap(order == equation.result ? product : ir::transpose(product, permutation));
}

std::pair<int64_t, int64_t> same_padding(int64_t size, int64_t window, int64_t stride,
                                         int64_t dilation) {
  const int64_t outputs = (size + stride - 1) / stride;
  const int64_t total =
      std::max<int64_t>(0, (outputs - 1) * stride + (window - 1) * dilation + 1 - size);
  return {total / 2, total - total / 2};
}

Tensor convolution(const Tensor& x, const Tensor& kernel, ConvolutionOptions options, At at) {
  check_same_type(x, kernel, "convolution", at);
  const int spatial = x.rank() - 2;
  if (spatial < 1 || spatial > 3 || kernel.rank() != x.rank()) {
    raise<InvalidArgument>(
        {.what = str("convolution of shapes ", x.shape(), " and ", kernel.shape()),
         .wanted =
             "[batch, spatial..., in] and [spatial..., in / groups, out], 1 to 3 spatial axes",
         .location = at});
  }
  if (kernel.shape()[-2] * options.groups != x.shape()[-1]) {
    raise<InvalidArgument>(
        {.what = str("convolution of ", x.shape()[-1], " input channels with a kernel for ",
                     kernel.shape()[-2], " in each of ", options.groups, " groups"),
         .wanted = "input channels = kernel channels * groups",
         .location = at});
  }
  ir::ConvolutionAttributes attributes = ir::channels_last_convolution(spatial);
  if (!options.strides.empty()) attributes.window_strides = options.strides;
  if (!options.dilation.empty()) attributes.rhs_dilation = options.dilation;
  if (!options.padding.empty()) attributes.padding = options.padding;
  if (!options.input_dilation.empty()) attributes.lhs_dilation = options.input_dilation;
  attributes.feature_group_count = options.groups;
  Trace& trace = Trace::current();
  trace.at(at);
  return wrap(
      ir::convolution(trace.value_of(x, at), trace.value_of(kernel, at), std::move(attributes)));
}

namespace {

// The window over [batch, spatial..., channels].
ir::WindowAttributes window_of(const Tensor& x, const PoolOptions& options, std::string_view name,
                               At at) {
  const auto spatial = static_cast<size_t>(std::max(0, x.rank() - 2));
  if (options.window.size() != spatial || spatial == 0) {
    raise<InvalidArgument>({.what = str(name, " of shape ", x.shape(), " with a window of ",
                                        options.window.size(), " axes"),
                            .wanted = "[batch, spatial..., channels] and one size a spatial axis",
                            .location = at});
  }
  const auto rank = static_cast<size_t>(x.rank());
  ir::WindowAttributes window;
  window.window_dimensions.assign(rank, 1);
  window.window_strides.assign(rank, 1);
  window.base_dilations.assign(rank, 1);
  window.window_dilations.assign(rank, 1);
  window.padding.assign(rank, {0, 0});
  for (size_t i = 0; i < spatial; ++i) {
    window.window_dimensions[i + 1] = options.window[i];
    window.window_strides[i + 1] = options.strides.empty() ? options.window[i] : options.strides[i];
    if (!options.padding.empty()) window.padding[i + 1] = options.padding[i];
  }
  return window;
}

}  // namespace

Tensor max_pool(const Tensor& x, PoolOptions options, At at) {
  Trace& trace = Trace::current();
  trace.at(at);
  return wrap(ir::reduce_window(trace.value_of(x, at), ir::OpCode::maximum,
                                window_of(x, options, "max_pool", at)));
}

Tensor average_pool(const Tensor& x, PoolOptions options, At at) {
  Trace& trace = Trace::current();
  trace.at(at);
  const ir::WindowAttributes window = window_of(x, options, "average_pool", at);
  // Sums of f16 end at 65504.
  if (x.dtype() == DType::f16 || x.dtype() == DType::bf16)
    return cast({average_pool(cast({x, at}, DType::f32), options, at), at}, x.dtype());
  const Tensor total = wrap(ir::reduce_window(trace.value_of(x, at), ir::OpCode::add, window));
  const bool padded = std::any_of(window.padding.begin(), window.padding.end(),
                                  [](const auto& side) { return side.first + side.second > 0; });
  if (!padded) {
    double count = 1;
    for (int64_t size : options.window) count *= static_cast<double>(size);
    return Operand(total, at) * Operand(1 / count, at);
  }
  // How many elements lie inside each window: the same sum, over one image of ones.
  Shape one_image = x.shape();
  one_image.set(0, 1);
  one_image.set(-1, 1);
  const Tensor inside = wrap(ir::reduce_window(trace.value_of(ones(one_image, x.dtype(), at), at),
                                               ir::OpCode::add, window));
  return Operand(total, at) / inside;
}

}  // namespace systolic::inline v0
