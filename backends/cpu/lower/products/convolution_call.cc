#include "backends/cpu/lower/products/convolution_call.h"

#include <algorithm>

#include "backends/cpu/lower/products/convolution_flops.h"
#include "systolic/ir/window.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// One spatial axis; images of one axis get a first one of size 1, which changes nothing.
struct Window : WindowAxis {
  int64_t input = 1, output = 1;
  bool reversed = false;
};

struct Operands {
  View input, kernel;  // [batch, height, width, feature], [height, width, in, out]
  std::array<Window, 2> windows;
  int64_t feature_groups = 1, batch_groups = 1;
};

// The view with its axes in the given order; -1 stands for a new axis of size 1.
View reordered(const View& view, const std::array<int64_t, 4>& axes) {
  View result{.place = view.place, .offset = view.offset};
  std::vector<int64_t> dims;
  for (int64_t axis : axes) {
    dims.push_back(axis < 0 ? 1 : view.type.shape[static_cast<int>(axis)]);
    result.strides.push_back(axis < 0 ? 0 : view.strides[static_cast<size_t>(axis)]);
  }
  result.type = {view.type.dtype, Shape(dims)};
  return result;
}

// A kernel that is stored backwards is one read forwards by a reversed window.
void unreverse(View& kernel, std::array<Window, 2>& windows) {
  for (size_t i = 0; i < 2; ++i) {
    if (kernel.strides[i] < 0) {
      kernel.offset += (windows[i].window - 1) * kernel.strides[i];
      kernel.strides[i] = -kernel.strides[i];
      windows[i].reversed = !windows[i].reversed;
    }
    if (windows[i].window == 1) windows[i].reversed = false;
  }
}

// A dilated image is that of a gradient or of a transposed convolution, whose kernel the gradient
// has reversed: then it is read backwards here.
void reverse_for_gradient(View& kernel, std::array<Window, 2>& windows) {
  const bool dilated = windows[0].base_dilation > 1 || windows[1].base_dilation > 1;
  for (size_t i = 0; i < 2 && dilated; ++i) {
    if (windows[i].reversed || windows[i].window == 1) continue;
    kernel.offset += (windows[i].window - 1) * kernel.strides[i];
    kernel.strides[i] = -kernel.strides[i];
    windows[i].reversed = true;
  }
}

