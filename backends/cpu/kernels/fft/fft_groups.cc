// A pass over many rows: as many as a vector has lanes are brought together, transformed and put
// where they belong.
#include <algorithm>

#include "backends/cpu/kernels/fft/fft_stages.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/fft/fft_groups.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/fft/fft_butterflies-inl.h"
#include "backends/cpu/kernels/fft/fft_real_rows-inl.h"
#include "backends/cpu/kernels/fft/fft_rows-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {

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
    HWY_ALIGN T w[2 * lane_count<T>];
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

// Each element times a number that is the same in all lanes. For sign -1 the conjugate is taken: of
// the element before that, or of the product after it.
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
