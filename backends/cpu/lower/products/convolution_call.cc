#include "backends/cpu/lower/products/convolution_call.h"

#include <algorithm>

#include "backends/cpu/lower/products/convolution_flops.h"
#include "systolic/ir/window.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

constexpr size_t spatial_axes = 3;  // depth, height, width

// One spatial axis; images of fewer axes get first ones of size 1, which change nothing.
struct Window : WindowAxis {
  int64_t input = 1, output = 1;
  bool reversed = false;
};
using Windows = std::array<Window, spatial_axes>;

struct Operands {
  View input, kernel;  // [batch, depth, height, width, feature], [depth, height, width, in, out]
  Windows windows;
  int64_t feature_groups = 1, batch_groups = 1;
};

using ViewAxes = std::array<int64_t, spatial_axes + 2>;

// The view with its axes in the given order; -1 stands for a new axis of size 1.
View reordered(const View& view, const ViewAxes& axes) {
  View result{.place = view.place, .offset = view.offset};
  std::vector<int64_t> dims;
  for (int64_t axis : axes) {
    dims.push_back(axis < 0 ? 1 : view.type.shape[static_cast<int>(axis)]);
    result.strides.push_back(axis < 0 ? 0 : view.strides[static_cast<size_t>(axis)]);
  }
  result.type = {view.type.dtype, Shape(dims)};
  return result;
}

// The kernel along axis i, read from its other end: the same elements under the same inputs.
void turn(Operands& operands, size_t i) {
  View& kernel = operands.kernel;
  kernel.offset += (operands.windows[i].window - 1) * kernel.strides[i];
  kernel.strides[i] = -kernel.strides[i];
  operands.windows[i].reversed = !operands.windows[i].reversed;
}

// The operands with windows that all read the kernel from its last element to its first, as the
// gradient of the input does, or none: a view of the kernel either way.
Operands turned(Operands operands, bool reversed) {
  for (size_t i = 0; i < spatial_axes; ++i) {
    if (operands.windows[i].window > 1 && operands.windows[i].reversed != reversed) {
      turn(operands, i);
    }
  }
  return operands;
}

std::optional<Operands> read_operands(Planner& planner, const ir::Op& op) {
  const auto& a = op.get<ir::ConvolutionAttributes>();
  const size_t rank = a.input_spatial_dimensions.size();
  if (rank < 1 || rank > spatial_axes) return std::nullopt;
  Operands operands;
  operands.feature_groups = a.feature_group_count;
  operands.batch_groups = a.batch_group_count;
  const Shape& output = planner.type(op.results[0]).shape;
  const View& input = planner.view(op.operands[0]);
  const View& kernel = planner.view(op.operands[1]);
  ViewAxes input_axes{a.input_batch_dimension, -1, -1, -1, a.input_feature_dimension};
  ViewAxes kernel_axes{-1, -1, -1, a.kernel_input_feature_dimension,
                       a.kernel_output_feature_dimension};
  for (size_t i = 0; i < rank; ++i) {
    const size_t k = i + spatial_axes - rank;
    input_axes[k + 1] = a.input_spatial_dimensions[i];
    kernel_axes[k] = a.kernel_spatial_dimensions[i];
    operands.windows[k] = {
        ir::window_axis(a, i, kernel.type.shape),
        input.type.shape[static_cast<int>(a.input_spatial_dimensions[i])],
        output[static_cast<int>(a.output_spatial_dimensions[i])],
        a.window_reversal[i],
    };
  }
  operands.input = reordered(input, input_axes);
  operands.kernel = reordered(kernel, kernel_axes);
  return operands;
}

bool all_windows(const Operands& operands, bool (*test)(const Window&)) {
  return std::all_of(operands.windows.begin(), operands.windows.end(), test);
}

// The axes of the op's result among those of (batch, depth, height, width, feature).
ir::Axes output_axes(const ir::ConvolutionAttributes& a, const ViewAxes& meaning) {
  const size_t rank = a.output_spatial_dimensions.size();
  ir::Axes axes(rank + 2);
  axes[static_cast<size_t>(a.output_batch_dimension)] = meaning.front();
  axes[static_cast<size_t>(a.output_feature_dimension)] = meaning.back();
  for (size_t i = 0; i < rank; ++i) {
    axes[static_cast<size_t>(a.output_spatial_dimensions[i])] =
        meaning[i + 1 + spatial_axes - rank];
  }
  return axes;
}

// What the forward pass has along one axis.
struct ForwardAxis {
  int64_t size, outputs;
  int64_t window, stride, dilation;
  int64_t low, high;  // padding
};

// Padding after the last element such that the forward pass has as many outputs as it should.
int64_t padding_after(const ForwardAxis& axis) {
  const int64_t span = (axis.window - 1) * axis.dilation + 1;
  return std::max<int64_t>(0, (axis.outputs - 1) * axis.stride + span - axis.size - axis.low);
}

ForwardAxis padded_after(ForwardAxis axis) {
  axis.high = padding_after(axis);
  return axis;
}

