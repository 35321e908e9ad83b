// The rows of one group, brought from where a pass finds them into the lanes of vectors, and put
// where they belong: rows of complex numbers here, of real ones in fft_real_rows-inl.h. For use
// inside Highway's per-target code.
#if defined(SYSTOLIC_FFT_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SYSTOLIC_FFT_ROWS_INL_H_
#undef SYSTOLIC_FFT_ROWS_INL_H_
#else
#define SYSTOLIC_FFT_ROWS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "backends/cpu/kernels/fft/fft_stages.h"
#include "backends/cpu/kernels/older_highway-inl.h"
#include "backends/cpu/kernels/transpose-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Lanes = hn::ScalableTag<T>;
template <class T>
constexpr int64_t lane_count = static_cast<int64_t>(hn::MaxLanes(Lanes<T>()));

// Lanes without a row of their own read the first one's, and write nothing.
template <class T>
struct Group {
  int64_t from[2 * lane_count<T>], to[2 * lane_count<T>], number[2 * lane_count<T>];
  int64_t count = 0;  // of rows
  // Those that there are lie one after another; their numbers do in all lanes.
  bool from_runs = false, to_runs = false, number_runs = false;
};

template <class T>
Group<T> group_of(const FftPass<T>& pass, int64_t first, int64_t rows) {
  Group<T> group;
  group.count = std::min(rows, pass.rows.count() - first);
  const auto& sizes = pass.rows.sizes;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t row = first + (i < group.count ? i : 0);
    const int64_t at[] = {row / sizes[2] / sizes[1], row / sizes[2] % sizes[1], row % sizes[2]};
    group.from[i] = group.to[i] = 0;
    for (size_t k = 0; k < 3; ++k) {
      group.from[i] += at[k] * pass.rows.from_strides[k];
      group.to[i] += at[k] * pass.rows.to_strides[k];
    }
    group.number[i] = at[2];
  }
  const auto runs = [&](const int64_t* places, int64_t count) {
    for (int64_t i = 1; i < count; ++i) {
      if (places[i] != places[0] + i) return false;
    }
    return true;
  };
  group.from_runs = runs(group.from, group.count);
  group.to_runs = runs(group.to, group.count);
  group.number_runs = runs(group.number, rows);
  return group;
}

// Elements whose lanes stay in the nearest cache while rows are walked one after the other.
constexpr int64_t block = 16;

// put(lane, element, where the row begins) for each of the elements [first, n) of each row, in
// blocks.
template <class Put>
HWY_INLINE void for_each_block(int64_t first, int64_t n, int64_t rows, const int64_t* places,
                               const Put& put) {
  for (int64_t begin = first; begin < n; begin += block) {
    const int64_t end = std::min(n, begin + block);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t e = begin; e < end; ++e) put(i, e, places[i]);
    }
  }
}

// Rows that lie side by side: element e of all of them is a run of `count` numbers.
template <class T>
HWY_INLINE void load_runs(const FftPass<T>& pass, int64_t first, int64_t count, const T* from,
                          T* x) {
  const Lanes<T> d;
  constexpr int64_t lanes = lane_count<T>;
  const int64_t re = pass.backwards ? lanes : 0, im = lanes - re;
  for (int64_t e = 0; e < pass.n; ++e) {
    const T* source = from + 2 * (first + e * pass.from_step);
    T* to = x + 2 * lanes * e;
    if (count == lanes) {
      const auto low = hn::LoadU(d, source), high = hn::LoadU(d, source + lanes);
      hn::Store(hn::ConcatEven(d, high, low), d, to + re);
      hn::Store(hn::ConcatOdd(d, high, low), d, to + im);
      continue;
    }
    std::fill_n(to, 2 * lanes, T{0});
    for (int64_t i = 0; i < count; ++i) {
      to[re + i] = source[2 * i];
      to[im + i] = source[2 * i + 1];
    }
  }
}

