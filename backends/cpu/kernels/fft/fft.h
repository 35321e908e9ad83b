// Fourier transforms over the last axes of an array, planned once and run often.
//
//   Fft rows({.kind = FftKind::rfft, .input_dims = {64, 1000}, .lengths = {1000}}, threads);
//   rows.run(x, spectrum, scratch, pool);              // f32 [64, 1000] -> c64 [64, 501]
//
// One transform in each lane of a vector, by stages of radix 4, 2, 3, 5 and any other prime that
// sort themselves (T. G. Stockham, "High-speed convolution and correlation", AFIPS 1966). Lengths
// that would not stay in the nearer caches, and single long rows, are two shorter transforms with
// factors between them (D. H. Bailey, "FFTs in external or hierarchical memory", 1990). Two rows of
// real numbers go through one complex transform. A length with a large prime factor is a
// convolution (fft_chirp.h).
//
// The error grows as the logarithm of the length: below 1e-6 of the largest result for f32 up to
// 2^20, 2e-15 for f64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "systolic/base/threads/thread_pool.h"

namespace systolic::inline v0 {
namespace kernels {

// rfft gives the first n / 2 + 1 elements of the last axis; irfft takes them, and divides by the
// lengths as ifft does.
enum class FftKind : uint8_t { fft, ifft, rfft, irfft };

struct FftOptions {
  FftKind kind = FftKind::fft;
  bool is_double = false;  // f64 and c128, else f32 and c64
  std::vector<int64_t> input_dims;
  std::vector<int64_t> lengths;  // of the last axes, 1 to 3
};

class Fft {
 public:
  // `threads` compute.
  Fft(const FftOptions& options, int threads);
  ~Fft();
  Fft(Fft&&) noexcept;
  Fft& operator=(Fft&&) noexcept;

  // Bytes of scratch memory that run() needs, 64-byte aligned.
  size_t scratch_bytes() const;
  // Several threads may run one plan, each with its own scratch.
  void run(const void* input, void* output, void* scratch, ThreadPool& pool) const;
  // Additions and multiplications, as usually counted: 5 n log2(n) for a complex row.
  double flops() const;

  struct Implementation;

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace kernels
}  // namespace systolic::inline v0
