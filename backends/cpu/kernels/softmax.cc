#include "backends/cpu/kernels/softmax.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/error.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/softmax.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/reduce_f32-inl.h"
#include "backends/cpu/kernels/vector_loop-inl.h"
#include "backends/cpu/kernels/vector_math-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

// y = exp(x - shift), and their sum.
HWY_INLINE float exponentials(const float* x, float shift, float* y, int64_t count) {
  for_each_vector(0, count, [&](auto d, int64_t i) HWY_ATTR {
    const auto shifted = hn::Sub(hn::LoadU(d, x + i), hn::Set(d, shift));
    hn::StoreU(vector_math::exp(d, shifted), d, y + i);
  });
  return row_sum(y, count);
}
HWY_INLINE void multiply_by(float factor, const float* x, float* y, int64_t count) {
  for_each_vector(0, count, [&](auto d, int64_t i) HWY_ATTR {
    hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::Set(d, factor)), d, y + i);
  });
}

// Returns log(sum exp x) as the pair (max, log(sum exp(x - max))) without storing the exponentials.
struct LogSum {
  float maximum, logarithm;
};
HWY_INLINE LogSum log_sum_exp(const float* x, int64_t count) {
  const hn::ScalableTag<float> d;
  const float largest = row_maximum(x, count);
  const float sum = reduce_row(
      count, 0.0f,
      [&](int64_t i) HWY_ATTR {
        return vector_math::exp(d, hn::Sub(hn::LoadU(d, x + i), hn::Set(d, largest)));
      },
      [&](int64_t i) { return std::exp(x[i] - largest); },
      [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); },
      [](float a, float b) { return a + b; });
  return {largest, std::log(sum)};
}

HWY_INLINE float row_dot(const float* a, const float* b, int64_t count) {
  const hn::ScalableTag<float> d;
  return reduce_row(
      count, 0.0f,
      [&](int64_t i) HWY_ATTR { return hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i)); },
      [&](int64_t i) { return a[i] * b[i]; }, [](auto x, auto y) HWY_ATTR { return hn::Add(x, y); },
      [](float x, float y) { return x + y; });
}

void softmax_row(const float* x, float* y, int64_t count) {
  const float sum = exponentials(x, row_maximum(x, count), y, count);
  multiply_by(1.0f / sum, y, y, count);
}

void log_softmax_row(const float* x, float* y, int64_t count) {
  const LogSum log_sum = log_sum_exp(x, count);
  for_each_vector(0, count, [&](auto d, int64_t i) HWY_ATTR {
    const auto shifted = hn::Sub(hn::LoadU(d, x + i), hn::Set(d, log_sum.maximum));
    hn::StoreU(hn::Sub(shifted, hn::Set(d, log_sum.logarithm)), d, y + i);
  });
}

void softmax_gradient_row(const float* y, const float* gradient, float* result, int64_t count) {
  const float dot = row_dot(y, gradient, count);
  for_each_vector(0, count, [&](auto d, int64_t i) HWY_ATTR {
    const auto centered = hn::Sub(hn::LoadU(d, gradient + i), hn::Set(d, dot));
    hn::StoreU(hn::Mul(hn::LoadU(d, y + i), centered), d, result + i);
  });
}

void log_softmax_gradient_row(const float* y, const float* gradient, float* result, int64_t count) {
  const float sum = row_sum(gradient, count);
  for_each_vector(0, count, [&](auto d, int64_t i) HWY_ATTR {
    const auto p = vector_math::exp(d, hn::LoadU(d, y + i));
    hn::StoreU(hn::NegMulAdd(p, hn::Set(d, sum), hn::LoadU(d, gradient + i)), d, result + i);
  });
}

// Returns the loss; `label` is in range.
float cross_entropy_row(const float* x, int64_t label, float* probabilities, int64_t count) {
  const float wanted = x[label];
  if (probabilities == nullptr) {
    const LogSum log_sum = log_sum_exp(x, count);
    return log_sum.logarithm - (wanted - log_sum.maximum);
  }
  const float largest = row_maximum(x, count);
  const float sum = exponentials(x, largest, probabilities, count);
  multiply_by(1.0f / sum, probabilities, probabilities, count);
  return std::log(sum) - (wanted - largest);
}

