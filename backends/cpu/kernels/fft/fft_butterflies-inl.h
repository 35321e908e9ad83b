// One stage of a transform in each lane: element i of a buffer is a vector of real parts, then one
// of imaginary parts. For use inside Highway's per-target code.

#include <cstdint>

#include "backends/cpu/kernels/fft/fft_stages.h"

#if defined(SYSTOLIC_FFT_BUTTERFLIES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_FFT_BUTTERFLIES_INL_H_
#undef SYSTOLIC_FFT_BUTTERFLIES_INL_H_
#else
#define SYSTOLIC_FFT_BUTTERFLIES_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class V>
struct Complex {
  V re, im;
};

template <class D, class V = hn::Vec<D>>
HWY_INLINE Complex<V> load_complex(D d, const hn::TFromD<D>* at) {
  return {hn::Load(d, at), hn::Load(d, at + hn::Lanes(d))};
}
template <class D, class V>
HWY_INLINE void store_complex(D d, Complex<V> z, hn::TFromD<D>* at) {
  hn::Store(z.re, d, at);
  hn::Store(z.im, d, at + hn::Lanes(d));
}

template <class V>
HWY_INLINE Complex<V> plus(Complex<V> a, Complex<V> b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}
template <class V>
HWY_INLINE Complex<V> minus(Complex<V> a, Complex<V> b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}
template <class V>
HWY_INLINE Complex<V> times(Complex<V> a, Complex<V> w) {
  return {hn::NegMulAdd(a.im, w.im, hn::Mul(a.re, w.re)),
          hn::MulAdd(a.re, w.im, hn::Mul(a.im, w.re))};
}
template <class V>
HWY_INLINE Complex<V> scaled(Complex<V> a, V factor) {
  return {hn::Mul(a.re, factor), hn::Mul(a.im, factor)};
}
// a + factor b
template <class V>
HWY_INLINE Complex<V> plus_scaled(Complex<V> a, V factor, Complex<V> b) {
  return {hn::MulAdd(factor, b.re, a.re), hn::MulAdd(factor, b.im, a.im)};
}
// -i a
template <class V>
HWY_INLINE Complex<V> turned(Complex<V> a) {
  return {a.im, hn::Neg(a.re)};
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE void butterfly(D, Complex<V> (&a)[2]) {
  const Complex<V> sum = plus(a[0], a[1]);
  a[1] = minus(a[0], a[1]);
  a[0] = sum;
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE void butterfly(D d, Complex<V> (&a)[3]) {
  using T = hn::TFromD<D>;
  const Complex<V> sum = plus(a[1], a[2]), apart = minus(a[1], a[2]);
  const Complex<V> middle = plus_scaled(a[0], hn::Set(d, T(-0.5)), sum);
  const Complex<V> side = turned(scaled(apart, hn::Set(d, T(0.86602540378443864676))));
  a[0] = plus(a[0], sum);
  a[1] = plus(middle, side);
  a[2] = minus(middle, side);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE void butterfly(D, Complex<V> (&a)[4]) {
  const Complex<V> even = plus(a[0], a[2]), even_apart = minus(a[0], a[2]);
  const Complex<V> odd = plus(a[1], a[3]), odd_apart = turned(minus(a[1], a[3]));
  a[0] = plus(even, odd);
  a[1] = plus(even_apart, odd_apart);
  a[2] = minus(even, odd);
  a[3] = minus(even_apart, odd_apart);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE void butterfly(D d, Complex<V> (&a)[5]) {
  using T = hn::TFromD<D>;
  const V cos1 = hn::Set(d, T(0.30901699437494742410)),
          sin1 = hn::Set(d, T(0.95105651629515357212));
  const V cos2 = hn::Set(d, T(-0.8090169943749474241)),
          sin2 = hn::Set(d, T(0.58778525229247312917));
  const Complex<V> near = plus(a[1], a[4]), near_apart = minus(a[1], a[4]);
  const Complex<V> far = plus(a[2], a[3]), far_apart = minus(a[2], a[3]);
  const Complex<V> m1 = plus_scaled(plus_scaled(a[0], cos1, near), cos2, far);
  const Complex<V> m2 = plus_scaled(plus_scaled(a[0], cos2, near), cos1, far);
  const Complex<V> s1 = turned(plus_scaled(scaled(near_apart, sin1), sin2, far_apart));
  const Complex<V> s2 = turned(minus(scaled(near_apart, sin2), scaled(far_apart, sin1)));
  a[0] = plus(a[0], plus(near, far));
  a[1] = plus(m1, s1);
  a[2] = plus(m2, s2);
  a[3] = minus(m2, s2);
  a[4] = minus(m1, s1);
}

// x to y, radix elements at a time.
template <int radix, class D, class T = hn::TFromD<D>>
HWY_INLINE void run_stage(D d, const FftStage<T>& stage, const T* x, T* y) {
  using V = hn::Vec<D>;
  const int64_t width = 2 * static_cast<int64_t>(hn::Lanes(d));
  const int64_t apart = stage.stride * stage.m * width, row = stage.stride * width;
  const T* twiddles = stage.twiddles.data();
  for (int64_t p = 0; p < stage.m; ++p) {
    Complex<V> w[radix];
    for (int k = 1; k < radix; ++k) {
      w[k] = {hn::Set(d, twiddles[2 * k - 2]), hn::Set(d, twiddles[2 * k - 1])};
    }
    twiddles += 2 * (radix - 1);
    const T* from = x + p * row;
    T* to = y + p * radix * row;
    for (int64_t q = 0; q < row; q += width) {
      Complex<V> a[radix];
      for (int j = 0; j < radix; ++j) a[j] = load_complex(d, from + q + j * apart);
      butterfly(d, a);
      store_complex(d, a[0], to + q);
      for (int k = 1; k < radix; ++k) {
        store_complex(d, p == 0 ? a[k] : times(a[k], w[k]), to + q + k * row);
      }
    }
  }
}

// Any radix, as its definition has it.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void run_any_stage(D d, const FftStage<T>& stage, const T* x, T* y) {
  using V = hn::Vec<D>;
  const int64_t width = 2 * static_cast<int64_t>(hn::Lanes(d)), radix = stage.radix;
  const int64_t apart = stage.stride * stage.m * width, row = stage.stride * width;
  for (int64_t p = 0; p < stage.m; ++p) {
    for (int64_t k = 0; k < radix; ++k) {
      const T* twiddle = stage.twiddles.data() + 2 * (p * (radix - 1) + k - 1);
      for (int64_t q = 0; q < row; q += width) {
        const T* from = x + p * row + q;
        Complex<V> sum = load_complex(d, from);
        for (int64_t j = 1, turn = k; j < radix; ++j) {
          const T* root = stage.roots.data() + 2 * turn;
          const Complex<V> w = {hn::Set(d, root[0]), hn::Set(d, root[1])};
          sum = plus(sum, times(load_complex(d, from + j * apart), w));
          turn = turn + k < radix ? turn + k : turn + k - radix;
        }
        if (k > 0 && p > 0) {
          sum = times(sum, Complex<V>{hn::Set(d, twiddle[0]), hn::Set(d, twiddle[1])});
        }
        store_complex(d, sum, y + (p * radix + k) * row + q);
      }
    }
  }
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void run_stage(D d, const FftStage<T>& stage, const T* x, T* y) {
  switch (stage.radix) {
    case 2:
      return run_stage<2>(d, stage, x, y);
    case 3:
      return run_stage<3>(d, stage, x, y);
    case 4:
      return run_stage<4>(d, stage, x, y);
    case 5:
      return run_stage<5>(d, stage, x, y);
    default:
      return run_any_stage(d, stage, x, y);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif
