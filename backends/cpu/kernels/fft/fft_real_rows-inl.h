// Rows of real numbers and of halves of their spectra, as fft_rows-inl.h has the complex ones: row
// 2 i of a group is the real part of lane i and row 2 i + 1 the imaginary one, where a pass is
// paired. For use inside Highway's per-target code.
#if defined(SYSTOLIC_FFT_REAL_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_FFT_REAL_ROWS_INL_H_
#undef SYSTOLIC_FFT_REAL_ROWS_INL_H_
#else
#define SYSTOLIC_FFT_REAL_ROWS_INL_H_
#endif

#include "backends/cpu/kernels/fft/fft_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

template <class T>
HWY_INLINE void load_real_rows(const FftPass<T>& pass, const Group<T>& group, const T* from, T* x) {
  const Lanes<T> d;
  constexpr int64_t lanes = lane_count<T>;
  if (!pass.paired) {
    for (int64_t e = 0; e < pass.n; ++e) std::fill_n(x + 2 * lanes * e + lanes, lanes, T{0});
    return for_each_block(0, pass.n, lanes, group.from, [&](int64_t i, int64_t e, int64_t row) {
      x[2 * lanes * e + i] = from[row + e * pass.from_step];
    });
  }
  int64_t e = 0;
  for (; pass.from_step == 1 && e + lanes <= pass.n; e += lanes) {
    for (int64_t part = 0; part < 2; ++part) {
      hn::Vec<Lanes<T>> rows[lanes];
      for (int64_t i = 0; i < lanes; ++i) {
        rows[i] = hn::LoadU(d, from + group.from[2 * i + part] + e);
      }
      transpose_square(d, rows);
      T* to = x + 2 * lanes * e + part * lanes;
      for (int64_t k = 0; k < lanes; ++k) hn::Store(rows[k], d, to + 2 * lanes * k);
    }
  }
  for_each_block(e, pass.n, 2 * lanes, group.from, [&](int64_t i, int64_t element, int64_t row) {
    x[2 * lanes * element + (i & 1) * lanes + i / 2] = from[row + element * pass.from_step];
  });
}

// Z = A + i B from the halves of A and B, whose other halves are their conjugates; real and
// imaginary parts exchanged, since this goes backwards.
template <class V>
struct Joined {
  V low_re, low_im, high_re, high_im;  // of elements e and n - e
};
template <class D, class V = hn::Vec<D>>
HWY_INLINE Joined<V> join_halves(D, V a_re, V a_im, V b_re, V b_im) {
  return {hn::Add(a_im, b_re), hn::Sub(a_re, b_im), hn::Sub(b_re, a_im), hn::Add(a_re, b_im)};
}

// Elements [begin, end) of all lanes, one number at a time.
template <class T>
void load_half_elements(const FftPass<T>& pass, const Group<T>& group, int64_t begin, int64_t end,
                        const T* from, T* x) {
  constexpr int64_t lanes = lane_count<T>;
  for (int64_t i = 0; i < lanes; ++i) {
    for (int64_t e = begin; e < end; ++e) {
      const T* a = from + 2 * (group.from[2 * i] + e * pass.from_step);
      const T* b = from + 2 * (group.from[2 * i + 1] + e * pass.from_step);
      const bool alone = e == 0 || 2 * e == pass.n;
      const T ai = alone ? T{0} : a[1], bi = alone ? T{0} : b[1];
      T* low = x + 2 * lanes * e + i;
      low[lanes] = a[0] - bi;
      low[0] = ai + b[0];
      if (alone) continue;
      T* high = x + 2 * lanes * (pass.n - e) + i;
      high[lanes] = a[0] + bi;
      high[0] = b[0] - ai;
    }
  }
}

template <class T>
HWY_INLINE void load_half_rows(const FftPass<T>& pass, const Group<T>& group, const T* from, T* x) {
  const Lanes<T> d;
  constexpr int64_t lanes = lane_count<T>, square = lanes / 2;
  const int64_t n = pass.n, beyond = (n + 1) / 2;  // the first that is alone again, or not there
  load_half_elements(pass, group, 0, 1, from, x);
  int64_t e = 1;
  for (; pass.from_step == 1 && e + square <= beyond; e += square) {
    hn::Vec<Lanes<T>> a[lanes], b[lanes];
    for (int64_t i = 0; i < lanes; ++i) {
      a[i] = hn::LoadU(d, from + 2 * (group.from[2 * i] + e));
      b[i] = hn::LoadU(d, from + 2 * (group.from[2 * i + 1] + e));
    }
    transpose_square(d, a);
    transpose_square(d, b);
    for (int64_t k = 0; k < square; ++k) {
      const auto joined = join_halves(d, a[2 * k], a[2 * k + 1], b[2 * k], b[2 * k + 1]);
      T *low = x + 2 * lanes * (e + k), *high = x + 2 * lanes * (n - e - k);
      hn::Store(joined.low_re, d, low);
      hn::Store(joined.low_im, d, low + lanes);
      hn::Store(joined.high_re, d, high);
      hn::Store(joined.high_im, d, high + lanes);
    }
  }
  for (; e <= n / 2; e += block) {
    load_half_elements(pass, group, e, std::min(n / 2 + 1, e + block), from, x);
  }
}

// Only ever backwards: the parts are exchanged.
template <class T>
HWY_INLINE void store_real_rows(const FftPass<T>& pass, const Group<T>& group, const T* x, T* to) {
  const Lanes<T> d;
  constexpr int64_t lanes = lane_count<T>;
  const auto scale = hn::Set(d, pass.scale);
  int64_t e = 0;
  for (; pass.paired && pass.to_step == 1 && e + lanes <= pass.n; e += lanes) {
    for (int64_t part = 0; part < 2; ++part) {
      hn::Vec<Lanes<T>> rows[lanes];
      const T* source = x + 2 * lanes * e + (1 - part) * lanes;
      for (int64_t k = 0; k < lanes; ++k) {
        rows[k] = hn::Mul(scale, hn::Load(d, source + 2 * lanes * k));
      }
      transpose_square(d, rows);
      for (int64_t i = 0; i < lanes; ++i) {
        if (2 * i + part < group.count) hn::StoreU(rows[i], d, to + group.to[2 * i + part] + e);
      }
    }
  }
  for_each_block(e, pass.n, group.count, group.to, [&](int64_t i, int64_t element, int64_t row) {
    const int64_t lane = pass.paired ? (1 - (i & 1)) * lanes + i / 2 : lanes + i;
    to[row + element * pass.to_step] = pass.scale * x[2 * lanes * element + lane];
  });
}

// The halves of A and B from Z = A + i B: `lanes / 2` elements from e > 0 on, of all rows.
template <class T>
HWY_INLINE void store_half_square(const FftPass<T>& pass, const Group<T>& group, int64_t e,
                                  const T* x, T* to) {
  const Lanes<T> d;
  constexpr int64_t lanes = lane_count<T>;
  const auto half = hn::Set(d, pass.scale / 2);
  hn::Vec<Lanes<T>> a[lanes], b[lanes];
  for (int64_t k = 0; k < lanes / 2; ++k) {
    const T *z = x + 2 * lanes * (e + k), *y = x + 2 * lanes * (pass.n - e - k);
    const auto z_re = hn::Load(d, z), z_im = hn::Load(d, z + lanes);
    const auto y_re = hn::Load(d, y), y_im = hn::Load(d, y + lanes);
    a[2 * k] = hn::Mul(half, hn::Add(z_re, y_re));
    a[2 * k + 1] = hn::Mul(half, hn::Sub(z_im, y_im));
    b[2 * k] = hn::Mul(half, hn::Add(z_im, y_im));
    b[2 * k + 1] = hn::Mul(half, hn::Sub(y_re, z_re));
  }
  transpose_square(d, a);
  transpose_square(d, b);
  for (int64_t i = 0; i < lanes; ++i) {
    if (2 * i < group.count) hn::StoreU(a[i], d, to + 2 * (group.to[2 * i] + e));
    if (2 * i + 1 < group.count) hn::StoreU(b[i], d, to + 2 * (group.to[2 * i + 1] + e));
  }
}

template <class T>
HWY_INLINE void store_half_rows(const FftPass<T>& pass, const Group<T>& group, const T* x, T* to) {
  constexpr int64_t lanes = lane_count<T>, square = lanes / 2;
  const T half = pass.scale / 2;
  const auto put = [&](int64_t i, int64_t e, int64_t row) {
    const T* z = x + 2 * lanes * e + i / 2;
    const T* y = x + 2 * lanes * (e == 0 ? 0 : pass.n - e) + i / 2;
    T* target = to + 2 * (row + e * pass.to_step);
    target[0] = half * (i & 1 ? z[lanes] + y[lanes] : z[0] + y[0]);
    target[1] = half * (i & 1 ? y[0] - z[0] : z[lanes] - y[lanes]);
  };
  const int64_t count = pass.n / 2 + 1;
  for_each_block(0, 1, group.count, group.to, put);
  int64_t e = 1;
  for (; pass.to_step == 1 && e + square <= count; e += square) {
    store_half_square(pass, group, e, x, to);
  }
  for_each_block(e, count, group.count, group.to, put);
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif
