// Factors of products: dot_general and convolution.
#include <algorithm>

#include "systolic/passes/partition/factors.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Axes;

namespace {

bool is_among(const Axes& axes, int axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

}  // namespace

// Result axes: batching, then the remaining of lhs, then the remaining of rhs.
void dot_factors(FactorList& factors) {
  const auto& a = factors.op().get<ir::DotAttributes>();
  int result = 0;
  for (size_t i = 0; i < a.lhs_batching_dimensions.size(); ++i) {
    factors.pass({static_cast<int>(a.lhs_batching_dimensions[i]),
                  static_cast<int>(a.rhs_batching_dimensions[i])},
                 result++);
  }
  for (int axis = 0; axis < factors.operand(0).rank(); ++axis) {
    if (is_among(a.lhs_batching_dimensions, axis) || is_among(a.lhs_contracting_dimensions, axis)) {
      continue;
    }
    factors.pass({axis, no_cut}, result++);
  }
  for (int axis = 0; axis < factors.operand(1).rank(); ++axis) {
    if (is_among(a.rhs_batching_dimensions, axis) || is_among(a.rhs_contracting_dimensions, axis)) {
      continue;
    }
    factors.pass({no_cut, axis}, result++);
  }
  for (size_t i = 0; i < a.lhs_contracting_dimensions.size(); ++i) {
    factors.fold({static_cast<int>(a.lhs_contracting_dimensions[i]),
                  static_cast<int>(a.rhs_contracting_dimensions[i])});
  }
}

// Groups tie batch or features to the kernel's features; what they tie stays whole.
void convolution_factors(FactorList& factors) {
  const auto& a = factors.op().get<ir::ConvolutionAttributes>();
  if (a.batch_group_count == 1) {
    factors.pass({static_cast<int>(a.input_batch_dimension), no_cut},
                 static_cast<int>(a.output_batch_dimension));
  }
  if (a.batch_group_count != 1 || a.feature_group_count != 1) return;
  factors.pass({no_cut, static_cast<int>(a.kernel_output_feature_dimension)},
               static_cast<int>(a.output_feature_dimension));
  factors.fold({static_cast<int>(a.input_feature_dimension),
                static_cast<int>(a.kernel_input_feature_dimension)});
}

}  // namespace passes
}  // namespace systolic::inline v0
