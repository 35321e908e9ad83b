#include "systolic/ops/fourier.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/ops/shapes.h"
#include "systolic/stablehlo/chlo/chlo_formulas.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace ops {
namespace {

void check_axes(std::string_view op, const Tensor& x, int axes, At at) {
  bool fits = x.rank() >= axes;
  for (int i = 1; fits && i <= axes; ++i) fits = x.shape()[-i] > 0;
  if (fits) return;
  raise<InvalidArgument>({.what = str(op, " of shape ", x.shape()),
                          .wanted = str(axes, axes == 1 ? " axis" : " axes", " that hold elements"),
                          .location = at});
}

Tensor joined(const ComplexPair& x, At at) {
  const auto as_f32 = [&](const Tensor& part) {
    return alone(part.dtype() == DType::f64 ? part : v0::cast({part, at}, DType::f32));
  };
  return wrap(stablehlo::formula::complex(as_f32(x.real), as_f32(x.imag)));
}
ComplexPair separated(const Tensor& x) {
  return {wrap(ir::unary(ir::OpCode::real, alone(x))), wrap(ir::unary(ir::OpCode::imag, alone(x)))};
}

Tensor transformed(const Tensor& x, ir::FftType type, std::vector<int64_t> lengths, At at) {
  ir::FftAttributes attributes{.type = type, .fft_length = std::move(lengths)};
  return wrap(Trace::current().at(at).append_one(ir::OpCode::fft, {alone(x)}, attributes));
}

std::vector<int64_t> last_sizes(const Tensor& x, int axes) {
  std::vector<int64_t> sizes;
  for (int i = axes; i > 0; --i) sizes.push_back(x.shape()[-i]);
  return sizes;
}

// The last axis cut or filled up.
Tensor of_length(const Tensor& x, int64_t size, At at) {
  const int64_t own = x.shape()[-1];
  if (own == size) return x;
  std::vector<std::pair<int64_t, int64_t>> padding(static_cast<size_t>(x.rank()), {0, 0});
  padding.back().second = std::max<int64_t>(0, size - own);
  const Tensor filled = v0::pad(x, padding, 0, at);
  Shape begin(std::vector<int64_t>(static_cast<size_t>(x.rank()), 0)), cut = filled.shape();
  cut.set(-1, size);
  return v0::slice(filled, begin, cut, at);
}

// Periodic, f64, in the middle of fft_length samples.
std::vector<double> frame_window(const FrameOptions& options, At at) {
  if (options.sequence_length < 1 || options.sequence_stride < 1 ||
      options.fft_length < options.sequence_length) {
    raise<InvalidArgument>(
        {.what = str("frames of ", options.sequence_length, " samples, ", options.sequence_stride,
                     " apart, in transforms of ", options.fft_length),
         .wanted = "1 or more, and transforms that hold a frame",
         .location = at});
  }
  std::vector<double> window(static_cast<size_t>(options.fft_length), 0);
  const auto first = static_cast<size_t>((options.fft_length - options.sequence_length) / 2);
  const double low = options.hamming ? 0.54 : 0.5;
  for (int64_t i = 0; i < options.sequence_length; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) /
                         static_cast<double>(options.sequence_length);
    window[first + static_cast<size_t>(i)] = low - (1 - low) * std::cos(angle);
  }
  return window;
}

Tensor as_tensor(const std::vector<double>& values) {
  const Shape size{static_cast<int64_t>(values.size())};
  return Tensor(Literal::from(std::span<const double>(values), size).convert(DType::f32));
}

// 1 / the sum of the squares of all windows over each sample; 0 where there is none.
std::vector<double> shares_of_windows(const std::vector<double>& window, int64_t frames,
                                      int64_t stride) {
  const auto step = static_cast<size_t>(stride);
  std::vector<double> sums(window.size() + step * static_cast<size_t>(frames - 1), 0);
  for (size_t frame = 0; frame < static_cast<size_t>(frames); ++frame) {
    for (size_t i = 0; i < window.size(); ++i) sums[frame * step + i] += window[i] * window[i];
  }
  for (double& sum : sums) sum = sum > 1e-10 ? 1 / sum : 0;
  return sums;
}

}  // namespace

