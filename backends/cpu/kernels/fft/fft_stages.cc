#include "backends/cpu/kernels/fft/fft_stages.h"

#include <cmath>
#include <numbers>

namespace systolic::inline v0 {
namespace kernels {
namespace {

int64_t next_radix(int64_t n) {
  for (int64_t radix : {4, 2, 3, 5}) {
    if (n % radix == 0) return radix;
  }
  for (int64_t radix = 7; radix * radix <= n; radix += 2) {
    if (n % radix == 0) return radix;
  }
  return n;
}

// Appends exp(-2 pi i number / n).
template <class T>
void append_root(std::vector<T>& roots, int64_t number, int64_t n) {
  const double turn = static_cast<double>(number % n) / static_cast<double>(n);
  roots.push_back(static_cast<T>(std::cos(2 * std::numbers::pi * turn)));
  roots.push_back(static_cast<T>(-std::sin(2 * std::numbers::pi * turn)));
}

}  // namespace

template <class T>
std::vector<FftStage<T>> fft_stages(int64_t n) {
  std::vector<FftStage<T>> stages;
  for (int64_t rest = n, stride = 1; rest > 1;) {
    FftStage<T> stage;
    stage.radix = next_radix(rest);
    stage.m = rest / stage.radix;
    stage.stride = stride;
    for (int64_t p = 0; p < stage.m; ++p) {
      for (int64_t k = 1; k < stage.radix; ++k) append_root(stage.twiddles, p * k, rest);
    }
    for (int64_t k = 0; stage.radix > 5 && k < stage.radix; ++k) {
      append_root(stage.roots, k, stage.radix);
    }
    stride *= stage.radix;
    rest = stage.m;
    stages.push_back(std::move(stage));
  }
  return stages;
}

template std::vector<FftStage<float>> fft_stages(int64_t n);
template std::vector<FftStage<double>> fft_stages(int64_t n);

}  // namespace kernels
}  // namespace systolic::inline v0
