// What follows a product or a convolution that a library computes: a bias, and bounds. Libraries'
// own ends take a NaN for a number below the least; here it stays one, as maximum and minimum of
// StableHLO say.
#pragma once

#include <cstdint>
#include <limits>

#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

struct Bounds {
  float least = -std::numeric_limits<float>::infinity();
  float most = std::numeric_limits<float>::infinity();
};

// `rows` rows of `columns` numbers, `stride` numbers apart.
struct ProductRows {
  void* data = nullptr;
  DType dtype = DType::f32;  // or bf16
  int64_t rows = 1, columns = 0, stride = 0;
};

// y[row][column] = min(max(y[row][column] + bias[column], least), most). A bias is for f32 alone:
// in bf16 the sum would be rounded twice. It may be null.
void finish_product(const ProductRows& y, const float* bias, const Bounds& bounds);

}  // namespace kernels
}  // namespace systolic::inline v0