std::optional<Operands> read_operands(Planner& planner, const ir::Op& op) {
  const auto& a = op.get<ir::ConvolutionAttributes>();
  const size_t rank = a.input_spatial_dimensions.size();
  if (rank < 1 || rank > 2) return std::nullopt;
  Operands operands;
  operands.feature_groups = a.feature_group_count;
  operands.batch_groups = a.batch_group_count;
  const Shape& output = planner.type(op.results[0]).shape;
  const View& input = planner.view(op.operands[0]);
  const View& kernel = planner.view(op.operands[1]);
  std::array<int64_t, 4> input_axes{a.input_batch_dimension, -1, -1, a.input_feature_dimension};
  std::array<int64_t, 4> kernel_axes{-1, -1, a.kernel_input_feature_dimension,
                                     a.kernel_output_feature_dimension};
  for (size_t i = 0; i < rank; ++i) {
    const size_t k = i + 2 - rank;  // height or width
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
  unreverse(operands.kernel, operands.windows);
  reverse_for_gradient(operands.kernel, operands.windows);
  return operands;
}

bool all_windows(const Operands& operands, bool (*test)(const Window&)) {
  return test(operands.windows[0]) && test(operands.windows[1]);
}

// The axes of the op's result among those of (batch, height, width, feature).
ir::Axes output_axes(const ir::ConvolutionAttributes& a, const std::array<int64_t, 4>& meaning) {
  ir::Axes axes(a.output_spatial_dimensions.size() + 2);
  axes[static_cast<size_t>(a.output_batch_dimension)] = meaning[0];
  axes[static_cast<size_t>(a.output_feature_dimension)] = meaning[3];
  const size_t rank = a.output_spatial_dimensions.size();
  for (size_t i = 0; i < rank; ++i) {
    axes[static_cast<size_t>(a.output_spatial_dimensions[i])] = meaning[i + 3 - rank];
  }
  return axes;
}

bool consistent(const ConvolutionCall& call, int64_t out_height, int64_t out_width) {
  const kernels::ConvolutionShape& s = call.shape;
  return s.pad_top >= 0 && s.pad_left >= 0 && s.pad_bottom >= 0 && s.pad_right >= 0 &&
         s.out_height() == out_height && s.out_width() == out_width;
}

std::optional<ConvolutionCall> as_forward(const Operands& o, const ir::ConvolutionAttributes& a) {
  const bool plain = all_windows(o, [](const Window& w) {
    return w.base_dilation == 1 && !w.reversed && w.padding_low >= 0 && w.padding_high >= 0;
  });
  if (!plain || o.batch_groups != 1) return std::nullopt;
  ConvolutionCall call{.kind = ConvolutionCall::Kind::forward};
  const auto& [v, h] = o.windows;
  const int64_t batch = o.input.type.shape[0], out = o.kernel.type.shape[3];
  call.shape = {.batch = batch,
                .height = v.input,
                .width = h.input,
                .in_channels = o.input.type.shape[3],
                .out_channels = out,
                .kernel_height = v.window,
                .kernel_width = h.window,
                .stride_height = v.stride,
                .stride_width = h.stride,
                .pad_top = v.padding_low,
                .pad_bottom = v.padding_high,
                .pad_left = h.padding_low,
                .pad_right = h.padding_high,
                .dilation_height = v.window_dilation,
                .dilation_width = h.window_dilation,
                .groups = o.feature_groups};
  call.first = o.input;
  call.second = o.kernel;
  call.output = {o.input.type.dtype, Shape{batch, v.output, h.output, out}};
  call.result_axes = output_axes(a, {0, 1, 2, 3});
  return call;
}

// [height, width, out / groups, in] of the gradient's kernel as the forward pass has it:
// [height, width, in / groups, out]. Both count the groups in their last axis.
View forward_kernel(Planner& planner, const View& kernel, int64_t groups) {
  const Shape& shape = kernel.type.shape;
  if (groups == 1) return reordered(kernel, {0, 1, 3, 2});
  const int64_t per_out = shape[2], per_in = shape[3] / groups;
  View split{.place = kernel.place,
             .type = {kernel.type.dtype, Shape{shape[0], shape[1], per_in, groups, per_out}},
             .offset = kernel.offset};
  split.strides = {kernel.strides[0], kernel.strides[1], kernel.strides[3],
                   kernel.strides[3] * per_in, kernel.strides[2]};
  const ir::Type type{kernel.type.dtype, Shape{shape[0], shape[1], per_in, groups * per_out}};
  const PlaceId copy = planner.temporary(type.bytes());
  planner.emit_copy(split, copy, "regroup kernel");
  return dense_view(copy, type);
}

// Padding after the last element such that the forward pass has as many outputs as dy.
int64_t forward_padding(int64_t outputs, int64_t stride, int64_t span, int64_t size, int64_t low) {
  return std::max<int64_t>(0, (outputs - 1) * stride + span - size - low);
}

std::optional<ConvolutionCall> as_data_gradient(Planner& planner, const Operands& o,
                                                const ir::ConvolutionAttributes& a) {
  const bool backward = all_windows(o, [](const Window& w) {
    return w.stride == 1 && (w.reversed || w.window == 1) && w.reach() - 1 - w.padding_low >= 0;
  });
  if (!backward || o.batch_groups != 1) return std::nullopt;
  ConvolutionCall call{.kind = ConvolutionCall::Kind::data};
  const auto& [v, h] = o.windows;
  const int64_t batch = o.input.type.shape[0], in = o.kernel.type.shape[3];
  call.shape = {.batch = batch,
                .height = v.output,
                .width = h.output,
                .in_channels = in,
                .out_channels = o.input.type.shape[3],
                .kernel_height = v.window,
                .kernel_width = h.window,
                .stride_height = v.base_dilation,
                .stride_width = h.base_dilation,
                .pad_top = v.reach() - 1 - v.padding_low,
                .pad_left = h.reach() - 1 - h.padding_low,
                .dilation_height = v.window_dilation,
                .dilation_width = h.window_dilation,
                .groups = o.feature_groups};
  call.shape.pad_bottom =
      forward_padding(v.input, v.base_dilation, v.reach(), v.output, call.shape.pad_top);
  call.shape.pad_right =
      forward_padding(h.input, h.base_dilation, h.reach(), h.output, call.shape.pad_left);
  if (!consistent(call, v.input, h.input)) return std::nullopt;
  call.first = o.input;
  call.second = forward_kernel(planner, o.kernel, o.feature_groups);
  call.output = {o.input.type.dtype, Shape{batch, v.output, h.output, in}};
  call.result_axes = output_axes(a, {0, 1, 2, 3});
  return call;
}

// The op's batch is the input channels, its features the batch, its window dy.
std::optional<ConvolutionCall> as_weight_gradient(const Operands& o,
                                                  const ir::ConvolutionAttributes& a) {
  const bool plain = all_windows(
      o, [](const Window& w) { return w.base_dilation == 1 && !w.reversed && w.padding_low >= 0; });
  const auto& [v, h] = o.windows;
  const bool window_is_image = v.window * h.window > v.output * h.output;
  // Windows side by side are patches of an image, however large they are.
  const bool patches = v.stride >= v.window && h.stride >= h.window;
  if (!plain || !window_is_image || patches || o.feature_groups != 1) return std::nullopt;
  ConvolutionCall call{.kind = ConvolutionCall::Kind::weights};
  const int64_t batch = o.input.type.shape[3], in = o.input.type.shape[0];
  const int64_t out = o.kernel.type.shape[3];
  call.shape = {.batch = batch,
                .height = v.input,
                .width = h.input,
                .in_channels = in,
                .out_channels = out,
                .kernel_height = v.output,
                .kernel_width = h.output,
                .stride_height = v.window_dilation,
                .stride_width = h.window_dilation,
                .pad_top = v.padding_low,
                .pad_left = h.padding_low,
                .dilation_height = v.stride,
                .dilation_width = h.stride,
                .groups = o.batch_groups};
  call.shape.pad_bottom = forward_padding(v.window, v.window_dilation,
                                          (v.output - 1) * v.stride + 1, v.input, v.padding_low);
  call.shape.pad_right = forward_padding(h.window, h.window_dilation, (h.output - 1) * h.stride + 1,
                                         h.input, h.padding_low);
  if (!consistent(call, v.window, h.window)) return std::nullopt;
  call.first = reordered(o.input, {3, 1, 2, 0});
  call.second = reordered(o.kernel, {2, 0, 1, 3});
  call.output = {o.input.type.dtype, Shape{v.output, h.output, in / o.batch_groups, out}};
  call.result_axes = output_axes(a, {2, 0, 1, 3});
  return call;
}

}  // namespace

std::optional<ConvolutionCall> classify_convolution(Planner& planner, const ir::Op& op) {
  const auto& attributes = op.get<ir::ConvolutionAttributes>();
  const std::optional<Operands> operands = read_operands(planner, op);
  if (!operands) return std::nullopt;
  std::optional<ConvolutionCall> call = as_weight_gradient(*operands, attributes);
  if (!call) call = as_forward(*operands, attributes);
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
  planner.define(result, view_transpose(dense_view(place, call.output), planner.type(result),
                                        call.result_axes));
  return place;
}

}  // namespace cpu
}  // namespace systolic::inline v0
