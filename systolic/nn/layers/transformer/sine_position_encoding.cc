#include "systolic/nn/layers/transformer/sine_position_encoding.h"

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor SinePositionEncoding::call(const Tensor& x, CallContext&) const {
  check_min_rank(x, 3, "[batch, ..., length, features]");
  if (!(max_wavelength > 0)) {
    raise<InvalidArgument>(
        {.what = str("max_wavelength is ", max_wavelength), .wanted = "more than 0"});
  }
  const int64_t length = x.shape()[-2], features = x.shape()[-1];
  Literal rates(DType::f32, {features}), is_sine(DType::pred, {features});
  for (int64_t i = 0; i < features; ++i) {
    const double share = static_cast<double>(i - i % 2) / static_cast<double>(features);
    rates.mutable_data<float>()[static_cast<size_t>(i)] =
        static_cast<float>(std::pow(max_wavelength, -share));
    is_sine.mutable_data<bool>()[static_cast<size_t>(i)] = i % 2 == 0;
  }
  const Tensor positions = iota({length, 1}, 0, DType::f32) + static_cast<double>(start_index);
  const Tensor angles = positions * Tensor(rates);
  const Tensor encoded = where(Tensor(is_sine), sin(angles), cos(angles));
  return broadcast_to(cast(encoded, x.dtype()), x.shape());
}

SYSTOLIC_DEFINE_LAYER(SinePositionEncoding)

}  // namespace systolic::inline v0
