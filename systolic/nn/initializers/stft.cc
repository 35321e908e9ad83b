#include "systolic/nn/initializers/stft.h"

#include <cmath>
#include <numbers>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

double divisor_of(StftScaling scaling, const std::vector<double>& window) {
  double sum = 0, squares = 0;
  for (const double value : window) {
    sum += std::abs(value);
    squares += value * value;
  }
  return scaling.is("density") ? std::sqrt(squares) : scaling.is("spectrum") ? sum : 1;
}

}  // namespace

Config to_config(StftScaling scaling) {
  return scaling.is("none") ? Config() : Config(std::string(scaling.name()));
}

void from_config(const Config& config, StftScaling& scaling) {
  scaling = StftScaling::parse(config.is_null() ? "none" : config.text_value());
}

Literal STFT::operator()(const Shape& shape, uint64_t) const {
  if (shape.rank() != 3 || shape[2] < 2) {
    raise<InvalidArgument>({.what = str("STFT of shape ", shape),
                            .wanted = "[frame length, channels, 2 frequencies or more]"});
  }
  const int64_t length = shape[0], channels = shape[1], frequencies = shape[2];
  const std::vector<double> values = window_values(window, length, periodic);
  const double divisor = window.is("none") ? 1 : divisor_of(scaling, values);
  Literal result(DType::f32, shape);
  auto to = result.mutable_data<float>().begin();
  const auto samples = static_cast<float>(2 * (frequencies - 1));
  for (int64_t time = 0; time < length; ++time) {
    for (int64_t i = 0; i < channels * frequencies; ++i) {
      // In f32, step by step, as Keras computes the angle: it may be some hundred turns.
      const float frequency = static_cast<float>(i % frequencies) / samples;
      const float angle = -2.0f * static_cast<float>(time) * frequency * std::numbers::pi_v<float>;
      const double wave = side.is("real") ? std::cos(double{angle}) : std::sin(double{angle});
      *to++ = static_cast<float>(wave * values[static_cast<size_t>(time)] / divisor);
    }
  }
  return result;
}

}  // namespace systolic::inline v0
