#include "systolic/nn/layers/preprocessing/audio/stft_spectrogram.h"

#include <bit>

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

constexpr double epsilon = 1e-7;

int64_t step_of(const STFTSpectrogram& layer) {
  return layer.frame_step.value_or(layer.frame_length / 2);
}

int64_t transform_length(const STFTSpectrogram& layer) {
  return layer.fft_length.value_or(
      static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(layer.frame_length))));
}

void check_spectrogram(const STFTSpectrogram& layer, const Tensor& x) {
  check_rank(x, 3, "[batch, samples, channels]");
  check_positive("frame_length", layer.frame_length);
  const int64_t step = step_of(layer), length = transform_length(layer);
  if (step >= 1 && step <= layer.frame_length && length >= layer.frame_length && length > 1 &&
      !layer.padding.is("causal"))
    return;
  raise<InvalidArgument>(
      {.what = str("frame_step ", step, ", frame_length ", layer.frame_length, ", fft_length ",
                   length, ", padding \"", layer.padding.name(), "\""),
       .wanted = "1 <= frame_step <= frame_length <= fft_length, 2 or more, and \"valid\" or "
                 "\"same\""});
}

// [batch, samples, channels] -> [batch, channels, frames, frequencies].
Tensor waves_in(const STFTSpectrogram& layer, const Tensor& x, const Tensor& kernel) {
  const int64_t batch = x.shape()[0], samples = x.shape()[1], channels = x.shape()[2];
  const Tensor each = reshape(transpose(x, {0, 2, 1}), {batch * channels, samples, 1});
  const int64_t step = step_of(layer);
  std::pair<int64_t, int64_t> around = {0, 0};
  if (layer.padding.is("same")) around = same_padding(samples, layer.frame_length, step);
  const Tensor y = convolution(each, kernel, {.strides = {step}, .padding = {around}});
  return reshape(y, {batch, channels, y.shape()[1], y.shape()[2]});
}

// Of [batch, channels, frames, frequencies].
Tensor in_order(const STFTSpectrogram& layer, const Tensor& x) {
  const Shape& shape = x.shape();
  if (layer.expand_dims) return transpose(x, {0, 2, 3, 1});
  return reshape(transpose(x, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

// With the power of the frequencies that are in a spectrum twice.
Tensor on_both_sides(const Tensor& power) {
  const Shape& shape = power.shape();
  const Tensor inner = slice(power, {0, 0, 0, 1}, {shape[0], shape[1], shape[2], shape[3] - 2});
  return power + pad(inner, {{0, 0}, {0, 0}, {0, 0}, {1, 1}});
}

}  // namespace

Tensor STFTSpectrogram::call(const Tensor& x, CallContext& context) const {
  check_spectrogram(*this, x);
  const Shape kernel{frame_length, 1, transform_length(*this) / 2 + 1};
  const auto part = [&](const char* weight, Choice<StftSideNames> side) {
    const STFT initializer{
        .side = side, .window = window, .scaling = scaling, .periodic = periodic};
    return waves_in(*this, x, context.weight(weight, kernel, {.initializer = initializer}));
  };
  if (mode.is("real")) return in_order(*this, part("real_kernel", "real"));
  if (mode.is("imag")) return in_order(*this, part("imag_kernel", "imag"));
  const Tensor real = part("real_kernel", "real"), imaginary = part("imag_kernel", "imag");
  if (mode.is("angle")) return in_order(*this, atan2(imaginary, real));
  if (mode.is("stft")) return in_order(*this, concat({real, imaginary}, 3));
  const Tensor power = square(real) + square(imaginary);
  if (mode.is("psd")) return in_order(*this, on_both_sides(power));
  const Tensor magnitude = sqrt(maximum(in_order(*this, power), epsilon));
  return mode.is("magnitude") ? magnitude : log(maximum(magnitude, epsilon));
}

KerasForm STFTSpectrogram::keras_form() {
  return {.silent = {{"data_format", "\"channels_last\""}}};
}

SYSTOLIC_DEFINE_LAYER(STFTSpectrogram)

}  // namespace systolic::inline v0
