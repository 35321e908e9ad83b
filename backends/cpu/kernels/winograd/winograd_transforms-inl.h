// The one-dimensional transforms of F(4, 3) with the points 0, 1, -1, 2, -2 and infinity, on
// vectors of channels.
#if defined(SYSTOLIC_KERNELS_WINOGRAD_TRANSFORMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_KERNELS_WINOGRAD_TRANSFORMS_INL_H_
#undef SYSTOLIC_KERNELS_WINOGRAD_TRANSFORMS_INL_H_
#else
#define SYSTOLIC_KERNELS_WINOGRAD_TRANSFORMS_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

HWY_INLINE Vector constant(float value) { return hn::Set(Floats(), value); }

// out = B^T in: 6 -> 6.
//   | 4  0 -5  0  1  0 |
//   | 0 -4 -4  1  1  0 |
//   | 0  4 -4 -1  1  0 |
//   | 0 -2 -1  2  1  0 |
//   | 0  2 -1 -2  1  0 |
//   | 0  4  0 -5  0  1 |
HWY_INLINE void transform_window(const Vector in[6], Vector out[6]) {
  const Vector four = constant(4), five = constant(5), two = constant(2);
  const Vector even = hn::NegMulAdd(four, in[2], in[4]), odd = hn::NegMulAdd(four, in[1], in[3]);
  const Vector even2 = hn::Sub(in[4], in[2]), odd2 = hn::Mul(two, hn::Sub(in[3], in[1]));
  out[0] = hn::MulAdd(four, in[0], hn::NegMulAdd(five, in[2], in[4]));
  out[1] = hn::Add(even, odd);
  out[2] = hn::Sub(even, odd);
  out[3] = hn::Add(even2, odd2);
  out[4] = hn::Sub(even2, odd2);
  out[5] = hn::MulAdd(four, in[1], hn::NegMulAdd(five, in[3], in[5]));
}

// out = B in: 6 -> 6, the adjoint of the above.
HWY_INLINE void transform_window_adjoint(const Vector in[6], Vector out[6]) {
  const Vector four = constant(4), five = constant(5), two = constant(2);
  const Vector sum1 = hn::Add(in[1], in[2]), difference1 = hn::Sub(in[1], in[2]);
  const Vector sum2 = hn::Add(in[3], in[4]), difference2 = hn::Sub(in[3], in[4]);
  out[0] = hn::Mul(four, in[0]);
  out[1] = hn::NegMulAdd(four, difference1, hn::NegMulAdd(two, difference2, hn::Mul(four, in[5])));
  out[2] = hn::NegMulAdd(five, in[0], hn::NegMulAdd(four, sum1, hn::Neg(sum2)));
  out[3] = hn::MulAdd(two, difference2, hn::NegMulAdd(five, in[5], difference1));
  out[4] = hn::Add(in[0], hn::Add(sum1, sum2));
  out[5] = in[5];
}

// out = A^T in: 6 -> 4.
//   | 1 1  1 1  1 0 |
//   | 0 1 -1 2 -2 0 |
//   | 0 1  1 4  4 0 |
//   | 0 1 -1 8 -8 1 |
HWY_INLINE void transform_products(const Vector in[6], Vector out[4]) {
  const Vector sum1 = hn::Add(in[1], in[2]), difference1 = hn::Sub(in[1], in[2]);
  const Vector sum2 = hn::Add(in[3], in[4]), difference2 = hn::Sub(in[3], in[4]);
  out[0] = hn::Add(in[0], hn::Add(sum1, sum2));
  out[1] = hn::MulAdd(constant(2), difference2, difference1);
  out[2] = hn::MulAdd(constant(4), sum2, sum1);
  out[3] = hn::Add(in[5], hn::MulAdd(constant(8), difference2, difference1));
}

