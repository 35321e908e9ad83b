#include "backends/cpu/kernels/convolution/convolution_choice.h"

#include <cstdlib>
#include <string_view>

#include "backends/cpu/kernels/convolution/convolution_patches.h"
#include "backends/cpu/kernels/onednn.h"
#include "backends/cpu/kernels/streaming.h"
#include "backends/cpu/kernels/winograd/winograd.h"
#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace kernels {
namespace {

ConvolutionMethod wanted_by_environment() {
  const char* text = std::getenv("SYSTOLIC_CONV");
  if (text == nullptr || std::string_view(text).empty()) return ConvolutionMethod::automatic;
  if (std::string_view(text) == "direct") return ConvolutionMethod::direct;
  if (std::string_view(text) == "winograd") return ConvolutionMethod::winograd;
  raise<InvalidArgument>({.what = str("SYSTOLIC_CONV is '", text, "'"),
                          .wanted = "direct or winograd",
                          .hint = "unset it to let each convolution take the faster one"});
}

// With few input channels memory is the limit: oneDNN's weight gradient is 2 to 3 times slower than
// it allows, and its forward pass neither streams a large result nor reads bf16 and f16 in place.
bool patches_pay(const ConvolutionShape& s, DType dtype, ConvolutionPass pass) {
  if (s.has_depth() || s.in_channels > 4 || s.out_channels < 8) return false;
  const int64_t result_bytes = 4 * s.batch * s.out_height() * s.out_width() * s.out_channels;
  return pass == ConvolutionPass::weights_only ||
         (pass == ConvolutionPass::forward &&
          (dtype != DType::f32 || result_bytes >= streamed_bytes));
}

bool winograd_pays(const ConvolutionShape& s, DType dtype) {
  if (dtype == DType::bf16 && onednn_pays_for_bf16()) return false;
  const auto in = static_cast<double>(s.in_channels), out = static_cast<double>(s.out_channels);
  const int64_t tiles = ((s.out_height() + 3) / 4) * ((s.out_width() + 3) / 4);
  const double winograd = static_cast<double>(tiles) * (40 * in * out + 560 * (in + out));
  const double direct = static_cast<double>(s.out_height() * s.out_width()) * 9 * in * out;
  return winograd < direct;
}

}  // namespace

ConvolutionMethod choose_convolution(const ConvolutionShape& shape, DType dtype,
                                     ConvolutionPass pass) {
  const ConvolutionMethod wanted = wanted_by_environment();
  const bool winograd = winograd_can_do(shape, dtype);
  if (wanted == ConvolutionMethod::direct || (wanted == ConvolutionMethod::winograd && winograd))
    return wanted;
  if (patches_pay(shape, dtype, pass) && patches_can_do(shape, dtype)) {
    return ConvolutionMethod::patches;
  }
  return winograd && winograd_pays(shape, dtype) ? ConvolutionMethod::winograd
                                                 : ConvolutionMethod::direct;
}

}  // namespace kernels
}  // namespace systolic::inline v0
