// A transform of any length as a convolution with a chirp, which transforms of a convenient length
// compute (L. I. Bluestein, "A linear filtering approach to the computation of discrete Fourier
// transform", 1970). With c[j] = exp(-pi i j^2 / n):
//
//   X[k] = c[k] * sum over j of (x[j] c[j]) conj(c[k - j])
//
// Internal.
#pragma once

#include <cstdint>
#include <vector>

namespace systolic::inline v0 {
namespace kernels {

// Whether a factor of the length is so large that its own definition would take longer.
bool fft_wants_chirp(int64_t n);

// (real, imaginary) numbers.
template <class T>
struct FftChirp {
  int64_t n = 1;
  int64_t m = 1;          // length of the convolution: at least 2 n - 1, of small factors
  std::vector<T> chirp;   // [n]: c
  std::vector<T> kernel;  // [m]: the transform of conj(c) around element 0, divided by m
};

template <class T>
FftChirp<T> fft_chirp(int64_t n);

}  // namespace kernels
}  // namespace systolic::inline v0
