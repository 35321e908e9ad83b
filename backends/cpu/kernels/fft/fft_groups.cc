// A pass over many rows: as many as a vector has lanes are brought together, transformed and put
// where they belong.
#include <algorithm>

#include "backends/cpu/kernels/fft/fft_stages.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/fft/fft_groups.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/fft/fft_butterflies-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

template <class T>
using Lanes = hn::ScalableTag<T>;
template <class T>
constexpr int64_t most_lanes = 64 / static_cast<int64_t>(sizeof(T));

// The rows of one group. Lanes without a row of their own read the first one's, and write nothing.
template <class T>
struct Group {
  int64_t from[2 * most_lanes<T>], to[2 * most_lanes<T>], number[2 * most_lanes<T>];
  int64_t count = 0;                                             // of rows
  bool from_runs = false, to_runs = false, number_runs = false;  // in all lanes, one after another
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
  const auto runs = [&](const int64_t* places) {
    for (int64_t i = 1; i < rows; ++i) {
      if (places[i] != places[0] + i) return false;
    }
    return true;
  };
  group.from_runs = runs(group.from);
  group.to_runs = runs(group.to) && group.count == rows;
  group.number_runs = runs(group.number);
  return group;
}

// Elements whose lanes stay in the nearest cache while rows are walked one after the other.
constexpr int64_t block = 16;

// put(lane, element, where the row begins) for each element of each row, in blocks.
template <class Put>
HWY_INLINE void for_each_block(int64_t n, int64_t rows, const int64_t* places, const Put& put) {
  for (int64_t begin = 0; begin < n; begin += block) {
    const int64_t end = std::min(n, begin + block);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t e = begin; e < end; ++e) put(i, e, places[i]);
    }
  }
}

template <class T>
HWY_INLINE void load_complex_rows(const FftPass<T>& pass, const Group<T>& group, const T* from,
                                  T* x) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Lanes<T>()));
  const int64_t re = pass.backwards ? lanes : 0, im = lanes - re;
  if (group.from_runs) {
    for (int64_t e = 0; e < pass.n; ++e) {
      const T* source = from + 2 * (group.from[0] + e * pass.from_step);
      T* to = x + 2 * lanes * e;
      for (int64_t i = 0; i < lanes; ++i) {
        to[re + i] = source[2 * i];
        to[im + i] = source[2 * i + 1];
      }
    }
    return;
  }
  for_each_block(pass.n, lanes, group.from, [&](int64_t i, int64_t e, int64_t row) {
    const T* source = from + 2 * (row + e * pass.from_step);
    x[2 * lanes * e + re + i] = source[0];
    x[2 * lanes * e + im + i] = source[1];
  });
}

template <class T>
HWY_INLINE void load_real_rows(const FftPass<T>& pass, const Group<T>& group, const T* from, T* x) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Lanes<T>()));
  if (pass.paired) {
    for_each_block(pass.n, 2 * lanes, group.from, [&](int64_t i, int64_t e, int64_t row) {
      x[2 * lanes * e + (i & 1) * lanes + i / 2] = from[row + e * pass.from_step];
    });
    return;
  }
  for (int64_t e = 0; e < pass.n; ++e) std::fill_n(x + 2 * lanes * e + lanes, lanes, T{0});
  for_each_block(pass.n, lanes, group.from, [&](int64_t i, int64_t e, int64_t row) {
    x[2 * lanes * e + i] = from[row + e * pass.from_step];
  });
}

// Z = A + i B from the halves of A and B, whose other halves are their conjugates; real and
// imaginary parts exchanged, since this goes backwards.
template <class T>
HWY_INLINE void load_half_rows(const FftPass<T>& pass, const Group<T>& group, const T* from, T* x) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Lanes<T>()));
  const int64_t n = pass.n, last = n / 2;
  for (int64_t begin = 0; begin <= last; begin += block) {
    const int64_t end = std::min(last + 1, begin + block);
    for (int64_t i = 0; i < lanes; ++i) {
      for (int64_t e = begin; e < end; ++e) {
        const T* a = from + 2 * (group.from[2 * i] + e * pass.from_step);
        const T* b = from + 2 * (group.from[2 * i + 1] + e * pass.from_step);
        const bool alone = e == 0 || 2 * e == n;
        const T ai = alone ? T{0} : a[1], bi = alone ? T{0} : b[1];
        T* low = x + 2 * lanes * e + i;
        low[lanes] = a[0] - bi;
        low[0] = ai + b[0];
        if (alone) continue;
        T* high = x + 2 * lanes * (n - e) + i;
        high[lanes] = a[0] + bi;
        high[0] = b[0] - ai;
      }
    }
  }
}

