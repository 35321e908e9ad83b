// How a convolution is cut into parts that threads compute side by side: groups of images where
// there are enough of them, bands of an image's rows where there are few. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backends/cpu/kernels/convolution/convolution.h"

namespace systolic::inline v0 {
namespace kernels {

// Contiguous in the input and in the output; positions and lengths are in elements.
struct ConvolutionPart {
  int64_t input_begin = 0, input_elements = 0;
  int64_t output_begin = 0, output_elements = 0;
  size_t kind = 0;  // of ConvolutionParts::kinds
};

struct ConvolutionParts {
  std::vector<ConvolutionPart> parts;   // together the whole output, in its order
  std::vector<ConvolutionShape> kinds;  // each of another shape; the first part's comes first

  int64_t largest_input() const;
  int64_t largest_output() const;
};

// For `threads` threads. A band of output rows reads the input rows that its windows reach into;
// the padding above and below is that of the first and last bands alone.
ConvolutionParts cut_convolution(const ConvolutionShape& shape, int threads);

}  // namespace kernels
}  // namespace systolic::inline v0