void cross_entropy_gradient_row(const float* probabilities, int64_t label, float loss_gradient,
                                float* result, int64_t count) {
  const float at_label = (probabilities[label] - 1.0f) * loss_gradient;
  multiply_by(loss_gradient, probabilities, result, count);
  result[label] = at_label;
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(softmax_row);
HWY_EXPORT(log_softmax_row);
HWY_EXPORT(softmax_gradient_row);
HWY_EXPORT(log_softmax_gradient_row);
HWY_EXPORT(cross_entropy_row);
HWY_EXPORT(cross_entropy_gradient_row);

namespace {

void for_each_row(Rows shape, ThreadPool& pool, FunctionRef<void(int64_t)> body) {
  constexpr int64_t grain = 4096;  // elements; exponentials are dear
  const auto rows = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) body(row);
  };
  if (shape.columns == 0 || shape.rows == 0) return;
  if (shape.rows * shape.columns <= grain) return rows(0, shape.rows);
  pool.parallel_for(shape.rows, std::max<int64_t>(1, grain / shape.columns), rows);
}

void check_labels(DType dtype) {
  if (dtype == DType::i32 || dtype == DType::i64) return;
  raise<Unimplemented>({.what = str("softmax cross-entropy with labels of ", dtype),
                        .wanted = "i32 or i64",
                        .hint = "convert the labels"});
}
int64_t label_at(const void* labels, DType dtype, int64_t row) {
  return dtype == DType::i32 ? static_cast<const int32_t*>(labels)[row]
                             : static_cast<const int64_t*>(labels)[row];
}

}  // namespace

void softmax(const float* input, float* output, Rows shape, ThreadPool& pool) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(softmax_row);
  for_each_row(shape, pool, [&](int64_t row) {
    kernel(input + row * shape.columns, output + row * shape.columns, shape.columns);
  });
}

void log_softmax(const float* input, float* output, Rows shape, ThreadPool& pool) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(log_softmax_row);
  for_each_row(shape, pool, [&](int64_t row) {
    kernel(input + row * shape.columns, output + row * shape.columns, shape.columns);
  });
}

void softmax_gradient(const float* softmax_output, const float* gradient, float* input_gradient,
                      Rows shape, ThreadPool& pool) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(softmax_gradient_row);
  for_each_row(shape, pool, [&](int64_t row) {
    const int64_t at = row * shape.columns;
    kernel(softmax_output + at, gradient + at, input_gradient + at, shape.columns);
  });
}

void log_softmax_gradient(const float* log_softmax_output, const float* gradient,
                          float* input_gradient, Rows shape, ThreadPool& pool) {
  const auto kernel = HWY_DYNAMIC_DISPATCH(log_softmax_gradient_row);
  for_each_row(shape, pool, [&](int64_t row) {
    const int64_t at = row * shape.columns;
    kernel(log_softmax_output + at, gradient + at, input_gradient + at, shape.columns);
  });
}

void softmax_cross_entropy(const float* logits, const void* labels, DType label_dtype, float* loss,
                           float* probabilities, Rows shape, ThreadPool& pool) {
  check_labels(label_dtype);
  const auto kernel = HWY_DYNAMIC_DISPATCH(cross_entropy_row);
  for_each_row(shape, pool, [&](int64_t row) {
    const int64_t at = row * shape.columns, label = label_at(labels, label_dtype, row);
    const bool known = label >= 0 && label < shape.columns;
    float* row_probabilities = probabilities == nullptr ? nullptr : probabilities + at;
    const float value = kernel(logits + at, known ? label : 0, row_probabilities, shape.columns);
    loss[row] = known ? value : NAN;
  });
}

void softmax_cross_entropy_gradient(const float* probabilities, const void* labels,
                                    DType label_dtype, const float* loss_gradient, bool uniform,
                                    float* logits_gradient, Rows shape, ThreadPool& pool) {
  check_labels(label_dtype);
  const auto kernel = HWY_DYNAMIC_DISPATCH(cross_entropy_gradient_row);
  for_each_row(shape, pool, [&](int64_t row) {
    const int64_t at = row * shape.columns, label = label_at(labels, label_dtype, row);
    if (label < 0 || label >= shape.columns) {
      std::fill_n(logits_gradient + at, shape.columns, NAN);
      return;
    }
    kernel(probabilities + at, label, loss_gradient[uniform ? 0 : row], logits_gradient + at,
           shape.columns);
  });
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
