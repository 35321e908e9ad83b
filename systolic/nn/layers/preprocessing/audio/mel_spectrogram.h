// Sound to a spectrogram on the mel scale (keras.layers.MelSpectrogram): how loud each band of
// frequencies is in each of the overlapping frames.
//
//   MelSpectrogram{.num_mel_bins = 64, .sampling_rate = 16000}
//
// [samples] or [batch, samples] -> [bands, frames] or [batch, bands, frames], f32 or the layer's
// type. Frames are fft_length samples around each sequence_stride-th one, reflected at the ends, so
// there must be more than fft_length / 2 samples. With power_to_db decibels, at most top_db below
// the loudest of the batch.
#pragma once

#include "systolic/nn/layer.h"
#include "systolic/nn/layers/shared_fields.h"

namespace systolic::inline v0 {

// Windows of a frame.
struct MelWindowNames {
  SYSTOLIC_NAMES(throw "window must be one of: hann hamming")
};

struct MelSpectrogram {
  static constexpr const char* kind = "MelSpectrogram";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;  // computes in f32
  int64_t fft_length = 2048;
  int64_t sequence_stride = 512;
  std::optional<int64_t> sequence_length = {};  // samples under the window; fft_length
  Choice<MelWindowNames> window = "hann";
  double sampling_rate = 16000;  // samples per second
  int64_t num_mel_bins = 128;
  double min_freq = 20.0;               // hertz
  std::optional<double> max_freq = {};  // hertz; half of sampling_rate
  bool power_to_db = true;
  double top_db = 80.0;
  double mag_exp = 2.0;  // 1: energy, 2: power
  double min_power = 1e-10;
  double ref_power = 1.0;  // is 0 decibels
  DTypePolicy dtype = {};
  std::string name = {};
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const;

  SYSTOLIC_LAYER_CALLS

  template <class Self = MelSpectrogram>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("fft_length", &Self::fft_length),
                   field("sequence_stride", &Self::sequence_stride),
                   field("sequence_length", &Self::sequence_length), field("window", &Self::window),
                   field("sampling_rate", &Self::sampling_rate),
                   field("num_mel_bins", &Self::num_mel_bins), field("min_freq", &Self::min_freq),
                   field("max_freq", &Self::max_freq), field("power_to_db", &Self::power_to_db),
                   field("top_db", &Self::top_db), field("mag_exp", &Self::mag_exp),
                   field("min_power", &Self::min_power), field("ref_power", &Self::ref_power)),
        common_fields<Self>());
  }
};

extern template Layer::Layer(MelSpectrogram);

}  // namespace systolic::inline v0
