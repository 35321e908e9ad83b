// The ways in which ConvolutionForward and ConvolutionBackward convolve. Internal.
#pragma once

#include <cstddef>
#include <memory>

#include "backends/cpu/kernels/convolution/convolution.h"
#include "backends/cpu/kernels/product_end.h"

namespace systolic::inline v0 {
namespace kernels {

inline Bounds bounds(const ConvolutionForwardOptions& options) {
  if (!options.relu) return {};
  return {.least = 0, .most = static_cast<float>(options.most)};
}

struct ConvolutionForward::Implementation {
  Implementation(const ConvolutionShape& shape, const ConvolutionForwardOptions& options)
      : shape(shape), options(options) {}
  virtual ~Implementation() = default;
  virtual ConvolutionMethod method() const = 0;
  virtual size_t scratch_bytes() const = 0;
  virtual size_t prepared_bytes() const { return 0; }
  virtual void prepare(const void* /*w*/, void* /*prepared*/, void* /*scratch*/,
                       ThreadPool& /*pool*/) const {}
  virtual void run(const ConvolutionForwardOperands& operands, void* scratch,
                   ThreadPool& pool) const = 0;

  const ConvolutionShape shape;
  const ConvolutionForwardOptions options;
};

struct ConvolutionBackward::Implementation {
  Implementation(const ConvolutionShape& shape, const ConvolutionBackwardOptions& options)
      : shape(shape), options(options) {}
  virtual ~Implementation() = default;
  virtual ConvolutionMethod method() const = 0;
  virtual size_t scratch_bytes() const = 0;
  virtual void run(const ConvolutionBackwardOperands& operands, void* scratch,
                   ThreadPool& pool) const = 0;

  const ConvolutionShape shape;
  const ConvolutionBackwardOptions options;
};

using ForwardImplementation = std::unique_ptr<ConvolutionForward::Implementation>;
using BackwardImplementation = std::unique_ptr<ConvolutionBackward::Implementation>;

// Plain loops, any numeric type.
ForwardImplementation make_generic_forward(const ConvolutionShape& shape,
                                           const ConvolutionForwardOptions& options);
BackwardImplementation make_generic_backward(const ConvolutionShape& shape,
                                             const ConvolutionBackwardOptions& options);

}  // namespace kernels
}  // namespace systolic::inline v0