// out = A in: 4 -> 6, the adjoint of the above.
HWY_INLINE void transform_products_adjoint(const Vector in[4], Vector out[6]) {
  const Vector even1 = hn::Add(in[0], in[2]), odd1 = hn::Add(in[1], in[3]);
  const Vector even2 = hn::MulAdd(constant(4), in[2], in[0]);
  const Vector odd2 = hn::MulAdd(constant(8), in[3], hn::Mul(constant(2), in[1]));
  out[0] = in[0];
  out[1] = hn::Add(even1, odd1);
  out[2] = hn::Sub(even1, odd1);
  out[3] = hn::Add(even2, odd2);
  out[4] = hn::Sub(even2, odd2);
  out[5] = in[3];
}

// out = G in: 3 -> 6.
//   |  1/4     0     0  |
//   | -1/6  -1/6  -1/6  |
//   | -1/6   1/6  -1/6  |
//   | 1/24  1/12   1/6  |
//   | 1/24 -1/12   1/6  |
//   |   0     0     1   |
HWY_INLINE void transform_filter(const Vector in[3], Vector out[6]) {
  const Vector sixth = constant(1.0f / 6), twelfth = constant(1.0f / 12);
  const Vector even1 = hn::Mul(constant(-1.0f / 6), hn::Add(in[0], in[2])),
               odd1 = hn::Mul(sixth, in[1]);
  const Vector even2 = hn::MulAdd(constant(1.0f / 24), in[0], hn::Mul(sixth, in[2]));
  const Vector odd2 = hn::Mul(twelfth, in[1]);
  out[0] = hn::Mul(constant(0.25f), in[0]);
  out[1] = hn::Sub(even1, odd1);
  out[2] = hn::Add(even1, odd1);
  out[3] = hn::Add(even2, odd2);
  out[4] = hn::Sub(even2, odd2);
  out[5] = in[2];
}

// out = G^T in: 6 -> 3, the adjoint of the above.
HWY_INLINE void transform_filter_adjoint(const Vector in[6], Vector out[3]) {
  const Vector sixth = constant(1.0f / 6);
  const Vector sum1 = hn::Add(in[1], in[2]), difference1 = hn::Sub(in[2], in[1]);
  const Vector sum2 = hn::Add(in[3], in[4]), difference2 = hn::Sub(in[3], in[4]);
  out[0] = hn::MulAdd(constant(0.25f), in[0],
                      hn::NegMulAdd(sixth, sum1, hn::Mul(constant(1.0f / 24), sum2)));
  out[1] = hn::MulAdd(sixth, difference1, hn::Mul(constant(1.0f / 12), difference2));
  out[2] = hn::MulAdd(sixth, hn::Sub(sum2, sum1), in[5]);
}

// Vectors that make a line of the caches. They are transformed together: the pixels of a window
// often fall into the same few sets of the first-level cache, where a line does not stay until the
// next vector.
inline constexpr int line_vectors = HWY_LANES(float) >= 16 ? 1 : 16 / HWY_LANES(float);

// The two-dimensional form of each: first along the columns, then along the rows. source(i, j, v)
// gives element (i, j) of the `from` x `from` array, vector v of `vectors`; target(i, v, row) takes
// row i of the `to` x `to` array.
template <int from, int to, void (*transform)(const Vector*, Vector*), int vectors, class Source,
          class Target>
HWY_INLINE void transform_2d(const Source& source, const Target& target) {
  Vector half[vectors][to][from];
  for (int j = 0; j < from; ++j) {
    for (int v = 0; v < vectors; ++v) {
      Vector in[from], out[to];
      for (int i = 0; i < from; ++i) in[i] = source(i, j, v);
      transform(in, out);
      for (int i = 0; i < to; ++i) half[v][i][j] = out[i];
    }
  }
  for (int i = 0; i < to; ++i) {
    for (int v = 0; v < vectors; ++v) {
      Vector out[to];
      transform(half[v][i], out);
      target(i, v, out);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif  // include guard per target
