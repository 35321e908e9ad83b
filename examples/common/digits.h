// Labelled digits drawn by the program itself: strokes, bent and shifted at random. For machines
// without MNIST.
#pragma once

#include <cstdint>

#include "systolic/core/literal.h"

namespace examples {

struct Digits {
  systolic::Literal images;  // u8 [n, 28, 28]
  systolic::Literal labels;  // u8 [n]
};

// The same digits for the same seed: random numbers by the standard's definition, curves to the
// rounding of the C library.
Digits render_digits(int64_t count, uint64_t seed);

}  // namespace examples