template <class T>
void load_rows(const FftPass<T>& pass, const Group<T>& group, const T* from, T* x) {
  switch (pass.from_end) {
    case FftEnd::complex:
      return load_complex_rows(pass, group, from, x);
    case FftEnd::real:
      return load_real_rows(pass, group, from, x);
    case FftEnd::half:
      return load_half_rows(pass, group, from, x);
  }
}

template <class T>
HWY_INLINE void store_complex_rows(const FftPass<T>& pass, const Group<T>& group, const T* x,
                                   T* to) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Lanes<T>()));
  const int64_t re = pass.backwards ? lanes : 0, im = lanes - re;
  const T scale = pass.scale;
  if (group.to_runs && pass.last_of_half < 0) {
    for (int64_t e = 0; e < pass.n; ++e) {
      T* target = to + 2 * (group.to[0] + e * pass.to_step);
      const T* from = x + 2 * lanes * e;
      for (int64_t i = 0; i < lanes; ++i) {
        target[2 * i] = scale * from[re + i];
        target[2 * i + 1] = scale * from[im + i];
      }
    }
    return;
  }
  for_each_block(pass.n, group.count, group.to, [&](int64_t i, int64_t e, int64_t row) {
    if (pass.last_of_half >= 0 && group.number[i] + e * pass.to_step > pass.last_of_half) return;
    T* target = to + 2 * (row + e * pass.to_step);
    target[0] = scale * x[2 * lanes * e + re + i];
    target[1] = scale * x[2 * lanes * e + im + i];
  });
}

// Only ever backwards: the parts are exchanged.
template <class T>
HWY_INLINE void store_real_rows(const FftPass<T>& pass, const Group<T>& group, const T* x, T* to) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Lanes<T>()));
  const T scale = pass.scale;
  for_each_block(pass.n, group.count, group.to, [&](int64_t i, int64_t e, int64_t row) {
    const int64_t lane = pass.paired ? (1 - (i & 1)) * lanes + i / 2 : lanes + i;
    to[row + e * pass.to_step] = scale * x[2 * lanes * e + lane];
  });
}

// The halves of A and B from Z = A + i B.
template <class T>
HWY_INLINE void store_half_rows(const FftPass<T>& pass, const Group<T>& group, const T* x, T* to) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Lanes<T>()));
  const T half = pass.scale / 2;
  for_each_block(pass.n / 2 + 1, group.count, group.to, [&](int64_t i, int64_t e, int64_t row) {
    const T* z = x + 2 * lanes * e + i / 2;
    const T* y = x + 2 * lanes * (e == 0 ? 0 : pass.n - e) + i / 2;
    T* target = to + 2 * (row + e * pass.to_step);
    target[0] = half * (i & 1 ? z[lanes] + y[lanes] : z[0] + y[0]);
    target[1] = half * (i & 1 ? y[0] - z[0] : z[lanes] - y[lanes]);
  });
}

template <class T>
void store_rows(const FftPass<T>& pass, const Group<T>& group, const T* x, T* to) {
  if (pass.to_end == FftEnd::real) return store_real_rows(pass, group, x, to);
  if (pass.paired) return store_half_rows(pass, group, x, to);
  store_complex_rows(pass, group, x, to);
}

template <class T>
HWY_INLINE void multiply_factors(const FftPass<T>& pass, const Group<T>& group, T* x) {
  const Lanes<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t columns = pass.rows.sizes[2];
  const T *re = pass.factors, *im = re + pass.n * columns;
  for (int64_t e = 0; e < pass.n; ++e) {
    T* at = x + 2 * lanes * e;
    const int64_t first = e * columns;
    HWY_ALIGN T w[2 * most_lanes<T>];
    if (!group.number_runs) {
      for (int64_t i = 0; i < lanes; ++i) {
        w[i] = re[first + group.number[i]];
        w[lanes + i] = im[first + group.number[i]];
      }
    }
    using V = hn::Vec<Lanes<T>>;
    const int64_t run = first + group.number[0];
    const Complex<V> factor = group.number_runs
                                  ? Complex<V>{hn::LoadU(d, re + run), hn::LoadU(d, im + run)}
                                  : load_complex(d, w);
    store_complex(d, times(load_complex(d, at), factor), at);
  }
}

