#include "backends/cpu/lower/products/plain_convolution.h"

#include <complex>
#include <type_traits>

#include "backends/cpu/lower/products/convolution_flops.h"
#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/core/convert.h"
#include "systolic/ir/window.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// Narrow floats are summed as floats; integers wrap.
template <class T>
using Sum = std::conditional_t<is_small_float<T>, float,
                               std::conditional_t<std::is_same_v<T, bool>, int32_t, T>>;

struct Geometry {
  ir::ConvolutionAttributes a;
  View input, kernel;
  Shape output, window;
  std::vector<WindowAxis> axes;  // spatial ones
  int64_t features = 0;          // of the kernel: summed over, beside the window
};

// Offset of the input element under `position`; -1 in the padding and between dilated elements.
int64_t input_offset(const Geometry& g, const std::vector<int64_t>& out,
                     const std::vector<int64_t>& in_window) {
  int64_t offset = g.input.offset;
  for (size_t i = 0; i < in_window.size(); ++i) {
    const int64_t axis = g.a.input_spatial_dimensions[i];
    const int64_t y = out[static_cast<size_t>(g.a.output_spatial_dimensions[i])];
    const int64_t element =
        g.axes[i].element_at(y, in_window[i], g.input.type.shape[static_cast<int>(axis)]);
    if (element < 0) return -1;
    offset += element * g.input.strides[static_cast<size_t>(axis)];
  }
  return offset;
}

int64_t kernel_offset(const Geometry& g, const std::vector<int64_t>& in_window) {
  int64_t offset = g.kernel.offset;
  for (size_t i = 0; i < in_window.size(); ++i) {
    const int64_t axis = g.a.kernel_spatial_dimensions[i];
    const int64_t last = g.window[static_cast<int>(i)] - 1;
    const int64_t index = g.a.window_reversal[i] ? last - in_window[i] : in_window[i];
    offset += index * g.kernel.strides[static_cast<size_t>(axis)];
  }
  return offset;
}

template <class In, class Out>
Out element(const Geometry& g, const In* input, const In* kernel, const std::vector<int64_t>& out) {
  using Total = Sum<Out>;
  const int64_t feature = out[static_cast<size_t>(g.a.output_feature_dimension)];
  const int64_t out_features = g.output[static_cast<int>(g.a.output_feature_dimension)];
  const int64_t group = feature / (out_features / g.a.feature_group_count);
  const int64_t batch_group = feature / (out_features / g.a.batch_group_count);
  const int64_t out_batches = g.output[static_cast<int>(g.a.output_batch_dimension)];
  const int64_t batch =
      out[static_cast<size_t>(g.a.output_batch_dimension)] + batch_group * out_batches;
  const auto stride = [](const View& view, int64_t axis) {
    return view.strides[static_cast<size_t>(axis)];
  };
  const int64_t input_step = stride(g.input, g.a.input_feature_dimension);
  const int64_t kernel_step = stride(g.kernel, g.a.kernel_input_feature_dimension);
  const int64_t input_base =
      batch * stride(g.input, g.a.input_batch_dimension) + group * g.features * input_step;
  const int64_t kernel_base = feature * stride(g.kernel, g.a.kernel_output_feature_dimension);
  Total total{};
  std::vector<int64_t> in_window(g.window.dims().size(), 0);
  if (g.window.elements() == 0) return static_cast<Out>(total);
  do {
    const int64_t at = input_offset(g, out, in_window);
    if (at < 0) continue;
    const In* x = input + input_base + at;
    const In* w = kernel + kernel_base + kernel_offset(g, in_window);
    for (int64_t i = 0; i < g.features; ++i) {
      total += static_cast<Total>(x[i * input_step]) * static_cast<Total>(w[i * kernel_step]);
    }
  } while (next_index(g.window, in_window));
  return static_cast<Out>(total);
}

template <class In, class Out>
void run(const Geometry& g, const Frame& frame, PlaceId output) {
  const In* input = frame.at<const In>(g.input.place);
  const In* kernel = frame.at<const In>(g.kernel.place);
  Out* result = frame.at<Out>(output);
  const std::vector<int64_t> strides = g.output.strides();
  frame.pool().parallel_for(g.output.elements(), 64, [&](int64_t begin, int64_t end) {
    std::vector<int64_t> index(strides.size());
    for (int64_t i = begin; i < end; ++i) {
      int64_t rest = i;
      for (size_t axis = 0; axis < strides.size(); ++axis) {
        index[axis] = rest / strides[axis];
        rest %= strides[axis];
      }
      result[i] = element<In, Out>(g, input, kernel, index);
    }
  });
}

using Runner = void (*)(const Geometry&, const Frame&, PlaceId);

Runner find_runner(DType in, DType out) {
  if (in == out) {
    return visit_dtype(in, [](auto tag) -> Runner {
      using T = typename decltype(tag)::type;
      return run<T, T>;
    });
  }
  // A wider sum of narrow floats or integers.
  return visit_dtype(in, [&](auto tag) -> Runner {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_same_v<T, bfloat16> || std::is_same_v<T, float16>) {
      if (out == DType::f32) return run<T, float>;
    }
    if constexpr (std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>) {
      if (out == DType::i32) return run<T, int32_t>;
    }
    return nullptr;
  });
}

}  // namespace

void lower_plain_convolution(Planner& planner, const ir::Op& op) {
  const auto& attributes = op.get<ir::ConvolutionAttributes>();
  Geometry geometry{.a = attributes,
                    .input = planner.view(op.operands[0]),
                    .kernel = planner.view(op.operands[1]),
                    .output = planner.type(op.results[0]).shape,
                    .window = {},
                    .axes = {}};
  std::vector<int64_t> window;
  for (size_t i = 0; i < attributes.kernel_spatial_dimensions.size(); ++i) {
    geometry.axes.push_back(ir::window_axis(attributes, i, geometry.kernel.type.shape));
    window.push_back(geometry.axes.back().window);
  }
  geometry.window = Shape(window);
  geometry.features =
      geometry.kernel.type.shape[static_cast<int>(attributes.kernel_input_feature_dimension)];
  const DType in = planner.type(op.operands[0]).dtype, out = planner.type(op.results[0]).dtype;
  const Runner runner = planner.type(op.operands[1]).dtype == in ? find_runner(in, out) : nullptr;
  if (runner == nullptr) {
    raise<Unimplemented>(
        {.what = str("convolution of ", to_string(in), " and ",
                     to_string(planner.type(op.operands[1]).dtype), " to ", to_string(out)),
         .hint = "convert the operands to one type",
         .location = op.location});
  }
  const PlaceId output = planner.define(op.results[0]);
  const MatrixWork work =
      convolution_work(attributes, geometry.input.type.shape, geometry.kernel.type.shape,
                       geometry.output, planner.matrix_unit());
  planner.emit({.name = "plain " + op_text(planner, op),
                .reads = {geometry.input.place, geometry.kernel.place},
                .writes = {output},
                .flops = work.flops,
                .matrix = work},
               [=](const Frame& frame) { runner(geometry, frame, output); });
}

}  // namespace cpu
}  // namespace systolic::inline v0
