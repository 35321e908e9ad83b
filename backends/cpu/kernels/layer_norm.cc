#include "backends/cpu/kernels/layer_norm.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/layer_norm.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/reduce_f32-inl.h"
#include "backends/cpu/kernels/vector_loop-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

template <class D>
HWY_INLINE hn::Vec<D> load_or(D d, const float* array, int64_t i, float missing) {
  return array == nullptr ? hn::Set(d, missing) : hn::LoadU(d, array + i);
}

// Sum over the row of (x - mean)^2.
HWY_INLINE float row_square_distance(const float* x, float mean, int64_t count) {
  const hn::ScalableTag<float> d;
  return reduce_row(
      count, 0.0f,
      [&](int64_t i) HWY_ATTR {
        const auto distance = hn::Sub(hn::LoadU(d, x + i), hn::Set(d, mean));
        return hn::Mul(distance, distance);
      },
      [&](int64_t i) { return (x[i] - mean) * (x[i] - mean); },
      [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); },
      [](float a, float b) { return a + b; });
}

// Writes the row's mean and rstd.
void normalize_row(const float* x, const float* gamma, const float* beta, float epsilon, float* y,
                   float* mean_result, float* rstd_result, int64_t count) {
  const float size = static_cast<float>(count);
  const float mean = row_sum(x, count) / size;
  const float variance = row_square_distance(x, mean, count) / size;
  const float rstd = 1.0f / std::sqrt(variance + epsilon);
  for_each_vector(0, count, [&](auto d, int64_t i) HWY_ATTR {
    const auto centered = hn::Sub(hn::LoadU(d, x + i), hn::Set(d, mean));
    const auto xhat = hn::Mul(centered, hn::Set(d, rstd));
    hn::StoreU(hn::MulAdd(xhat, load_or(d, gamma, i, 1.0f), load_or(d, beta, i, 0.0f)), d, y + i);
  });
  *mean_result = mean;
  *rstd_result = rstd;
}

