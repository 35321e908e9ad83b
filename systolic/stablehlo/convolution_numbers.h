// #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, and #stablehlo.conv<raw input_batch_dimension =
// 0, ...>, as the specification's nine attributes of a convolution.
#pragma once

#include "systolic/stablehlo/program.h"

namespace systolic::inline v0 {
namespace stablehlo {

// Which axis of an array is which; -1 where there is none.
struct ConvolutionLayout {
  int64_t first = -1, second = -1;  // batch and feature; of the kernel input and output feature
  std::vector<int64_t> spatial;
};

struct ConvolutionNumbers {
  ConvolutionLayout input, kernel, output;
};

// A text that is not such an attribute is an InvalidArgument at its place; whether the axes make
// sense is not checked.
ConvolutionNumbers read_convolution_numbers(const Program& program, const Attribute& attribute);

}  // namespace stablehlo
}  // namespace systolic::inline v0
