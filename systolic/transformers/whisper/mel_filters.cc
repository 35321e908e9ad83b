#include "systolic/transformers/whisper/mel_filters.h"

#include <algorithm>
#include <cmath>

namespace systolic::inline v0 {
namespace {

constexpr double linear_end = 1000, hertz_of_mel = 200.0 / 3;  // below linear_end
constexpr double mels_of_linear = linear_end / hertz_of_mel;
const double step_above = std::log(6.4) / 27;

double mel_of(double hertz) {
  if (hertz < linear_end) return hertz / hertz_of_mel;
  return mels_of_linear + std::log(hertz / linear_end) / step_above;
}

double hertz_of(double mel) {
  if (mel < mels_of_linear) return mel * hertz_of_mel;
  return linear_end * std::exp(step_above * (mel - mels_of_linear));
}

}  // namespace

std::vector<double> mel_filters(int64_t bins, int64_t frequencies, double sampling_rate,
                                double most) {
  std::vector<double> corners;  // each bin rises from one to the next, and falls to the one after
  for (int64_t i = 0; i < bins + 2; ++i)
    corners.push_back(
        hertz_of(mel_of(most) * static_cast<double>(i) / static_cast<double>(bins + 1)));
  std::vector<double> result(static_cast<size_t>(bins * frequencies));
  for (int64_t bin = 0; bin < bins; ++bin) {
    const double* corner = corners.data() + bin;
    for (int64_t i = 0; i < frequencies; ++i) {
      const double hertz = sampling_rate / 2 * static_cast<double>(i) /
                           static_cast<double>(std::max<int64_t>(1, frequencies - 1));
      const double rise = (hertz - corner[0]) / (corner[1] - corner[0]);
      const double fall = (corner[2] - hertz) / (corner[2] - corner[1]);
      const double height = 2 / (corner[2] - corner[0]);
      result[static_cast<size_t>(bin * frequencies + i)] =
          std::max(0.0, std::min(rise, fall)) * height;
    }
  }
  return result;
}

}  // namespace systolic::inline v0