// The sizes along the axes of the forward pass, where it is one that has the outputs it should.
template <class Axis>
std::optional<kernels::ConvolutionShape> forward_shape(const Operands& o, Axis axis_of) {
  const ForwardAxis d = axis_of(o.windows[0]), v = axis_of(o.windows[1]), h = axis_of(o.windows[2]);
  if (std::min({d.low, d.high, v.low, v.high, h.low, h.high}) < 0) return std::nullopt;
  const kernels::ConvolutionShape shape{.height = v.size,
                                        .width = h.size,
                                        .kernel_height = v.window,
                                        .kernel_width = h.window,
                                        .stride_height = v.stride,
                                        .stride_width = h.stride,
                                        .pad_top = v.low,
                                        .pad_bottom = v.high,
                                        .pad_left = h.low,
                                        .pad_right = h.high,
                                        .dilation_height = v.dilation,
                                        .dilation_width = h.dilation,
                                        .depth = d.size,
                                        .kernel_depth = d.window,
                                        .stride_depth = d.stride,
                                        .dilation_depth = d.dilation,
                                        .pad_front = d.low,
                                        .pad_back = d.high};
  const bool consistent = shape.out_depth() == d.outputs && shape.out_height() == v.outputs &&
                          shape.out_width() == h.outputs;
  return consistent ? std::optional(shape) : std::nullopt;
}

std::optional<ConvolutionCall> as_forward(const Operands& given,
                                          const ir::ConvolutionAttributes& a) {
  const Operands o = turned(given, false);
  const bool plain = all_windows(o, [](const Window& w) { return w.base_dilation == 1; });
  if (!plain || o.batch_groups != 1) return std::nullopt;
  const auto shape = forward_shape(o, [](const Window& w) {
    return ForwardAxis{w.input,           w.output,      w.window,      w.stride,
                       w.window_dilation, w.padding_low, w.padding_high};
  });
  if (!shape) return std::nullopt;
  ConvolutionCall call{.kind = ConvolutionCall::Kind::forward, .shape = *shape};
  const int64_t batch = o.input.type.shape[0], out = o.kernel.type.shape[4];
  call.shape.batch = batch;
  call.shape.in_channels = o.input.type.shape[4];
  call.shape.out_channels = out;
  call.shape.groups = o.feature_groups;
  call.first = o.input;
  call.second = o.kernel;
  const auto& [d, v, h] = o.windows;
  call.output = {o.input.type.dtype, Shape{batch, d.output, v.output, h.output, out}};
  call.result_axes = output_axes(a, {0, 1, 2, 3, 4});
  return call;
}

// [depth, height, width, out / groups, in] of the gradient's kernel as the forward pass has it:
// [depth, height, width, in / groups, out]. Both count the groups in their last axis.
View forward_kernel(Planner& planner, const View& kernel, int64_t groups) {
  const Shape& shape = kernel.type.shape;
  if (groups == 1) return reordered(kernel, {0, 1, 2, 4, 3});
  const int64_t per_out = shape[3], per_in = shape[4] / groups;
  View split{
      .place = kernel.place,
      .type = {kernel.type.dtype, Shape{shape[0], shape[1], shape[2], per_in, groups, per_out}},
      .offset = kernel.offset};
  split.strides = {kernel.strides[0], kernel.strides[1],          kernel.strides[2],
                   kernel.strides[4], kernel.strides[4] * per_in, kernel.strides[3]};
  const ir::Type type{kernel.type.dtype,
                      Shape{shape[0], shape[1], shape[2], per_in, groups * per_out}};
  const PlaceId copy = planner.temporary(type.bytes());
  planner.emit_copy(split, copy, "regroup kernel");
  return dense_view(copy, type);
}

std::optional<ConvolutionCall> as_data_gradient(Planner& planner, const Operands& given,
                                                const ir::ConvolutionAttributes& a) {
  const Operands o = turned(given, true);
  const bool backward = all_windows(o, [](const Window& w) { return w.stride == 1; });
  if (!backward || o.batch_groups != 1) return std::nullopt;
  const auto shape = forward_shape(o, [](const Window& w) {
    return padded_after({w.output, w.input, w.window, w.base_dilation, w.window_dilation,
                         w.reach() - 1 - w.padding_low, 0});
  });
  if (!shape) return std::nullopt;
  ConvolutionCall call{.kind = ConvolutionCall::Kind::data, .shape = *shape};
  const int64_t batch = o.input.type.shape[0], in = o.kernel.type.shape[4];
  call.shape.batch = batch;
  call.shape.in_channels = in;
  call.shape.out_channels = o.input.type.shape[4];
  call.shape.groups = o.feature_groups;
  call.first = o.input;
  call.second = forward_kernel(planner, o.kernel, o.feature_groups);
  const auto& [d, v, h] = o.windows;
  call.output = {o.input.type.dtype, Shape{batch, d.output, v.output, h.output, in}};
  call.result_axes = output_axes(a, {0, 1, 2, 3, 4});
  return call;
}

