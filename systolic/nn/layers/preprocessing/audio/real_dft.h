// Discrete Fourier transforms as products of small matrices, which suit a matrix unit and have
// gradients. Internal to nn.
#pragma once

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct Spectrum {
  Tensor real, imaginary;  // [rows, samples / 2 + 1]
};
// x [rows, samples], f32: of each row the first half of its transform, Σ x[n] exp(-2 π i n k /
// samples). Samples that are a product of two numbers of about the same size take the fewest steps
// (Cooley, Tukey, "An algorithm for the machine calculation of complex Fourier series", 1965).
Spectrum real_dft(const Tensor& x);

}  // namespace systolic::inline v0
