// Row softmax and softmax cross-entropy, forward and backward, on [rows, columns] f32, row-major.
//
// Each row is reduced on one thread in a fixed order. Sums are f32 in several accumulators.
#pragma once

#include <cstdint>

#include "systolic/base/thread_pool.h"
#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

struct Rows {
  int64_t rows = 0;
  int64_t columns = 0;
};

// output[r, c] = exp(x[r, c] - max of row) / sum of the row's exponentials. output may be input.
void softmax(const float* input, float* output, Rows shape, ThreadPool& pool);
// output[r, c] = x[r, c] - max - log(sum exp(x - max)). output may be input.
void log_softmax(const float* input, float* output, Rows shape, ThreadPool& pool);
// input_gradient = y * (gradient - sum over the row of gradient * y), y = softmax(x). May be either
// operand.
void softmax_gradient(const float* softmax_output, const float* gradient, float* input_gradient,
                      Rows shape, ThreadPool& pool);
// input_gradient = gradient - exp(y) * (sum over the row of gradient), y = log_softmax(x). May be
// either operand.
void log_softmax_gradient(const float* log_softmax_output, const float* gradient,
                          float* input_gradient, Rows shape, ThreadPool& pool);

// loss[r] = -log softmax(logits)[r, labels[r]]. Labels are i32 or i64; a label outside [0, columns)
// gives a NaN loss. `probabilities` [rows, columns] receives the softmax unless null.
void softmax_cross_entropy(const float* logits, const void* labels, DType label_dtype, float* loss,
                           float* probabilities, Rows shape, ThreadPool& pool);
// logits_gradient[r, c] = (probabilities[r, c] - (c == labels[r])) * loss_gradient[r].
// `loss_gradient` has one element a row, or one in all when uniform. A label out of range leaves
// NaN in its row. May be `probabilities`.
void softmax_cross_entropy_gradient(const float* probabilities, const void* labels,
                                    DType label_dtype, const float* loss_gradient, bool uniform,
                                    float* logits_gradient, Rows shape, ThreadPool& pool);

}  // namespace kernels
}  // namespace systolic::inline v0
