// Shape rules of dot_general and convolution.
#include "systolic/base/text.h"
#include "systolic/core/axes.h"
#include "systolic/ir/infer/infer_rules.h"
#include "systolic/ir/window.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

// A contraction may be asked for in a wider type than its operands' (bf16 in, f32 out).
DType result_dtype(const InferInput& input, std::string_view label, DType operands) {
  if (input.requested.empty()) return operands;
  const DType wanted = input.requested[0].dtype;
  const bool both_float = is_float(operands) && is_float(wanted);
  const bool both_integer = is_integer(operands) && is_integer(wanted);
  if (wanted == operands || both_float || both_integer) return wanted;
  raise_constraint(input, label,
                   str("result of ", to_string(wanted), " from operands of ", to_string(operands)),
                   "the same kind of number");
}

void check_sizes_match(const InferInput& input, std::string_view label, std::string_view what,
                       const Axes& lhs_axes, const Axes& rhs_axes) {
  const Type &lhs = input.operands[0], &rhs = input.operands[1];
  for (size_t i = 0; i < lhs_axes.size(); ++i) {
    const int64_t a = lhs.shape[static_cast<int>(lhs_axes[i])];
    const int64_t b = rhs.shape[static_cast<int>(rhs_axes[i])];
    if (a == b) continue;
    raise_constraint(input, label,
                     str(what, " axis ", lhs_axes[i], " of ", to_string(lhs), " has size ", a,
                         ", axis ", rhs_axes[i], " of ", to_string(rhs), " has size ", b),
                     "equal sizes");
  }
}

void append_others(const Shape& shape, const Axes& batching, const Axes& contracting, Axes& sizes) {
  for (int64_t axis : remaining_axes(shape.rank(), joined_axes(batching, contracting))) {
    sizes.push_back(shape[static_cast<int>(axis)]);
  }
}

}  // namespace

std::vector<Type> infer_dot_general(const InferInput& input) {
  const DotAttributes& a = attributes_of<DotAttributes>(input);
  const Type &lhs = input.operands[0], &rhs = input.operands[1];
  check_size(input, "dot_general_c1", "rhs_batching_dimensions", a.rhs_batching_dimensions.size(),
             static_cast<int64_t>(a.lhs_batching_dimensions.size()));
  check_size(input, "dot_general_c2", "rhs_contracting_dimensions",
             a.rhs_contracting_dimensions.size(),
             static_cast<int64_t>(a.lhs_contracting_dimensions.size()));
  check_unique(input, "dot_general_c3", "lhs_batching_dimensions + lhs_contracting_dimensions",
               joined_axes(a.lhs_batching_dimensions, a.lhs_contracting_dimensions));
  check_unique(input, "dot_general_c4", "rhs_batching_dimensions + rhs_contracting_dimensions",
               joined_axes(a.rhs_batching_dimensions, a.rhs_contracting_dimensions));
  check_range(input, "dot_general_c5", "lhs_batching_dimensions", a.lhs_batching_dimensions,
              lhs.shape.rank());
  check_range(input, "dot_general_c6", "lhs_contracting_dimensions", a.lhs_contracting_dimensions,
              lhs.shape.rank());
  check_range(input, "dot_general_c7", "rhs_batching_dimensions", a.rhs_batching_dimensions,
              rhs.shape.rank());
  check_range(input, "dot_general_c8", "rhs_contracting_dimensions", a.rhs_contracting_dimensions,
              rhs.shape.rank());
  check_sizes_match(input, "dot_general_c9", "batching", a.lhs_batching_dimensions,
                    a.rhs_batching_dimensions);
  check_sizes_match(input, "dot_general_c10", "contracting", a.lhs_contracting_dimensions,
                    a.rhs_contracting_dimensions);
  check_same_dtype(input, "dot_general_c13", rhs, lhs);
  Axes sizes;
  for (int64_t axis : a.lhs_batching_dimensions) {
    sizes.push_back(lhs.shape[static_cast<int>(axis)]);
  }
  append_others(lhs.shape, a.lhs_batching_dimensions, a.lhs_contracting_dimensions, sizes);
  append_others(rhs.shape, a.rhs_batching_dimensions, a.rhs_contracting_dimensions, sizes);
  return {{result_dtype(input, "dot_general_c13", lhs.dtype), Shape(sizes)}};
}

