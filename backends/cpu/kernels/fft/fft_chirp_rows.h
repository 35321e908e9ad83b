// What a transform by a chirp does besides its two transforms: rows of an array to rows of the
// convolution's length, and back. Internal.
#pragma once

#include "backends/cpu/kernels/fft/fft_chirp.h"
#include "backends/cpu/kernels/fft/fft_stages.h"
#include "systolic/base/threads/thread_pool.h"

namespace systolic::inline v0 {
namespace kernels {

// One axis of an array, one side of which may be real numbers or half a spectrum.
struct FftAxis {
  int64_t n = 1, outer = 1, inner = 1;
  int64_t from_size = 1, to_size = 1;  // of the axis in memory
  bool backwards = false;

  int64_t rows() const { return outer * inner; }
  template <class T>
  T scale() const {
    return backwards ? T{1} / static_cast<T>(n) : T{1};
  }
};

// rows [rows, m]: the axis's elements times the chirp, then zeros. Backwards their conjugates are
// taken, and those of the result.
template <class T>
void begin_chirp(const FftChirp<T>& chirp, const FftAxis& axis, FftEnd end, const T* from, T* rows,
                 ThreadPool& pool);
// Turns the rows' transforms into their conjugated products with the kernel, whose transforms are
// the conjugated convolution.
template <class T>
void multiply_chirp(const FftChirp<T>& chirp, const FftAxis& axis, T* rows, ThreadPool& pool);
// The axis of the result; of a half spectrum or real numbers that much of it.
template <class T>
void end_chirp(const FftChirp<T>& chirp, const FftAxis& axis, FftEnd end, const T* rows, T* to,
               ThreadPool& pool);

}  // namespace kernels
}  // namespace systolic::inline v0
