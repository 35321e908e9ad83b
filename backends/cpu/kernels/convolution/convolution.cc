#include "backends/cpu/kernels/convolution/convolution.h"

#include <algorithm>

#include "backends/cpu/kernels/convolution/convolution_amx.h"
#include "backends/cpu/kernels/convolution/convolution_choice.h"
#include "backends/cpu/kernels/convolution/convolution_direct.h"
#include "backends/cpu/kernels/convolution/convolution_implementation.h"
#include "backends/cpu/kernels/convolution/convolution_patches.h"
#include "backends/cpu/kernels/winograd/winograd.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

void check(const ConvolutionShape& s, int threads) {
  ensure(threads >= 1, "a convolution is planned for at least one thread");
  ensure(s.groups >= 1 && s.in_channels % s.groups == 0 && s.out_channels % s.groups == 0,
         "a convolution's groups divide its channels");
  ensure(std::min({s.stride_depth, s.stride_height, s.stride_width, s.dilation_depth,
                   s.dilation_height, s.dilation_width}) >= 1,
         "a convolution's strides and dilations are at least 1");
  ensure(s.out_depth() >= 1 && s.out_height() >= 1 && s.out_width() >= 1,
         "a convolution's output has pixels");
}

ForwardImplementation plan(const ConvolutionShape& shape, ConvolutionForwardOptions options,
                           int threads) {
  check(shape, threads);
  if (options.method == ConvolutionMethod::automatic) {
    options.method = choose_convolution(shape, options.dtype, ConvolutionPass::forward);
  }
  ForwardImplementation result;
  if (options.method == ConvolutionMethod::winograd && winograd_can_do(shape, options.dtype)) {
    result = make_winograd_forward(shape, options, threads);
  } else if (options.method == ConvolutionMethod::patches && patches_can_do(shape, options.dtype)) {
    result = make_patches_forward(shape, options, threads);
  } else if (options.method != ConvolutionMethod::generic) {
    result = make_direct_forward(shape, options, threads);
  }
  return result ? std::move(result) : make_generic_forward(shape, options);
}

BackwardImplementation plan(const ConvolutionShape& shape, ConvolutionBackwardOptions options,
                            int threads) {
  check(shape, threads);
  if (options.method == ConvolutionMethod::automatic) {
    options.method = choose_convolution(
        shape, options.dtype,
        options.data ? ConvolutionPass::backward : ConvolutionPass::weights_only);
  }
  BackwardImplementation result;
  if (options.method == ConvolutionMethod::winograd && winograd_can_do(shape, options.dtype)) {
    result = make_winograd_backward(shape, options, threads);
  } else if (options.method == ConvolutionMethod::patches && !options.data &&
             patches_can_do(shape, options.dtype)) {
    result = make_patches_backward(shape, options, threads);
  } else if (options.method != ConvolutionMethod::generic) {
    result = make_amx_backward(shape, options, threads);
    if (!result) result = make_direct_backward(shape, options, threads);
  }
  return result ? std::move(result) : make_generic_backward(shape, options);
}

}  // namespace

ConvolutionForward::ConvolutionForward(const ConvolutionShape& shape,
                                       const ConvolutionForwardOptions& options, int threads)
    : implementation_(plan(shape, options, threads)) {}
ConvolutionForward::~ConvolutionForward() = default;
ConvolutionForward::ConvolutionForward(ConvolutionForward&&) noexcept = default;
ConvolutionForward& ConvolutionForward::operator=(ConvolutionForward&&) noexcept = default;

ConvolutionMethod ConvolutionForward::method() const { return implementation_->method(); }
size_t ConvolutionForward::scratch_bytes() const { return implementation_->scratch_bytes(); }
size_t ConvolutionForward::prepared_bytes() const { return implementation_->prepared_bytes(); }
void ConvolutionForward::prepare(const void* w, void* prepared, void* scratch,
                                 ThreadPool& pool) const {
  implementation_->prepare(w, prepared, scratch, pool);
}
void ConvolutionForward::run(const ConvolutionForwardOperands& operands, void* scratch,
                             ThreadPool& pool) const {
  implementation_->run(operands, scratch, pool);
}

ConvolutionBackward::ConvolutionBackward(const ConvolutionShape& shape,
                                         const ConvolutionBackwardOptions& options, int threads)
    : implementation_(plan(shape, options, threads)) {}
ConvolutionBackward::~ConvolutionBackward() = default;
ConvolutionBackward::ConvolutionBackward(ConvolutionBackward&&) noexcept = default;
ConvolutionBackward& ConvolutionBackward::operator=(ConvolutionBackward&&) noexcept = default;

ConvolutionMethod ConvolutionBackward::method() const { return implementation_->method(); }
size_t ConvolutionBackward::scratch_bytes() const { return implementation_->scratch_bytes(); }
void ConvolutionBackward::run(const ConvolutionBackwardOperands& operands, void* scratch,
                              ThreadPool& pool) const {
  implementation_->run(operands, scratch, pool);
}

}  // namespace kernels
}  // namespace systolic::inline v0
