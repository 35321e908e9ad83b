#include <algorithm>
#include <array>
#include <limits>

#include "backends/cpu/kernels/reduce/reduce.h"
#include "backends/cpu/kernels/reduce/reduce_f32.h"
#include "backends/cpu/kernels/tile/tile_io.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

// The first NaN, else the first largest value, of a piece of a row.
int64_t find_extreme(const float* values, int64_t count, float extreme) {
  const bool nan = extreme != extreme;
  for (int64_t i = 0; i < count; ++i) {
    if (nan ? values[i] != values[i] : values[i] == extreme) return i;
  }
  return 0;
}

int32_t argmax_row(DType dtype, const char* row, int64_t columns) {
  constexpr int64_t block = 1024;
  alignas(64) std::array<float, block> widened;
  float best = -std::numeric_limits<float>::infinity();
  int64_t where = 0;
  for (int64_t begin = 0; begin < columns && best == best; begin += block) {
    const int64_t count = std::min(block, columns - begin);
    const float* values = reinterpret_cast<const float*>(row) + begin;
    if (dtype != DType::f32) {
      widen(dtype, row + begin * byte_width(dtype), widened.data(), count);
      values = widened.data();
    }
    const float largest = maximum_f32(values, count);
    if (largest > best || largest != largest) {
      best = largest;
      where = begin + find_extreme(values, count, largest);
    }
  }
  return static_cast<int32_t>(where);
}

}  // namespace

void argmax_rows(DType dtype, const void* input, int32_t* output, int64_t rows, int64_t columns,
                 ThreadPool& pool) {
  if (TileProgramBuilder::compute_type(dtype) != DType::f32) {
    raise<Unimplemented>({.what = str("argmax of rows of ", dtype), .wanted = "f32, bf16 or f16"});
  }
  const int64_t row_bytes = columns * byte_width(dtype);
  const auto body = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      output[row] = argmax_row(dtype, static_cast<const char*>(input) + row * row_bytes, columns);
    }
  };
  constexpr int64_t grain = 16384;
  if (rows * columns <= grain) return body(0, rows);
  pool.parallel_for(rows, std::max<int64_t>(1, grain / std::max<int64_t>(1, columns)), body);
}

}  // namespace kernels
}  // namespace systolic::inline v0