template <class T>
HWY_INLINE void load_complex_rows(const FftPass<T>& pass, const Group<T>& group, const T* from,
                                  T* x) {
  const Lanes<T> d;
  constexpr int64_t lanes = lane_count<T>, square = lanes / 2;
  if (group.from_runs) return load_runs(pass, group.from[0], group.count, from, x);
  const int64_t re = pass.backwards ? lanes : 0, im = lanes - re;
  int64_t e = 0;
  for (; pass.from_step == 1 && e + square <= pass.n; e += square) {
    hn::Vec<Lanes<T>> rows[lanes];
    for (int64_t i = 0; i < lanes; ++i) rows[i] = hn::LoadU(d, from + 2 * (group.from[i] + e));
    transpose_square(d, rows);
    T* to = x + 2 * lanes * e;
    for (int64_t k = 0; k < square; ++k) {
      hn::Store(rows[2 * k], d, to + 2 * lanes * k + re);
      hn::Store(rows[2 * k + 1], d, to + 2 * lanes * k + im);
    }
  }
  for_each_block(e, pass.n, lanes, group.from, [&](int64_t i, int64_t element, int64_t row) {
    const T* source = from + 2 * (row + element * pass.from_step);
    x[2 * lanes * element + re + i] = source[0];
    x[2 * lanes * element + im + i] = source[1];
  });
}

template <class T>
HWY_INLINE void store_runs(const FftPass<T>& pass, int64_t first, int64_t count, const T* x,
                           T* to) {
  const Lanes<T> d;
  constexpr int64_t lanes = lane_count<T>;
  const int64_t re = pass.backwards ? lanes : 0, im = lanes - re;
  const auto scale = hn::Set(d, pass.scale);
  for (int64_t e = 0; e < pass.n; ++e) {
    T* target = to + 2 * (first + e * pass.to_step);
    const T* from = x + 2 * lanes * e;
    if (count == lanes) {
      store_interleaved(d, hn::Mul(scale, hn::Load(d, from + re)),
                        hn::Mul(scale, hn::Load(d, from + im)), target);
      continue;
    }
    for (int64_t i = 0; i < count; ++i) {
      target[2 * i] = pass.scale * from[re + i];
      target[2 * i + 1] = pass.scale * from[im + i];
    }
  }
}

// One row at a time: the square's columns are (real, imaginary) parts of `lanes / 2` elements.
template <class T>
HWY_INLINE void store_square(const FftPass<T>& pass, const Group<T>& group, int64_t e, const T* x,
                             T* to) {
  const Lanes<T> d;
  constexpr int64_t lanes = lane_count<T>;
  const int64_t re = pass.backwards ? lanes : 0, im = lanes - re;
  const auto scale = hn::Set(d, pass.scale);
  hn::Vec<Lanes<T>> rows[lanes];
  for (int64_t k = 0; k < lanes / 2; ++k) {
    const T* from = x + 2 * lanes * (e + k);
    rows[2 * k] = hn::Mul(scale, hn::Load(d, from + re));
    rows[2 * k + 1] = hn::Mul(scale, hn::Load(d, from + im));
  }
  transpose_square(d, rows);
  for (int64_t i = 0; i < lanes; ++i) {
    if (i < group.count) hn::StoreU(rows[i], d, to + 2 * (group.to[i] + e));
  }
}

template <class T>
HWY_INLINE void store_complex_rows(const FftPass<T>& pass, const Group<T>& group, const T* x,
                                   T* to) {
  constexpr int64_t lanes = lane_count<T>, square = lanes / 2;
  const bool whole = pass.last_of_half < 0;
  if (group.to_runs && whole) return store_runs(pass, group.to[0], group.count, x, to);
  int64_t e = 0;
  for (; whole && pass.to_step == 1 && e + square <= pass.n; e += square) {
    store_square(pass, group, e, x, to);
  }
  const int64_t re = pass.backwards ? lanes : 0, im = lanes - re;
  for_each_block(e, pass.n, group.count, group.to, [&](int64_t i, int64_t element, int64_t row) {
    if (!whole && group.number[i] + element * pass.to_step > pass.last_of_half) return;
    T* target = to + 2 * (row + element * pass.to_step);
    target[0] = pass.scale * x[2 * lanes * element + re + i];
    target[1] = pass.scale * x[2 * lanes * element + im + i];
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#endif
