#include "systolic/nn/layers/normalization/spectral_normalization.h"

#include <optional>

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/initializers/truncated_normal.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layer_state.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

std::optional<Variable> kernel_of(const Layer& layer) {
  for (const char* name : {"kernel", "embeddings"}) {
    for (const LayerState::Weight& weight : layer.state()->weights) {
      if (weight.name == name) return weight.variable;
    }
  }
  return std::nullopt;
}

Tensor of_length_one(const Tensor& x) {
  constexpr double least = 1e-12;  // of the square, as Keras's normalize
  return x * rsqrt(maximum(sum(square(x)), least));
}

struct LargestDirections {
  Tensor u, sigma;
};

// The largest singular value of `matrix` [rows, columns], and the vector that it belongs to.
LargestDirections largest_of(const Tensor& matrix, Tensor u, int64_t iterations) {
  Tensor v = u;
  for (int64_t i = 0; i < iterations; ++i) {
    v = of_length_one(matmul(u, matrix, {.transpose_b = true}));
    u = of_length_one(matmul(v, matrix));
  }
  return {u, matmul(matmul(v, matrix), u, {.transpose_b = true})};
}

// A kernel of zeros stays as it is.
void normalize_kernel(const Variable& kernel, const Variable& vector, int64_t iterations) {
  const Tensor value = stop_gradient(kernel.value()), u = vector.value();
  const int64_t columns = kernel.shape()[-1];
  const LargestDirections found =
      largest_of(reshape(value, {kernel.size() / columns, columns}), u, iterations);
  const Tensor zero = max(abs(value)) == 0.0;
  vector.assign(where(zero, u, found.u));
  kernel.assign(where(zero, value, value / where(zero, 1.0, reshape(found.sigma, {}))));
}

}  // namespace

Tensor SpectralNormalization::call(const Tensor& x, CallContext& context) const {
  check_positive("power_iterations", power_iterations);
  const auto call_layer = [&] { return context.call(layer->layer(), {x}, false); };
  if (!kernel_of(context.inside(layer->layer()))) call_layer();  // which makes its weights
  const std::optional<Variable> kernel = kernel_of(context.inside(layer->layer()));
  if (!kernel || kernel->shape().rank() < 1) {
    raise<InvalidArgument>(
        {.what = str("SpectralNormalization of a layer of kind ", layer->layer().kind()),
         .wanted = "one with a kernel or embeddings, such as Dense, Conv2D or Embedding"});
  }
  const Variable vector = context.add_weight("vector_u", {1, kernel->shape()[-1]},
                                             {.initializer = TruncatedNormal{.stddev = 0.02},
                                              .trainable = false,
                                              .dtype = kernel->dtype()});
  if (context.training()) normalize_kernel(*kernel, vector, power_iterations);
  const std::vector<Tensor> y = call_layer();
  if (y.size() != 1) {
    raise<InvalidArgument>(
        {.what = str("the layer gives ", y.size(), " outputs"), .wanted = "one"});
  }
  return is_float(x.dtype()) ? cast(y[0], x.dtype()) : y[0];
}

KerasForm SpectralNormalization::keras_form() {
  return {.inside = {{"*", "layer"}}, .also_own = {"kernel", "embeddings"}};
}

SYSTOLIC_DEFINE_LAYER(SpectralNormalization)

}  // namespace systolic::inline v0