// One row of LayerNormGradients; the sums over rows are added to gamma_sum and beta_sum unless they
// are null.
void gradient_row(const float* x, const float* gamma, float mean, float rstd, const float* gradient,
                  float* input_gradient, float* gamma_sum, float* beta_sum, int64_t count) {
  const hn::ScalableTag<float> vector;
  const auto xhat = [&](auto d, int64_t i) HWY_ATTR {
    const auto centered = hn::Sub(hn::LoadU(d, x + i), hn::Set(d, mean));
    return hn::Mul(centered, hn::Set(d, rstd));
  };
  const auto h = [&](auto d, int64_t i) HWY_ATTR {
    return hn::Mul(hn::LoadU(d, gradient + i), load_or(d, gamma, i, 1.0f));
  };
  if (gamma_sum != nullptr) {
    for_each_vector(0, count, [&](auto d, int64_t i) HWY_ATTR {
      const auto g = hn::LoadU(d, gradient + i);
      hn::StoreU(hn::MulAdd(g, xhat(d, i), hn::LoadU(d, gamma_sum + i)), d, gamma_sum + i);
      hn::StoreU(hn::Add(g, hn::LoadU(d, beta_sum + i)), d, beta_sum + i);
    });
  }
  if (input_gradient == nullptr) return;
  const auto one_h = [&](int64_t i) { return gradient[i] * (gamma == nullptr ? 1.0f : gamma[i]); };
  const auto one_xhat = [&](int64_t i) { return (x[i] - mean) * rstd; };
  const auto add = [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); };
  const auto add_one = [](float a, float b) { return a + b; };
  const float size = static_cast<float>(count);
  const float mean_h =
      reduce_row(
          count, 0.0f, [&](int64_t i) HWY_ATTR { return h(vector, i); }, one_h, add, add_one) /
      size;
  const float mean_hx =
      reduce_row(
          count, 0.0f, [&](int64_t i) HWY_ATTR { return hn::Mul(h(vector, i), xhat(vector, i)); },
          [&](int64_t i) { return one_h(i) * one_xhat(i); }, add, add_one) /
      size;
  for_each_vector(0, count, [&](auto d, int64_t i) HWY_ATTR {
    const auto centered = hn::Sub(h(d, i), hn::Set(d, mean_h));
    const auto inner = hn::NegMulAdd(xhat(d, i), hn::Set(d, mean_hx), centered);
    hn::StoreU(hn::Mul(inner, hn::Set(d, rstd)), d, input_gradient + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(normalize_row);
HWY_EXPORT(gradient_row);

namespace {

constexpr int64_t grain_elements = 8192;
// Partial sums over rows: at most so many, each over rows that lie together; fixed by the shape.
constexpr int64_t most_pieces = 32;

int64_t piece_count(Rows shape) {
  const int64_t worth = shape.rows * shape.columns / grain_elements;
  return std::clamp<int64_t>(worth, 1, std::min(most_pieces, std::max<int64_t>(1, shape.rows)));
}

}  // namespace

void layer_norm(const float* input, const float* gamma, const float* beta, float epsilon,
                float* output, float* mean, float* rstd, Rows shape, ThreadPool& pool) {
  const int64_t columns = shape.columns;
  const auto kernel = HWY_DYNAMIC_DISPATCH(normalize_row);
  const auto body = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      float row_mean, row_rstd;
      kernel(input + row * columns, gamma, beta, epsilon, output + row * columns, &row_mean,
             &row_rstd, columns);
      if (mean != nullptr) mean[row] = row_mean;
      if (rstd != nullptr) rstd[row] = row_rstd;
    }
  };
  if (shape.rows == 0 || columns == 0) return;
  if (shape.rows * columns <= grain_elements) return body(0, shape.rows);
  pool.parallel_for(shape.rows, std::max<int64_t>(1, grain_elements / columns), body);
}

size_t layer_norm_gradient_scratch_bytes(Rows shape) {
  return static_cast<size_t>(piece_count(shape) * 2 * shape.columns) * sizeof(float);
}

void layer_norm_gradient(const float* input, const float* gamma, const float* mean,
                         const float* rstd, const float* gradient, LayerNormGradients outputs,
                         Rows shape, void* scratch, ThreadPool& pool) {
  const int64_t columns = shape.columns, pieces = piece_count(shape);
  const bool sums = outputs.gamma_gradient != nullptr || outputs.beta_gradient != nullptr;
  float* partial = static_cast<float*>(scratch);
  const auto kernel = HWY_DYNAMIC_DISPATCH(gradient_row);
  const auto body = [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) {
      float* gamma_sum = sums ? partial + piece * 2 * columns : nullptr;
      float* beta_sum = sums ? gamma_sum + columns : nullptr;
      if (sums) std::fill_n(gamma_sum, 2 * columns, 0.0f);
      const int64_t first = shape.rows * piece / pieces, last = shape.rows * (piece + 1) / pieces;
      for (int64_t row = first; row < last; ++row) {
        const int64_t at = row * columns;
        float* result = outputs.input_gradient == nullptr ? nullptr : outputs.input_gradient + at;
        kernel(input + at, gamma, mean[row], rstd[row], gradient + at, result, gamma_sum, beta_sum,
               columns);
      }
    }
  };
  if (pieces == 1) {
    body(0, 1);
  } else {
    pool.parallel_for(pieces, 1, body);
  }
  const auto combine = [&](float* result, int64_t which) {
    if (result == nullptr) return;
    for (int64_t j = 0; j < columns; ++j) {
      double total = 0;
      for (int64_t piece = 0; piece < pieces; ++piece) {
        total += partial[(piece * 2 + which) * columns + j];
      }
      result[j] = static_cast<float>(total);
    }
  };
  combine(outputs.gamma_gradient, 0);
  combine(outputs.beta_gradient, 1);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
