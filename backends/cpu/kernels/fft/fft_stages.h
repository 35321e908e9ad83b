// The stages of one transform, and where a pass over many rows finds and puts their elements.
// Internal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/cpu/kernels/fft/fft_chirp.h"

namespace systolic::inline v0 {
namespace kernels {

// x[q + stride (p + m j)], j < radix, becomes y[q + stride (radix p + k)]: the sums over j with the
// roots of `radix`, times w^(p k) with w the root of radix * m.
template <class T>
struct FftStage {
  int64_t radix = 1, m = 1, stride = 1;
  std::vector<T> twiddles;  // (real, imaginary) of w^(p k) for each p, k = 1 .. radix - 1
  std::vector<T> roots;     // of the radix, where no butterfly is written out
};

template <class T>
std::vector<FftStage<T>> fft_stages(int64_t n);

// What lies at one end of a pass.
enum class FftEnd : uint8_t {
  complex,  // interleaved
  real,
  half,  // the first n / 2 + 1 elements of a spectrum
};

// Rows of a pass: three loops, the last the fastest, and where each goes, in elements.
struct FftRows {
  std::array<int64_t, 3> sizes{1, 1, 1}, from_strides{}, to_strides{};
  int64_t count() const { return sizes[0] * sizes[1] * sizes[2]; }
};

template <class T>
struct FftPass {
  int64_t n = 1;
  FftRows rows;
  int64_t from_step = 1, to_step = 1;  // from one element of a row to the next
  FftEnd from_end = FftEnd::complex, to_end = FftEnd::complex;
  // Two rows of real numbers are the real and the imaginary parts of one transform; else real
  // numbers have no imaginary part, or that is dropped.
  bool paired = false;
  // For a half end that is not paired: row c has elements c, c + to_step, ... of a spectrum whose
  // last one is this.
  int64_t last_of_half = -1;
  bool backwards = false;
  T scale = 1;
  const std::vector<FftStage<T>>* stages = nullptr;
  // The transform is a convolution with this one, and `stages` are those of its length; null: they
  // are those of n.
  const FftChirp<T>* chirp = nullptr;
  // Multiplied to element e of the row that is number c of the last loop: the real part at
  // [e, c], then as many imaginary ones; null: nothing is.
  const T* factors = nullptr;
};

// Lanes of the vectors of the processor at hand: transforms that one group computes together.
template <class T>
int64_t fft_lanes();

// Groups [begin, end) of a pass's rows; a group is fft_lanes() rows, or pairs of rows. `buffer` has
// room for fft_buffer_elements() and is aligned to 64 bytes.
template <class T>
void run_fft_groups(const FftPass<T>& pass, const T* from, T* to, int64_t begin, int64_t end,
                    T* buffer);
template <class T>
int64_t fft_buffer_elements(int64_t n) {
  return 4 * n * fft_lanes<T>();
}

}  // namespace kernels
}  // namespace systolic::inline v0