namespace {

// "size(..) = N - 2" and "0 < .." of each window attribute.
void check_window(const InferInput& input, const ConvolutionAttributes& a, int64_t spatial) {
  check_size(input, "convolution_c2", "window_strides", a.window_strides.size(), spatial);
  check_at_least(input, "convolution_c3", "window_strides", a.window_strides, 1);
  check_size(input, "convolution_c4", "padding", a.padding.size(), spatial);
  check_size(input, "convolution_c5", "lhs_dilation", a.lhs_dilation.size(), spatial);
  check_at_least(input, "convolution_c6", "lhs_dilation", a.lhs_dilation, 1);
  check_size(input, "convolution_c7", "rhs_dilation", a.rhs_dilation.size(), spatial);
  check_at_least(input, "convolution_c8", "rhs_dilation", a.rhs_dilation, 1);
  check_size(input, "convolution_c9", "window_reversal", a.window_reversal.size(), spatial);
}

// The axes of one array: spatial ones in number, all different and in range.
void check_dimensions(const InferInput& input, std::string_view size_label, std::string_view label,
                      std::string_view name, const Axes& spatial, int64_t first, int64_t second,
                      int64_t rank) {
  check_size(input, size_label, str(name, "_spatial_dimensions"), spatial.size(), rank - 2);
  const Axes all = joined_axes(Axes{first, second}, spatial);
  check_unique(input, label, str(name, " dimensions"), all);
  check_range(input, label, str(name, " dimensions"), all, rank);
}

void check_groups(const InferInput& input, const ConvolutionAttributes& a) {
  const Type &lhs = input.operands[0], &rhs = input.operands[1];
  check_at_least(input, "convolution_c21", "feature_group_count", {a.feature_group_count}, 1);
  check_at_least(input, "convolution_c22", "batch_group_count", {a.batch_group_count}, 1);
  if (a.feature_group_count > 1 && a.batch_group_count > 1) {
    raise_constraint(input, "convolution_c23",
                     str("feature_group_count is ", a.feature_group_count,
                         " and batch_group_count ", a.batch_group_count),
                     "one of them to be 1");
  }
  const int64_t batch = lhs.shape[static_cast<int>(a.input_batch_dimension)];
  const int64_t features = lhs.shape[static_cast<int>(a.input_feature_dimension)];
  const int64_t in = rhs.shape[static_cast<int>(a.kernel_input_feature_dimension)];
  const int64_t out = rhs.shape[static_cast<int>(a.kernel_output_feature_dimension)];
  const auto check_divides = [&](std::string_view label, std::string_view name, int64_t size,
                                 int64_t groups) {
    if (size % groups == 0) return;
    raise_constraint(input, label, str(name, " has size ", size),
                     str("a multiple of the ", groups, " groups"));
  };
  check_divides("convolution_c10", "the input's batch", batch, a.batch_group_count);
  check_divides("convolution_c11", "the input's feature axis", features, a.feature_group_count);
  if (in != features / a.feature_group_count) {
    raise_constraint(
        input, "convolution_c14",
        str("the kernel ", to_string(rhs), " takes ", in, " input features, the input ",
            to_string(lhs), " has ", features, " in ", a.feature_group_count, " groups"),
        str(features / a.feature_group_count));
  }
  check_divides("convolution_c15", "the kernel's output feature axis", out, a.batch_group_count);
  check_divides("convolution_c16", "the kernel's output feature axis", out, a.feature_group_count);
}

}  // namespace

std::vector<Type> infer_convolution(const InferInput& input) {
  const ConvolutionAttributes& a = attributes_of<ConvolutionAttributes>(input);
  const Type &lhs = input.operands[0], &rhs = input.operands[1];
  const int64_t rank = lhs.shape.rank();
  if (rhs.shape.rank() != rank || rank < 2) {
    raise_constraint(input, "convolution_c1",
                     str("input ", to_string(lhs), " and kernel ", to_string(rhs)),
                     "equal ranks of 2 or more");
  }
  check_window(input, a, rank - 2);
  check_dimensions(input, "convolution_c12", "convolution_c13", "input", a.input_spatial_dimensions,
                   a.input_batch_dimension, a.input_feature_dimension, rank);
  check_dimensions(input, "convolution_c17", "convolution_c18", "kernel",
                   a.kernel_spatial_dimensions, a.kernel_input_feature_dimension,
                   a.kernel_output_feature_dimension, rank);
  check_dimensions(input, "convolution_c19", "convolution_c20", "output",
                   a.output_spatial_dimensions, a.output_batch_dimension,
                   a.output_feature_dimension, rank);
  check_groups(input, a);
  check_same_dtype(input, "convolution_c27", rhs, lhs);
  Shape shape = lhs.shape;
  shape.set(static_cast<int>(a.output_batch_dimension),
            lhs.shape[static_cast<int>(a.input_batch_dimension)] / a.batch_group_count);
  shape.set(static_cast<int>(a.output_feature_dimension),
            rhs.shape[static_cast<int>(a.kernel_output_feature_dimension)]);
  for (size_t i = 0; i < a.window_strides.size(); ++i) {
    shape.set(static_cast<int>(a.output_spatial_dimensions[i]),
              window_count(lhs.shape[static_cast<int>(a.input_spatial_dimensions[i])],
                           window_axis(a, i, rhs.shape)));
  }
  return {{result_dtype(input, "convolution_c27", lhs.dtype), shape}};
}

}  // namespace ir
}  // namespace systolic::inline v0
