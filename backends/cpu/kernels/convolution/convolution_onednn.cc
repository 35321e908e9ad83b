#include "backends/cpu/kernels/convolution/convolution_onednn.h"

namespace systolic::inline v0 {
namespace kernels {
namespace direct {
namespace {

// What there is of each spatial axis: two of them, and the depth before these where it counts.
memory::dims spatial(const ConvolutionShape& s, int64_t depth, int64_t height, int64_t width) {
  if (!s.has_depth()) return {height, width};
  return {depth, height, width};
}

memory::dims with_leading(memory::dims leading, const memory::dims& axes) {
  leading.insert(leading.end(), axes.begin(), axes.end());
  return leading;
}

memory::desc images(const ConvolutionShape& s, DataType type, const memory::dims& dims) {
  return {dims, type, s.has_depth() ? memory::format_tag::ndhwc : memory::format_tag::nhwc};
}

// What oneDNN is told about a convolution of `batch` images. `type` is the one it computes on.
struct Description {
  Description(const ConvolutionShape& s, int64_t batch, DataType type)
      : x(images(s, type,
                 with_leading({batch, s.in_channels}, spatial(s, s.depth, s.height, s.width)))),
        y(images(s, type,
                 with_leading({batch, s.out_channels},
                              spatial(s, s.out_depth(), s.out_height(), s.out_width())))),
        bias({s.out_channels}, type, memory::format_tag::a),
        strides(spatial(s, s.stride_depth, s.stride_height, s.stride_width)),
        dilates(spatial(s, s.dilation_depth - 1, s.dilation_height - 1, s.dilation_width - 1)),
        pad_begin(spatial(s, s.pad_front, s.pad_top, s.pad_left)),
        pad_end(spatial(s, s.pad_back, s.pad_bottom, s.pad_right)) {}

  memory::desc x, y, bias;
  memory::dims strides, dilates, pad_begin, pad_end;
};

memory::dims weight_dims(const ConvolutionShape& s) {
  const int64_t in = s.in_channels / s.groups;
  const memory::dims axes = spatial(s, s.kernel_depth, s.kernel_height, s.kernel_width);
  if (s.groups == 1) return with_leading({s.out_channels, in}, axes);
  return with_leading({s.groups, s.out_channels / s.groups, in}, axes);
}

ConvolutionShape of_batch(ConvolutionShape s, int64_t batch) {
  s.batch = batch;
  return s;
}

memory::desc any_weights(const ConvolutionShape& s, DataType type) {
  return {weight_dims(s), type, memory::format_tag::any};
}

}  // namespace

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

memory::desc stored_weights(const ConvolutionShape& s, DataType type) {
  const int64_t tap = s.in_channels / s.groups * s.out_channels, row = s.kernel_width * tap;
  const memory::dims axes = spatial(s, s.kernel_height * row, row, tap);
  if (s.groups == 1) return {weight_dims(s), type, with_leading({1, s.out_channels}, axes)};
  return {weight_dims(s), type, with_leading({s.out_channels / s.groups, 1, s.out_channels}, axes)};
}

dnnl::convolution_forward::primitive_desc describe_forward(const ConvolutionShape& s, DataType type,
                                                           const ForwardDescription& options) {
  const Description d(s, s.batch, type);
  return {onednn_engine(),
          dnnl::prop_kind::forward_training,
          dnnl::algorithm::convolution_direct,
          d.x,
          options.weights != nullptr ? *options.weights : any_weights(s, type),
          options.bias ? d.bias : memory::desc(),
          d.y,
          d.strides,
          d.dilates,
          d.pad_begin,
          d.pad_end,
          user_scratchpad()};
}

dnnl::convolution_backward_data::primitive_desc describe_data(const ConvolutionShape& s,
                                                              int64_t batch, DataType type) {
  const Description d(s, batch, type);
  return {onednn_engine(),
          dnnl::algorithm::convolution_direct,
          d.x,
          any_weights(s, type),
          d.y,
          d.strides,
          d.dilates,
          d.pad_begin,
          d.pad_end,
          describe_forward(of_batch(s, batch), type, {}),
          user_scratchpad()};
}

dnnl::convolution_backward_weights::primitive_desc describe_weights(const ConvolutionShape& s,
                                                                    int64_t batch, DataType type,
                                                                    bool bias) {
  const Description d(s, batch, type);
  const memory::desc sums({s.out_channels}, DataType::f32, memory::format_tag::a);
  return {onednn_engine(),
          dnnl::algorithm::convolution_direct,
          d.x,
          any_weights(s, DataType::f32),
          bias ? sums : memory::desc(),
          d.y,
          d.strides,
          d.dilates,
          d.pad_begin,
          d.pad_end,
          describe_forward(of_batch(s, batch), type, {}),
          user_scratchpad()};
}

void mask_bf16_by_relu(const bfloat16* dy, const bfloat16* y, int64_t count, bfloat16* masked) {
  for (int64_t i = 0; i < count; ++i) {
    // By y's bits and without a branch, so that compilers vectorize it: neither a sign, nor zero,
    // nor NaN.
    const uint16_t value = dy[i].bits;
    const bool positive = static_cast<uint16_t>(y[i].bits - 1) < 0x7f80;
    masked[i].bits = static_cast<uint16_t>(value & (positive ? 0xffff : 0));
  }
}

bool native(DType dtype) {
  return dtype == DType::f32 || (dtype == DType::bf16 && onednn_pays_for_bf16());
}
DataType computed_type(DType dtype) {
  return dtype == DType::bf16 && native(dtype) ? DataType::bf16 : DataType::f32;
}

bool can_describe(const ConvolutionShape& s, DType dtype) {
  const bool float_type = dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16;
  return float_type && s.batch >= 1 && s.pad_top >= 0 && s.pad_bottom >= 0 && s.pad_left >= 0 &&
         s.pad_right >= 0 && s.pad_front >= 0 && s.pad_back >= 0;
}

}  // namespace direct
}  // namespace kernels
}  // namespace systolic::inline v0