ComplexPair stft(const Tensor& x, FrameOptions options, At at) {
  const Tensor window = as_tensor(frame_window(options, at));
  check_axes("stft", x, 1, at);
  Tensor samples = v0::cast({x, at}, DType::f32);
  if (options.center) {
    std::vector<std::pair<int64_t, int64_t>> ends(static_cast<size_t>(x.rank()), {0, 0});
    ends.back() = {options.fft_length / 2, options.fft_length / 2};
    samples = pad(samples, ends, PadMode::reflect, 0, at);
  }
  return rfft(extract_sequences(samples, options.fft_length, options.sequence_stride, at) * window,
              {}, at);
}

Tensor istft(const ComplexPair& x, FrameOptions options, At at) {
  const std::vector<double> window = frame_window(options, at);
  check_axes("istft", x.real, 2, at);
  const int64_t frames = x.real.shape()[-2], length = options.fft_length,
                stride = options.sequence_stride, samples = length + stride * (frames - 1);
  const Tensor parts = irfft(x, length, at) * as_tensor(window);
  // [frames * length, rows], each at its sample.
  std::vector<int32_t> places;
  for (int64_t i = 0; i < frames * length; ++i)
    places.push_back(static_cast<int32_t>(i / length * stride + i % length));
  const Tensor rows = v0::transpose(v0::reshape(parts, {-1, frames * length}, at), {1, 0}, at);
  const Tensor zeros = v0::zeros({samples, rows.shape()[1]});
  const Tensor at_samples(Literal::from(std::span<const int32_t>(places), {frames * length}));
  const Tensor sums = v0::transpose(v0::scatter_add(zeros, at_samples, rows, at), {1, 0}, at);
  const Tensor scaled = sums * as_tensor(shares_of_windows(window, frames, stride));
  const int64_t cut = options.center ? length / 2 : 0;
  const Tensor inside =
      v0::slice(scaled, {0, cut}, {scaled.shape()[0], std::max<int64_t>(0, samples - 2 * cut)}, at);
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < x.real.rank() - 2; ++axis) sizes.push_back(x.real.shape()[axis]);
  sizes.push_back(-1);
  return v0::reshape(inside, Shape(sizes), at);
}

ComplexPair fft(const ComplexPair& x, At at) {
  check_axes("fft", x.real, 1, at);
  return separated(transformed(joined(x, at), ir::FftType::fft, last_sizes(x.real, 1), at));
}
ComplexPair fft2(const ComplexPair& x, At at) {
  check_axes("fft2", x.real, 2, at);
  return separated(transformed(joined(x, at), ir::FftType::fft, last_sizes(x.real, 2), at));
}
ComplexPair ifft2(const ComplexPair& x, At at) {
  check_axes("ifft2", x.real, 2, at);
  return separated(transformed(joined(x, at), ir::FftType::ifft, last_sizes(x.real, 2), at));
}
ComplexPair rfft(const Tensor& x, std::optional<int64_t> n, At at) {
  check_axes("rfft", x, 1, at);
  const int64_t size = n.value_or(x.shape()[-1]);
  const Tensor samples = x.dtype() == DType::f64 ? x : v0::cast({x, at}, DType::f32);
  return separated(transformed(of_length(samples, size, at), ir::FftType::rfft, {size}, at));
}
Tensor irfft(const ComplexPair& x, std::optional<int64_t> n, At at) {
  check_axes("irfft", x.real, 1, at);
  const int64_t size = n.value_or(2 * (x.real.shape()[-1] - 1));
  const ComplexPair cut{of_length(x.real, size / 2 + 1, at), of_length(x.imag, size / 2 + 1, at)};
  return transformed(joined(cut, at), ir::FftType::irfft, {size}, at);
}

Tensor view_as_complex(const Tensor& x, At at) {
  if (x.rank() == 0 || x.shape()[-1] != 2) {
    raise<InvalidArgument>({.what = str("view_as_complex of shape ", x.shape()),
                            .wanted = "a last axis of 2: real and imaginary parts",
                            .location = at});
  }
  return joined({x[{ellipsis, 0}], x[{ellipsis, 1}]}, at);
}
Tensor view_as_real(const Tensor& x, At at) {
  if (!is_complex(x.dtype())) {
    raise<InvalidArgument>({.what = str("view_as_real of ", to_string(x.dtype())),
                            .wanted = "complex numbers",
                            .location = at});
  }
  const ComplexPair parts = separated(x);
  return v0::stack({parts.real, parts.imag}, -1, at);
}

}  // namespace ops
}  // namespace systolic::inline v0
