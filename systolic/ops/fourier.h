// keras.ops' Fourier transforms, of complex numbers as pairs (real part, imaginary part), over the
// last axis or, those whose names end in 2, the last two. f32; no gradient.
//
//   const ops::ComplexPair spectrum = ops::rfft(x);       // x [..., n] -> [..., n / 2 + 1]
#pragma once

#include <cstdint>
#include <optional>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace ops {

using At = SourceLocation;

// Real and imaginary parts, of one shape.
struct ComplexPair {
  Tensor real, imag;
};
// The transform along the last axis; along the last two, and back.
ComplexPair fft(const ComplexPair& x, At at = At::current());
ComplexPair fft2(const ComplexPair& x, At at = At::current());
ComplexPair ifft2(const ComplexPair& x, At at = At::current());
// Takes n samples: those of x, cut or filled up with zeros.
ComplexPair rfft(const Tensor& x, std::optional<int64_t> n = {}, At at = At::current());
// Back to n samples; 2 (size - 1) where none is given.
Tensor irfft(const ComplexPair& x, std::optional<int64_t> n = {}, At at = At::current());

struct FrameOptions {
  int64_t sequence_length;  // samples of a frame
  int64_t sequence_stride;  // from one frame to the next
  int64_t fft_length;       // at least sequence_length; frames stand in the middle of it
  bool hamming = false;     // the window; a Hann window otherwise
  bool center = true;       // frames around their places, the ends reflected
};
// [..., samples] -> [..., frames, fft_length / 2 + 1]. istft adds the frames up again under the
// same window, which must cover each sample: [..., samples].
ComplexPair stft(const Tensor& x, FrameOptions options, At at = At::current());
Tensor istft(const ComplexPair& x, FrameOptions options, At at = At::current());

// As one Tensor of complex numbers, and with the parts along a new last axis of 2.
Tensor view_as_complex(const Tensor& x, At at = At::current());
Tensor view_as_real(const Tensor& x, At at = At::current());

}  // namespace ops
}  // namespace systolic::inline v0
