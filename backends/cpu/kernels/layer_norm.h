// Layer normalization over the last axis of [rows, columns] f32 (Ba, Kiros, Hinton 2016; Keras
// LayerNormalization).
#pragma once

#include <cstddef>
#include <cstdint>

#include "backends/cpu/kernels/softmax.h"
#include "systolic/base/thread_pool.h"

namespace systolic::inline v0 {
namespace kernels {

// mean[r] and rstd[r] = 1 / sqrt(variance + epsilon) of row r, the variance taken about the mean
// (two passes); output[r, c] = (x - mean) * rstd * gamma[c] + beta[c]. gamma, beta [columns] may be
// null (1 and 0); mean and rstd [rows] may be null when nobody wants them. output may be input.
void layer_norm(const float* input, const float* gamma, const float* beta, float epsilon,
                float* output, float* mean, float* rstd, Rows shape, ThreadPool& pool);

// Gradients from the saved mean and rstd. With xhat = (x - mean) * rstd and h = gradient * gamma:
//   input_gradient = rstd * (h - mean over row of h - xhat * mean over row of (h * xhat))
//   gamma_gradient[c] = sum over rows of gradient * xhat;  beta_gradient[c] = sum over rows of
//   gradient.
// Any of the three outputs may be null. Rows are cut into pieces by the shape alone, so sums do not
// depend on threads.
struct LayerNormGradients {
  float* input_gradient = nullptr;
  float* gamma_gradient = nullptr;
  float* beta_gradient = nullptr;
};
size_t layer_norm_gradient_scratch_bytes(Rows shape);
void layer_norm_gradient(const float* input, const float* gamma, const float* mean,
                         const float* rstd, const float* gradient, LayerNormGradients outputs,
                         Rows shape, void* scratch, ThreadPool& pool);

}  // namespace kernels
}  // namespace systolic::inline v0
