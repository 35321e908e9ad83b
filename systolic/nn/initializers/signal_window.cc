#include "systolic/nn/initializers/signal_window.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace systolic::inline v0 {
namespace {

// Sums of cosines: the factor of each multiple, from 0 on.
std::vector<double> cosine_factors(SignalWindow window) {
  if (window.is("hann")) return {0.5, 0.5};
  if (window.is("hamming")) return {0.54, 0.46};
  if (window.is("blackman")) return {0.42, 0.50, 0.08};
  if (window.is("nuttall")) return {0.3635819, 0.4891775, 0.1365995, 0.0106411};
  if (window.is("blackmanharris")) return {0.35875, 0.48829, 0.14128, 0.01168};
  if (window.is("flattop")) return {0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368};
  return {1};
}

// The value at place i of `length`, more than one.
double window_value(SignalWindow window, int64_t i, int64_t length) {
  const auto place = static_cast<double>(i), size = static_cast<double>(length);
  // 1 in the middle, 0 at both ends.
  const double height = 1 - std::abs(2 * place / (size - 1) - 1);
  if (window.is("bartlett")) return height;
  if (window.is("triang"))
    return 1 - std::abs(2 * place - (size - 1)) / (length % 2 == 0 ? size : size + 1);
  if (window.is("cosine")) return std::sin(std::numbers::pi / size * (place + 0.5));
  double sum = 0, multiple = 0;
  const double angle = std::numbers::pi * (2 * place / (size - 1) - 1);
  for (const double factor : cosine_factors(window)) sum += factor * std::cos(angle * multiple++);
  return sum;
}

}  // namespace

Config to_config(SignalWindow window) {
  return window.is("none") ? Config() : Config(std::string(window.name()));
}

void from_config(const Config& config, SignalWindow& window) {
  window = SignalWindow::parse(config.is_null() ? "none" : config.text_value());
}

std::vector<double> window_values(SignalWindow window, int64_t length, bool periodic) {
  std::vector<double> values(static_cast<size_t>(std::max<int64_t>(length, 0)), 1);
  if (length <= 1) return values;
  for (int64_t i = 0; i < length; ++i)
    values[static_cast<size_t>(i)] = window_value(window, i, periodic ? length + 1 : length);
  return values;
}

}  // namespace systolic::inline v0
