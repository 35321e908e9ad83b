#include "systolic/nn/layers/noise.h"

#include "systolic/base/error.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"

namespace systolic::inline v0 {
namespace {

Shape noise_shape_of(const Shape& input, const std::vector<int64_t>& wanted) {
  if (wanted.empty()) return input;
  if (wanted.size() != static_cast<size_t>(input.rank())) {
    raise<InvalidArgument>(
        {.what = str("noise_shape has ", wanted.size(), " axes, the input ", input.rank())});
  }
  Shape shape = input;
  for (int axis = 0; axis < input.rank(); ++axis) {
    const int64_t size = wanted[static_cast<size_t>(axis)];
    if (size >= 0) shape.set(axis, size);
  }
  return shape;
}

}  // namespace

void check_rate(double rate, bool with_1) {
  if (rate >= 0 && (with_1 ? rate <= 1 : rate < 1)) return;
  raise<InvalidArgument>(
      {.what = str("rate is ", rate), .wanted = with_1 ? "from 0 to 1" : "from 0 to below 1"});
}

Tensor noise_key(CallContext& context, std::optional<int64_t> seed) {
  const Tensor key = context.random_key();
  return seed ? fold_in(key, static_cast<uint64_t>(*seed)) : key;
}

Tensor kept_elements(const Tensor& x, double rate, const std::vector<int64_t>& noise_shape,
                     const Tensor& key) {
  return random_uniform(noise_shape_of(x.shape(), noise_shape), 0, 1, {.key = key}) >= rate;
}

Tensor dropped_out(const Tensor& x, double rate, const std::vector<int64_t>& noise_shape,
                   const Tensor& key) {
  if (rate == 1) return zeros_like(x);
  return where(kept_elements(x, rate, noise_shape, key), x * (1 / (1 - rate)), 0.0);
}

}  // namespace systolic::inline v0
