// keras.ops that fold axes: ReduceOptions' axes, all of them where none is named. What stands after
// `using` is the op of trace/ops with the same name. Those of keras.ops that begin with nan leave
// out elements that are NaN; an empty rest is 0 (nansum), 1 (nanprod) or NaN.
//
//   Tensor y = ops::quantile(x, {0.25, 0.75}, {.axis = -1});       // [2, ...]
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/nn/config/choice.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace ops {

using At = SourceLocation;

using v0::all;
using v0::any;
using v0::argmax;
using v0::argmin;
using v0::cumsum;
using v0::logsumexp;
using v0::max;
using v0::mean;
using v0::min;
using v0::prod;
using v0::sum;

// clang-format off
Tensor amax(const Tensor& x, ReduceOptions options = {}, At at = At::current());  // the largest
Tensor amin(const Tensor& x, ReduceOptions options = {}, At at = At::current());  // the least
Tensor count_nonzero(const Tensor& x, ReduceOptions options = {}, At at = At::current());   // i32
Tensor median(const Tensor& x, ReduceOptions options = {}, At at = At::current());
Tensor ptp(const Tensor& x, ReduceOptions options = {}, At at = At::current());             // max - min
Tensor std(const Tensor& x, ReduceOptions options = {}, At at = At::current());
Tensor var(const Tensor& x, ReduceOptions options = {}, At at = At::current());
Tensor cumprod(const Tensor& x, int axis = 0, At at = At::current());

Tensor nanmax(const Tensor& x, ReduceOptions options = {}, At at = At::current());  // the largest that is a number
Tensor nanmean(const Tensor& x, ReduceOptions options = {}, At at = At::current());  // the mean of the numbers
Tensor nanmedian(const Tensor& x, ReduceOptions options = {}, At at = At::current());  // their median
Tensor nanmin(const Tensor& x, ReduceOptions options = {}, At at = At::current());  // the least that is a number
Tensor nanprod(const Tensor& x, ReduceOptions options = {}, At at = At::current());
Tensor nanstd(const Tensor& x, ReduceOptions options = {}, At at = At::current());  // their standard deviation
Tensor nansum(const Tensor& x, ReduceOptions options = {}, At at = At::current());
Tensor nanvar(const Tensor& x, ReduceOptions options = {}, At at = At::current());  // their variance
Tensor nanargmax(const Tensor& x, int axis = -1, At at = At::current());  // where the largest number is, i32
Tensor nanargmin(const Tensor& x, int axis = -1, At at = At::current());  // where the least is, i32
Tensor nancumprod(const Tensor& x, int axis = 0, At at = At::current());  // products up to each element; NaN is 1
Tensor nancumsum(const Tensor& x, int axis = 0, At at = At::current());  // sums up to each element; NaN is 0
// clang-format on

// The mean with weights: of x's shape, or of the one axis that is named.
Tensor average(const Tensor& x, const std::optional<Tensor>& weights = {},
               ReduceOptions options = {}, At at = At::current());

// Mean and variance (biased) over axes.
struct Moments {
  Tensor mean, variance;
};
// Both of x.
Moments moments(const Tensor& x, ReduceOptions options = {}, At at = At::current());

// The values below which a share q of the elements lies, in [0, 1]; percentiles are in [0, 100].
// Between two elements by `method`. Several q stand along a new first axis.
struct QuantileNames {
  SYSTOLIC_NAMES(
      throw "the method of a quantile must be one of: linear lower higher midpoint nearest")  // NOLINT
};
// How a value between two elements is chosen.
using QuantileMethod = Choice<QuantileNames>;
Tensor quantile(const Tensor& x, double q, ReduceOptions options = {},
                QuantileMethod method = "linear", At at = At::current());
Tensor quantile(const Tensor& x, const std::vector<double>& q, ReduceOptions options = {},
                QuantileMethod method = "linear", At at = At::current());
Tensor percentile(const Tensor& x, double q, ReduceOptions options = {},
                  QuantileMethod method = "linear", At at = At::current());
Tensor nanquantile(const Tensor& x, double q, ReduceOptions options = {},
                   QuantileMethod method = "linear", At at = At::current());
Tensor nanpercentile(const Tensor& x, double q, ReduceOptions options = {},
                     QuantileMethod method = "linear", At at = At::current());

// The norm of the vectors along one axis, or of all elements: (sum |x|^order)^(1/order); of an
// infinite order the largest |x|, of order 0 how many are not 0.
Tensor norm(const Tensor& x, double order = 2, ReduceOptions options = {}, At at = At::current());
// x with vectors of norm 1; those of 0 stay.
Tensor normalize(const Tensor& x, int axis = -1, double order = 2, double epsilon = 1e-7,
                 At at = At::current());

// Differences of neighbours along an axis, n times.
Tensor diff(const Tensor& x, int n = 1, int axis = -1, At at = At::current());
// The integral along an axis by the trapezoidal rule.
Tensor trapezoid(const Tensor& y, double dx = 1, int axis = -1, At at = At::current());
// The signal-to-noise ratio of two pictures, in decibels.
Tensor psnr(const Tensor& x, const Tensor& y, double max_val, At at = At::current());

}  // namespace ops
}  // namespace systolic::inline v0
