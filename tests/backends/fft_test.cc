#include <gtest/gtest.h>

#include "systolic/base/text.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::FftType;

struct Row {
  Shape shape;
  ir::Axes lengths;
};

// Lengths with each of the radices, several axes, single rows and many, odd lengths of real rows;
// large primes along each of several axes; columns that fill vectors, and leave some behind.
const Row rows[] = {
    {{1}, {1}},
    {{8}, {8}},
    {{3, 7}, {7}},
    {{5, 60}, {60}},
    {{33, 22}, {22}},
    {{2, 3, 16}, {16}},
    {{4, 6, 5}, {6, 5}},
    {{2, 3, 4, 5}, {3, 4, 5}},
    {{2, 1024}, {1024}},
    {{40, 17}, {17}},
    {{0, 8}, {8}},
    {{19, 1}, {1}},
    {{600, 3}, {600, 3}},
    {{20, 34}, {20, 34}},
    {{3, 18, 36}, {18, 36}},
    {{3, 59, 4}, {59, 4}},
    {{2, 61, 53}, {61, 53}},
    {{2, 3, 118}, {3, 118}},
};

TEST(Fft, IsThatOfTheInterpreter) {
  for (const Row& row : rows) {
    for (DType dtype : {DType::c64, DType::c128}) {
      for (FftType type : {FftType::fft, FftType::ifft}) {
        expect_same_op(ir::OpCode::fft, {{dtype, row.shape}}, ir::FftAttributes{type, row.lengths},
                       128);
      }
    }
    for (DType dtype : {DType::f32, DType::f64}) {
      expect_same_op(ir::OpCode::fft, {{dtype, row.shape}},
                     ir::FftAttributes{FftType::rfft, row.lengths}, 128);
    }
    Shape half = row.shape;
    half.set(-1, row.lengths.back() / 2 + 1);
    expect_same_op(ir::OpCode::fft, {{DType::c64, half}},
                   ir::FftAttributes{FftType::irfft, row.lengths}, 128);
  }
}

}  // namespace
}  // namespace systolic
