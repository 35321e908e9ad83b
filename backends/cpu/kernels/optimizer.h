// Optimizer updates, each in one pass over memory. The formulae are those of Keras 3's optimizers
// (keras.io/api/optimizers).
//
// Parameters and slots are f32, updated in place or from `*_in` to `*_out` arrays that may be the
// same; the gradient g may be f32, bf16 or f16. All arrays have `count` elements and must not
// otherwise overlap.
#pragma once

#include <cstdint>

#include "systolic/base/thread_pool.h"
#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

// One f32 array that is read and rewritten. `out` may be `in`.
struct Updated {
  const float* in = nullptr;
  float* out = nullptr;
};

// The gradient. `scale` multiplies it first (loss scaling, clipping by norm); 1 for none.
struct Gradient {
  const void* data = nullptr;
  DType dtype = DType::f32;  // f32, bf16 or f16
  float scale = 1.0f;
};

// p -= lr * g
// With momentum m:            v = m * v - lr * g;  p += v
// ... and nesterov:           v = m * v - lr * g;  p += m * v - lr * g
struct SgdSettings {
  float learning_rate = 0.01f;
  float momentum = 0.0f;
  bool nesterov = false;
};
// `velocity` is unused when momentum is 0.
void sgd_update(const SgdSettings& settings, Updated parameter, Updated velocity, Gradient gradient,
                int64_t count, ThreadPool& pool);

// m += (g - m) * (1 - beta_1);  v += (g^2 - v) * (1 - beta_2);  p -= m * alpha / (sqrt(v) +
// epsilon) where alpha = learning_rate * sqrt(1 - beta_2^t) / (1 - beta_1^t) at step t = 1, 2, ...:
// the caller computes alpha. AdamW: p -= p * weight_decay * learning_rate comes first. amsgrad:
// vhat = max(vhat, v) replaces v in the quotient; the slot's arrays are null otherwise.
struct AdamSettings {
  float alpha = 0.001f;
  float one_minus_beta_1 = 0.1f;
  float one_minus_beta_2 = 0.001f;
  float epsilon = 1e-7f;
  float weight_decay_times_learning_rate = 0.0f;  // 0 for plain Adam
};
void adam_update(const AdamSettings& settings, Updated parameter, Updated m, Updated v,
                 Updated vhat, Gradient gradient, int64_t count, ThreadPool& pool);
// alpha as defined above, computed in double precision.
float adam_alpha(float learning_rate, float beta_1, float beta_2, int64_t step);

// v = rho * v + (1 - rho) * g^2;  denominator = v + epsilon, minus a^2 if centered, with a = rho *
// a + (1 - rho) * g increment = lr * g / sqrt(denominator);  with momentum: mom = momentum * mom +
// increment; p -= mom; else p -= increment
struct RmspropSettings {
  float learning_rate = 0.001f;
  float rho = 0.9f;
  float momentum = 0.0f;
  float epsilon = 1e-7f;
};
// `momentum_slot` is null when momentum is 0; `average_gradient` is null when not centered.
void rmsprop_update(const RmspropSettings& settings, Updated parameter, Updated velocity,
                    Updated momentum_slot, Updated average_gradient, Gradient gradient,
                    int64_t count, ThreadPool& pool);

// a += g^2;  p -= lr * g / sqrt(a + epsilon)
struct AdagradSettings {
  float learning_rate = 0.001f;
  float epsilon = 1e-7f;
};
void adagrad_update(const AdagradSettings& settings, Updated parameter, Updated accumulator,
                    Gradient gradient, int64_t count, ThreadPool& pool);

}  // namespace kernels
}  // namespace systolic::inline v0
