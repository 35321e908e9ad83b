#include "backends/cpu/kernels/product_end.h"

#include <algorithm>

#include "backends/cpu/kernels/float_conversion.h"
#include "systolic/core/float_types.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

// Compilers vectorize these loops: the comparisons are selections, in which a NaN is neither less
// nor more.
void finish_row(float* y, int64_t count, const float* bias, const Bounds& bounds) {
  const float least = bounds.least, most = bounds.most;
  const auto within = [=](float value) {
    value = value < least ? least : value;
    return value > most ? most : value;
  };
  if (bias == nullptr) {
    for (int64_t i = 0; i < count; ++i) y[i] = within(y[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) y[i] = within(y[i] + bias[i]);
  }
}

void finish_row(bfloat16* y, int64_t count, const float* /*bias*/, const Bounds& bounds) {
  constexpr int64_t block = 256;
  float wide[block];
  for (int64_t begin = 0; begin < count; begin += block) {
    const int64_t size = std::min(block, count - begin);
    widen_floats(DType::bf16, y + begin, wide, size);
    finish_row(wide, size, nullptr, bounds);
    narrow_floats(DType::bf16, wide, y + begin, size);
  }
}

template <class T>
void finish_rows(const ProductRows& y, const float* bias, const Bounds& bounds) {
  auto* numbers = static_cast<T*>(y.data);
  // Rows that lie together are one, if they need no bias.
  const bool joined = bias == nullptr && y.stride == y.columns;
  const int64_t rows = joined ? 1 : y.rows, columns = joined ? y.rows * y.columns : y.columns;
  for (int64_t row = 0; row < rows; ++row) {
    finish_row(numbers + row * y.stride, columns, bias, bounds);
  }
}

}  // namespace

void finish_product(const ProductRows& y, const float* bias, const Bounds& bounds) {
  return y.dtype == DType::bf16 ? finish_rows<bfloat16>(y, bias, bounds)
                                : finish_rows<float>(y, bias, bounds);
}

}  // namespace kernels
}  // namespace systolic::inline v0
