#include "systolic/nn/layers/preprocessing/audio/mel_spectrogram.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/initializers/signal_window.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/preprocessing/audio/real_dft.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

int64_t window_length(const MelSpectrogram& layer) {
  return layer.sequence_length.value_or(layer.fft_length);
}

void check_mel(const MelSpectrogram& layer, const Tensor& x) {
  check_positive("fft_length", layer.fft_length);
  check_positive("sequence_stride", layer.sequence_stride);
  check_positive("num_mel_bins", layer.num_mel_bins);
  const int64_t length = window_length(layer);
  if (length < 1 || length > layer.fft_length) {
    raise<InvalidArgument>({.what = str("sequence_length is ", length),
                            .wanted = str("from 1 to fft_length, ", layer.fft_length)});
  }
  if ((x.rank() != 1 && x.rank() != 2) || x.shape()[-1] <= layer.fft_length / 2) {
    raise<InvalidArgument>({.what = str("an input of shape ", x.shape()),
                            .wanted = str("[samples] or [batch, samples], with more than ",
                                          layer.fft_length / 2, " samples")});
  }
}

// The window, with zeros on both sides of it.
Literal padded_window(const MelSpectrogram& layer) {
  const int64_t length = window_length(layer);
  const SignalWindow window = SignalWindow::parse(layer.window.name());
  const std::vector<double> values = window_values(window, length, true);
  std::vector<float> padded(static_cast<size_t>(layer.fft_length), 0);
  const int64_t before = (layer.fft_length - length) / 2;
  std::transform(values.begin(), values.end(), padded.begin() + before,
                 [](double value) { return static_cast<float>(value); });
  return Literal::from(padded, {layer.fft_length});
}

float mel_of(float hertz) { return 1127.0f * std::log(1.0f + hertz / 700.0f); }

// Value i of `count` from `first` to `last`, at even steps, rounded as NumPy's linspace in f32.
float evenly(float first, float last, int64_t i, int64_t count) {
  if (i == count - 1) return last;
  const float share = static_cast<float>(i) / static_cast<float>(count - 1);
  return first * (1 - share) + last * share;
}

// [frequencies, bands]: triangles over three neighboring mels. The frequency 0 is in none.
Literal mel_weights(const MelSpectrogram& layer) {
  const int64_t frequencies = layer.fft_length / 2 + 1, bands = layer.num_mel_bins;
  const auto rate = static_cast<float>(layer.sampling_rate);
  const double highest = layer.max_freq.value_or(std::floor(layer.sampling_rate / 2));
  std::vector<float> edges;
  for (int64_t i = 0; i < bands + 2; ++i) {
    edges.push_back(evenly(mel_of(static_cast<float>(layer.min_freq)),
                           mel_of(static_cast<float>(highest)), i, bands + 2));
  }
  Literal weights = Literal::zeros(DType::f32, {frequencies, bands});
  auto to = weights.mutable_data<float>().begin() + bands;
  for (int64_t k = 1; k < frequencies; ++k) {
    const float mel = mel_of(evenly(0, rate / 2, k, frequencies));
    for (size_t band = 0; band < static_cast<size_t>(bands); ++band) {
      const float low = edges[band], middle = edges[band + 1], high = edges[band + 2];
      const float rising = (mel - low) / (middle - low), falling = (high - mel) / (high - middle);
      *to++ = std::max(0.0f, std::min(rising, falling));
    }
  }
  return weights;
}

// [batch, samples] -> [batch, frames, fft_length].
Tensor frames_of(const MelSpectrogram& layer, const Tensor& x) {
  const auto samples = static_cast<int32_t>(x.shape()[1]);
  const auto length = static_cast<int32_t>(layer.fft_length), around = length / 2;
  const int64_t frames = (samples + 2 * around - length) / layer.sequence_stride + 1;
  const Tensor start = iota({frames, length}, 0) * static_cast<int32_t>(layer.sequence_stride);
  const Tensor place = abs(start + iota({frames, length}, 1) - around);
  // Reflected at the ends, without the last sample again.
  return gather(x, minimum(place, (2 * samples - 2) - place), 1);
}

// Takes power [batch, frames, bands]. The loudest is that of the whole batch, as in Keras, except
// rows that only pad it.
Tensor decibels(const MelSpectrogram& layer, const Tensor& power,
                const std::optional<Tensor>& counted) {
  const double reference = 10 * std::log10(std::max(std::abs(layer.ref_power), layer.min_power));
  const Tensor log_power = log(maximum(power, layer.min_power)) * (10 / std::log(10.0)) - reference;
  const double least = 10 * std::log10(layer.min_power) - reference;  // of any
  const Tensor real = counted ? where(reshape(*counted, {-1, 1, 1}), log_power, least) : log_power;
  return maximum(log_power, max(real) - layer.top_db);
}

}  // namespace

Tensor MelSpectrogram::call(const Tensor& x, CallContext& context) const {
  check_mel(*this, x);
  const Tensor rows = x.rank() == 1 ? expand_dims(x, 0) : x;
  const Tensor frames = frames_of(*this, cast(rows, DType::f32)) * constant(padded_window(*this));
  const Shape& shape = frames.shape();
  const int64_t count = shape[0] * shape[1];
  const Spectrum spectrum = real_dft(reshape(frames, {count, fft_length}));
  const Tensor squares = square(spectrum.real) + square(spectrum.imaginary);
  const Tensor energy = mag_exp == 2 ? squares : pow(squares, mag_exp / 2);
  const Tensor bands =
      reshape(matmul(energy, constant(mel_weights(*this))), {shape[0], shape[1], num_mel_bins});
  const Tensor scaled = power_to_db ? decibels(*this, bands, context.sample_mask()) : bands;
  const Tensor result = transpose(scaled, {0, 2, 1});
  return cast(x.rank() == 1 ? squeeze(result, {0}) : result, context.compute_dtype());
}

SYSTOLIC_DEFINE_LAYER(MelSpectrogram)

}  // namespace systolic::inline v0
