#include "backends/cpu/kernels/fft/fft_chirp_rows.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace kernels {
namespace {

constexpr int64_t block = 1 << 12;  // elements of a row that one task takes

// body(row, begin, end) for blocks of rows of n elements.
template <class Body>
void for_each_block(int64_t rows, int64_t n, ThreadPool& pool, const Body& body) {
  const int64_t blocks = (n + block - 1) / block;
  pool.parallel_for(rows * blocks, std::max<int64_t>(1, block / n), [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      const int64_t begin = i % blocks * block;
      body(i / blocks, begin, std::min(n, begin + block));
    }
  });
}

// to = a b, or its conjugate for sign -1; (real, imaginary).
template <class T>
void multiply(const T* a, const T* b, T sign, T* to) {
  const T re = a[0] * b[0] - a[1] * b[1];
  const T im = a[0] * b[1] + a[1] * b[0];
  to[0] = re;
  to[1] = sign * im;
}

// Where a row of the array begins, in elements, with `size` of the axis in memory.
int64_t place(const FftAxis& axis, int64_t row, int64_t size) {
  return row / axis.inner * axis.inner * size + row % axis.inner;
}

}  // namespace

template <class T>
void begin_chirp(const FftChirp<T>& chirp, const FftAxis& axis, FftEnd end, const T* from, T* rows,
                 ThreadPool& pool) {
  const T* factors = chirp.chirp.data();
  const T sign = axis.backwards ? T{-1} : T{1};
  for_each_block(axis.rows(), chirp.m, pool, [&](int64_t row, int64_t e, int64_t last) {
    const int64_t first = place(axis, row, axis.from_size), values = std::min(last, axis.n);
    T* to = rows + 2 * row * chirp.m;
    std::fill(to + 2 * std::max(e, axis.n), to + 2 * std::max(last, axis.n), T{0});
    for (; e < values; ++e) {
      const int64_t at = first + e * axis.inner;
      if (end == FftEnd::real) {
        to[2 * e] = from[at] * factors[2 * e];
        to[2 * e + 1] = from[at] * factors[2 * e + 1];
      } else {
        const T value[] = {from[2 * at], sign * from[2 * at + 1]};
        multiply(value, factors + 2 * e, T{1}, to + 2 * e);
      }
    }
  });
}

template <class T>
void multiply_chirp(const FftChirp<T>& chirp, const FftAxis& axis, T* rows, ThreadPool& pool) {
  const T* kernel = chirp.kernel.data();
  for_each_block(axis.rows(), chirp.m, pool, [&](int64_t row, int64_t e, int64_t last) {
    T* at = rows + 2 * row * chirp.m;
    for (; e < last; ++e) multiply(at + 2 * e, kernel + 2 * e, T{-1}, at + 2 * e);
  });
}

template <class T>
void end_chirp(const FftChirp<T>& chirp, const FftAxis& axis, FftEnd end, const T* rows, T* to,
               ThreadPool& pool) {
  const T* factors = chirp.chirp.data();
  const T sign = axis.backwards ? T{-1} : T{1}, scale = axis.scale<T>();
  for_each_block(axis.rows(), axis.to_size, pool, [&](int64_t row, int64_t e, int64_t last) {
    const int64_t first = place(axis, row, axis.to_size);
    const T* from = rows + 2 * row * chirp.m;
    for (; e < last; ++e) {
      const T conjugate[] = {scale * from[2 * e], -scale * from[2 * e + 1]};
      const int64_t at = first + e * axis.inner;
      T value[2];
      multiply(conjugate, factors + 2 * e, sign, value);
      if (end == FftEnd::real) {
        to[at] = value[0];
      } else {
        to[2 * at] = value[0];
        to[2 * at + 1] = value[1];
      }
    }
  });
}

template void begin_chirp(const FftChirp<float>&, const FftAxis&, FftEnd, const float*, float*,
                          ThreadPool&);
template void begin_chirp(const FftChirp<double>&, const FftAxis&, FftEnd, const double*, double*,
                          ThreadPool&);
template void multiply_chirp(const FftChirp<float>&, const FftAxis&, float*, ThreadPool&);
template void multiply_chirp(const FftChirp<double>&, const FftAxis&, double*, ThreadPool&);
template void end_chirp(const FftChirp<float>&, const FftAxis&, FftEnd, const float*, float*,
                        ThreadPool&);
template void end_chirp(const FftChirp<double>&, const FftAxis&, FftEnd, const double*, double*,
                        ThreadPool&);

}  // namespace kernels
}  // namespace systolic::inline v0