// Each element times a number that is the same in all lanes. The conjugate of the element is taken
// before that, or of the product behind it, for sign -1.
template <class T>
HWY_INLINE void multiply_all(const std::vector<T>& factors, int64_t n, T sign_before, T sign_after,
                             T* x) {
  const Lanes<T> d;
  using V = hn::Vec<Lanes<T>>;
  const auto width = 2 * static_cast<int64_t>(hn::Lanes(d));
  const V before = hn::Set(d, sign_before), after = hn::Set(d, sign_after);
  for (int64_t e = 0; e < n; ++e) {
    Complex<V> z = load_complex(d, x + e * width);
    z.im = hn::Mul(z.im, before);
    const T* factor = factors.data() + 2 * e;
    z = times(z, Complex<V>{hn::Set(d, factor[0]), hn::Set(d, factor[1])});
    z.im = hn::Mul(z.im, after);
    store_complex(d, z, x + e * width);
  }
}

// x becomes its transform; y is room for as much.
template <class T>
HWY_INLINE void run_stages(const FftPass<T>& pass, T*& x, T*& y) {
  for (const FftStage<T>& stage : *pass.stages) {
    run_stage(Lanes<T>(), stage, x, y);
    std::swap(x, y);
  }
}

template <class T>
HWY_INLINE void run_chirp(const FftPass<T>& pass, T*& x, T*& y) {
  const FftChirp<T>& chirp = *pass.chirp;
  const auto width = 2 * static_cast<int64_t>(hn::Lanes(Lanes<T>()));
  multiply_all(chirp.chirp, chirp.n, T{1}, T{1}, x);
  std::fill(x + chirp.n * width, x + chirp.m * width, T{0});
  run_stages(pass, x, y);
  multiply_all(chirp.kernel, chirp.m, T{1}, T{-1}, x);
  run_stages(pass, x, y);
  multiply_all(chirp.chirp, chirp.n, T{-1}, T{1}, x);
}

template <class T>
void run_groups(const FftPass<T>& pass, const T* from, T* to, int64_t begin, int64_t end,
                T* buffer) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(Lanes<T>()));
  const int64_t rows = pass.paired ? 2 * lanes : lanes;
  for (int64_t g = begin; g < end; ++g) {
    const Group<T> group = group_of(pass, g * rows, rows);
    const int64_t length = pass.chirp != nullptr ? pass.chirp->m : pass.n;
    T *x = buffer, *y = buffer + 2 * lanes * length;
    load_rows(pass, group, from, x);
    if (pass.chirp != nullptr) {
      run_chirp(pass, x, y);
    } else {
      run_stages(pass, x, y);
    }
    if (pass.factors != nullptr) multiply_factors(pass, group, x);
    store_rows(pass, group, x, to);
  }
}

void run_f32(const FftPass<float>& pass, const float* from, float* to, int64_t begin, int64_t end,
             float* buffer) {
  run_groups(pass, from, to, begin, end, buffer);
}
void run_f64(const FftPass<double>& pass, const double* from, double* to, int64_t begin,
             int64_t end, double* buffer) {
  run_groups(pass, from, to, begin, end, buffer);
}
int64_t lanes_f32() { return static_cast<int64_t>(hn::Lanes(Lanes<float>())); }
int64_t lanes_f64() { return static_cast<int64_t>(hn::Lanes(Lanes<double>())); }

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(run_f32);
HWY_EXPORT(run_f64);
HWY_EXPORT(lanes_f32);
HWY_EXPORT(lanes_f64);

template <>
int64_t fft_lanes<float>() {
  return HWY_DYNAMIC_DISPATCH(lanes_f32)();
}
template <>
int64_t fft_lanes<double>() {
  return HWY_DYNAMIC_DISPATCH(lanes_f64)();
}
template <>
void run_fft_groups(const FftPass<float>& pass, const float* from, float* to, int64_t begin,
                    int64_t end, float* buffer) {
  HWY_DYNAMIC_DISPATCH(run_f32)(pass, from, to, begin, end, buffer);
}
template <>
void run_fft_groups(const FftPass<double>& pass, const double* from, double* to, int64_t begin,
                    int64_t end, double* buffer) {
  HWY_DYNAMIC_DISPATCH(run_f64)(pass, from, to, begin, end, buffer);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif
