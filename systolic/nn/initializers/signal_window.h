// Windows by which signals are weighed before their Fourier transform, as SciPy has them
// (scipy.signal.get_window).
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/config.h"

namespace systolic::inline v0 {

// Windows over samples, as scipy.signal.get_window names them.
struct SignalWindowNames {
  SYSTOLIC_NAMES(throw "window must be one of: none boxcar bartlett triang cosine hann hamming blackman nuttall blackmanharris flattop")  // NOLINT
};
// A name of them; "none", and in Keras's files null, weighs all the same.
using SignalWindow = Choice<SignalWindowNames>;
Config to_config(SignalWindow window);
void from_config(const Config& config, SignalWindow& window);

// `length` values; `periodic` ones go on, repeated, where they end, others are symmetric.
std::vector<double> window_values(SignalWindow window, int64_t length, bool periodic);

}  // namespace systolic::inline v0
