// What a TPU's matrix unit (MXU) does of a step's work, which the monitor shows a run of the
// software TPU as.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace cpu {

struct MatrixWork {
  double flops = 0;
  double padded_flops = 0;  // with what the unit pads

  MatrixWork& operator+=(const MatrixWork& other) {
    flops += other.flops;
    padded_flops += other.padded_flops;
    return *this;
  }
  friend MatrixWork operator*(double times, const MatrixWork& work) {
    return {times * work.flops, times * work.padded_flops};
  }
};

// `batch` products of (m, k) by (k, n), on a unit of `unit` rows and columns: it holds a tile of
// the right operand, through which the left one's rows go, 8 at a time.
//
//   product_work(1, 200, 784, 10, 128)   // {2 * 200 * 784 * 10, 2 * 200 * 896 * 128}
inline MatrixWork product_work(double batch, int64_t m, int64_t k, int64_t n, int64_t unit) {
  constexpr int64_t rows = 8;
  const auto up = [](int64_t size, int64_t to) {
    return static_cast<double>((size + to - 1) / to * to);
  };
  return {2 * batch * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n),
          2 * batch * up(m, rows) * up(k, unit) * up(n, unit)};
}

}  // namespace cpu
}  // namespace systolic::inline v0
