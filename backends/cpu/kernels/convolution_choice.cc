#include "backends/cpu/kernels/convolution_choice.h"

#include <cstdlib>
#include <string_view>

#include "backends/cpu/kernels/winograd.h"
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

bool winograd_pays(const ConvolutionShape& s) {
  const auto in = static_cast<double>(s.in_channels), out = static_cast<double>(s.out_channels);
  const int64_t tiles = ((s.out_height() + 3) / 4) * ((s.out_width() + 3) / 4);
  const double winograd = static_cast<double>(tiles) * (40 * in * out + 560 * (in + out));
  const double direct = static_cast<double>(s.out_height() * s.out_width()) * 9 * in * out;
  return winograd < direct;
}

}  // namespace

ConvolutionMethod choose_convolution(const ConvolutionShape& shape, DType dtype) {
  const ConvolutionMethod wanted = wanted_by_environment();
  if (!winograd_can_do(shape, dtype)) return ConvolutionMethod::direct;
  if (wanted != ConvolutionMethod::automatic) return wanted;
  return winograd_pays(shape) ? ConvolutionMethod::winograd : ConvolutionMethod::direct;
}

}  // namespace kernels
}  // namespace systolic::inline v0