// A window that is the image: the sum runs over the positions of another image.
bool sums_over_image(const Operands& o) {
  int64_t window = 1, outputs = 1;
  for (const Window& w : o.windows) {
    window *= w.window;
    outputs *= w.output;
  }
  return window > outputs;
}

// The op's batch is the input channels, its features the batch, its window dy.
std::optional<ConvolutionCall> as_weight_gradient(const Operands& given,
                                                  const ir::ConvolutionAttributes& a) {
  const Operands o = turned(given, false);
  const bool plain = all_windows(o, [](const Window& w) { return w.base_dilation == 1; });
  // Windows side by side are patches of an image, however large they are.
  const bool patches = all_windows(o, [](const Window& w) { return w.stride >= w.window; });
  if (!plain || !sums_over_image(o) || patches || o.feature_groups != 1) return std::nullopt;
  const auto shape = forward_shape(o, [](const Window& w) {
    return padded_after(
        {w.input, w.window, w.output, w.window_dilation, w.stride, w.padding_low, 0});
  });
  if (!shape) return std::nullopt;
  ConvolutionCall call{.kind = ConvolutionCall::Kind::weights, .shape = *shape};
  const int64_t in = o.input.type.shape[0], out = o.kernel.type.shape[4];
  call.shape.batch = o.input.type.shape[4];
  call.shape.in_channels = in;
  call.shape.out_channels = out;
  call.shape.groups = o.batch_groups;
  call.first = reordered(o.input, {4, 1, 2, 3, 0});
  call.second = reordered(o.kernel, {3, 0, 1, 2, 4});
  const auto& [d, v, h] = o.windows;
  call.output = {o.input.type.dtype, Shape{d.output, v.output, h.output, in / o.batch_groups, out}};
  call.result_axes = output_axes(a, {3, 0, 1, 2, 4});
  return call;
}

// The weights' gradient of a transposed convolution, which spaces its input out. Element k of it
// sums x[i] dy[base_dilation i - stride k + padding_low] over i. That is the weights' gradient of a
// convolution that reads dy's image, with x in the place of its output's gradient, at the kernel's
// element K - 1 - k.
std::optional<ConvolutionCall> as_transposed_weight_gradient(const Operands& given,
                                                             const ir::ConvolutionAttributes& a) {
  const Operands o = turned(given, false);
  const bool transposed = all_windows(o, [](const Window& w) { return w.window_dilation == 1; });
  if (!transposed || !sums_over_image(o) || o.feature_groups != 1 || o.batch_groups != 1) {
    return std::nullopt;
  }
  const auto shape = forward_shape(o, [](const Window& w) {
    return padded_after({w.window, w.input, w.output, w.base_dilation, w.stride,
                         w.stride * (w.output - 1) - w.padding_low, 0});
  });
  if (!shape) return std::nullopt;
  ConvolutionCall call{.kind = ConvolutionCall::Kind::weights, .shape = *shape, .transposed = true};
  const int64_t in = o.kernel.type.shape[4], out = o.input.type.shape[0];
  call.shape.batch = o.input.type.shape[4];
  call.shape.in_channels = in;
  call.shape.out_channels = out;
  call.first = reordered(o.kernel, {3, 0, 1, 2, 4});
  call.second = reordered(o.input, {4, 1, 2, 3, 0});
  const auto& [d, v, h] = o.windows;
  call.output = {o.input.type.dtype, Shape{d.output, v.output, h.output, in, out}};
  call.result_axes = output_axes(a, {4, 0, 1, 2, 3});
  return call;
}

}  // namespace

std::optional<ConvolutionCall> classify_convolution(Planner& planner, const ir::Op& op) {
  const auto& attributes = op.get<ir::ConvolutionAttributes>();
  std::optional<Operands> operands = read_operands(planner, op);
  if (!operands) return std::nullopt;
  for (size_t i = 0; i < spatial_axes; ++i) {
    if (operands->kernel.strides[i] < 0) turn(*operands, i);  // it is stored the other way
  }
  std::optional<ConvolutionCall> call = as_weight_gradient(*operands, attributes);
  if (!call) call = as_forward(*operands, attributes);
  if (!call) call = as_transposed_weight_gradient(*operands, attributes);
  if (!call) call = as_data_gradient(planner, *operands, attributes);
  if (!call) return std::nullopt;
  call->work = convolution_work(attributes, planner.type(op.operands[0]).shape,
                                planner.type(op.operands[1]).shape,
                                planner.type(op.results[0]).shape, planner.matrix_unit());
  return call;
}

PlaceId dense_operand(Planner& planner, const View& view) {
  return planner.dense(view, "copy for convolution");
}

PlaceId define_output(Planner& planner, const ConvolutionCall& call, ir::ValueId result) {
  const PlaceId place = planner.temporary(call.output.bytes());
  View written = dense_view(place, call.output);
  if (call.transposed) written = view_reverse(written, {0, 1, 2});
  planner.define(result, view_transpose(written, planner.type(result), call.result_axes));
  return place;
}

}  // namespace cpu
}  // namespace systolic::inline v0
