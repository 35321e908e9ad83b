#include "systolic/nn/layers/preprocessing/audio/real_dft.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// exp(-2 π i a b / samples) for a and b from 0 on.
Spectrum waves(int64_t rows, int64_t columns, int64_t samples) {
  std::vector<float> real, imaginary;
  for (int64_t a = 0; a < rows; ++a) {
    for (int64_t b = 0; b < columns; ++b) {
      const double turns = static_cast<double>(a * b % samples) / static_cast<double>(samples);
      real.push_back(static_cast<float>(std::cos(2 * std::numbers::pi * turns)));
      imaginary.push_back(static_cast<float>(-std::sin(2 * std::numbers::pi * turns)));
    }
  }
  const Shape shape{rows, columns};
  return {constant(Literal::from(real, shape)), constant(Literal::from(imaginary, shape))};
}

int64_t divisor_below_root(int64_t samples) {
  int64_t best = 1;
  for (int64_t divisor = 2; divisor * divisor <= samples; ++divisor)
    if (samples % divisor == 0) best = divisor;
  return best;
}

}  // namespace

// With samples = A B, n = B a + b and k = c + A d: sums over a for each c and b, times exp(-2 π i b
// c / samples), then over b for each d.
Spectrum real_dft(const Tensor& x) {
  const int64_t rows = x.shape()[0], samples = x.shape()[1];
  const int64_t first = divisor_below_root(samples), second = samples / first;
  const Tensor parts = reshape(x, {rows, first, second});
  const Spectrum outer = waves(first, first, first);
  const Tensor real = einsum("rab,ac->rcb", parts, outer.real);
  const Tensor imaginary = einsum("rab,ac->rcb", parts, outer.imaginary);
  const Spectrum turn = waves(first, second, samples);
  const Tensor turned_real = real * turn.real - imaginary * turn.imaginary;
  const Tensor turned_imaginary = real * turn.imaginary + imaginary * turn.real;
  const int64_t wanted = samples / 2 / first + 1;
  const Spectrum inner = waves(second, wanted, second);
  const auto summed = [&](const Tensor& part, const Tensor& wave) {
    return einsum("rcb,bd->rdc", part, wave);
  };
  const auto flat = [&](const Tensor& result) {
    return slice(reshape(result, {rows, wanted * first}), {0, 0}, {rows, samples / 2 + 1});
  };
  return {flat(summed(turned_real, inner.real) - summed(turned_imaginary, inner.imaginary)),
          flat(summed(turned_real, inner.imaginary) + summed(turned_imaginary, inner.real))};
}

}  // namespace systolic::inline v0
