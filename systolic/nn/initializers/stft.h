// The weights of a convolution that is a short-time Fourier transform (keras.initializers.STFT):
// the cosines or sines of all frequencies, under a window.
//
//   [frame length, 1, frequencies]: transforms of 2 * (frequencies - 1) samples
//
// `scaling`: "density" divides by the root of the sum of the window's squares, "spectrum" by the
// sum of its values; "none", and without a window, nothing is divided.
#pragma once

#include "systolic/core/literal.h"
#include "systolic/nn/config/fields.h"
#include "systolic/nn/initializers/signal_window.h"

namespace systolic::inline v0 {

// Which part of the waves.
struct StftSideNames {
  SYSTOLIC_NAMES(throw "side must be one of: real imag")
};
// What the waves are divided by.
struct StftScalingNames {
  SYSTOLIC_NAMES(throw "scaling must be one of: none density spectrum")
};
// A name of them; null in Keras's files is "none".
using StftScaling = Choice<StftScalingNames>;
Config to_config(StftScaling scaling);
void from_config(const Config& config, StftScaling& scaling);

struct STFT {
  static constexpr const char* kind = "STFT";
  Choice<StftSideNames> side = "real";
  SignalWindow window = "hann";
  StftScaling scaling = "density";
  bool periodic = false;

  Literal operator()(const Shape& shape, uint64_t layer_seed) const;
  static constexpr auto fields() {
    return std::tuple(field("side", &STFT::side), field("window", &STFT::window),
                      field("scaling", &STFT::scaling), field("periodic", &STFT::periodic));
  }
};

}  // namespace systolic::inline v0
