// Sound to a spectrogram (keras.layers.STFTSpectrogram): a convolution whose kernels begin as the
// waves of a short-time Fourier transform under a window, and may be trained on.
//
//   STFTSpectrogram{.mode = "log", .frame_length = 256, .frame_step = 128}
//
// [batch, samples, channels] -> [batch, frames, channels * frequencies], or with expand_dims
// [batch, frames, frequencies, channels]; frequencies is fft_length / 2 + 1, twice that for "stft".
// `mode`: "log" and "magnitude" of each frequency, "psd" its power on both sides of the spectrum,
// "real", "imag", "angle", or "stft", the real parts followed by the imaginary ones.
#pragma once

#include "systolic/nn/config/keras_form.h"
#include "systolic/nn/config/padding.h"
#include "systolic/nn/initializers/stft.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// What is given of each frame's transform.
struct SpectrogramModeNames {
  SYSTOLIC_NAMES(throw "mode must be one of: log magnitude psd real imag angle stft")
};

struct STFTSpectrogram {
  static constexpr const char* kind = "STFTSpectrogram";
  static constexpr LayerTraits traits = {};
  Choice<SpectrogramModeNames> mode = "log";
  int64_t frame_length = 256;
  std::optional<int64_t> frame_step = {};  // half of frame_length
  std::optional<int64_t> fft_length = {};  // the next power of two
  SignalWindow window = "hann";
  bool periodic = false;
  StftScaling scaling = "density";
  Padding padding = "valid";
  bool expand_dims = false;
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  static KerasForm keras_form();
  template <class Self = STFTSpectrogram>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("mode", &Self::mode), field("frame_length", &Self::frame_length),
                   field("frame_step", &Self::frame_step), field("fft_length", &Self::fft_length),
                   field("window", &Self::window), field("periodic", &Self::periodic),
                   field("scaling", &Self::scaling), field("padding", &Self::padding),
                   field("expand_dims", &Self::expand_dims)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(STFTSpectrogram);

}  // namespace systolic::inline v0
