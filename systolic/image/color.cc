#include "systolic/image/color.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/image/convert.h"

namespace systolic::inline v0 {
namespace image {
namespace {

// Strides, in numbers: pixel p, channel c of picture i lies at i * picture + p * pixel + c *
// channel.
struct Strides {
  int64_t picture, pixel, channel;
};

Strides strides_of(const Extent& extent) {
  const int64_t pixels = extent.height * extent.width;
  const bool last = extent.format == DataFormat::channels_last;
  return {pixels * extent.channels, last ? extent.channels : 1, last ? 1 : pixels};
}

Extent rgb_extent(std::string_view function, const Literal& images, DataFormat format) {
  const Extent extent = extent_of(function, images, format);
  if (extent.channels != 3) {
    raise<InvalidArgument>({.what = str(function, " of ", extent.channels, " channels"),
                            .wanted = "3: red, green, blue"});
  }
  return extent;
}

Literal back(const Literal& floats, DType dtype) {
  return dtype == DType::u8 ? to_bytes(floats) : floats;
}

struct Hsv {
  float hue, saturation, value;  // hue in [0, 1)
};

Hsv to_hsv(float r, float g, float b) {
  const float value = std::max({r, g, b}), range = value - std::min({r, g, b});
  Hsv result{0, value > 0 ? range / value : 0, value};
  if (range <= 0) return result;
  const float sixth = 1.0f / (6 * range);
  if (r == value) {
    result.hue = sixth * (g - b);
  } else if (g == value) {
    result.hue = sixth * (b - r) + 2.0f / 6;
  } else {
    result.hue = sixth * (r - g) + 4.0f / 6;
  }
  if (result.hue < 0) result.hue += 1;
  return result;
}

// Each channel is a trapezoid over the hue.
float from_hsv(const Hsv& hsv, float peak) {
  const float away = std::abs(std::remainder(hsv.hue - peak, 1.0f)) * 6;
  const float share = std::clamp(2 - away, 0.0f, 1.0f);
  return hsv.value * (1 - hsv.saturation * (1 - share));
}

template <class Change>
Literal change_hsv(const Literal& images, const Extent& extent, const Change& change) {
  Literal result = to_float(images);
  const Strides at = strides_of(extent);
  float* begin = result.mutable_data<float>().data();
  for (int64_t i = 0; i < extent.batch; ++i) {
    for (int64_t p = 0; p < extent.height * extent.width; ++p) {
      float* r = begin + i * at.picture + p * at.pixel;
      float* g = r + at.channel;
      float* b = g + at.channel;
      Hsv hsv = to_hsv(*r, *g, *b);
      change(hsv);
      *r = from_hsv(hsv, 0);
      *g = from_hsv(hsv, 1.0f / 3);
      *b = from_hsv(hsv, 2.0f / 3);
    }
  }
  return back(result, images.dtype());
}

}  // namespace

Literal adjust_brightness(const Literal& images, double delta, SourceLocation location) {
  const ErrorScope scope("adjust_brightness", location);
  extent_of("adjust_brightness", images);
  Literal result = to_float(images);
  for (float& value : result.mutable_data<float>()) value += static_cast<float>(delta);
  return back(result, images.dtype());
}

Literal adjust_contrast(const Literal& images, double factor, DataFormat format,
                        SourceLocation location) {
  const ErrorScope scope("adjust_contrast", location);
  const Extent extent = extent_of("adjust_contrast", images, format);
  Literal result = to_float(images);
  const Strides at = strides_of(extent);
  const int64_t pixels = extent.height * extent.width;
  float* begin = result.mutable_data<float>().data();
  for (int64_t i = 0; i < extent.batch * extent.channels; ++i) {
    float* channel = begin + i / extent.channels * at.picture + i % extent.channels * at.channel;
    double sum = 0;
    for (int64_t p = 0; p < pixels; ++p) sum += channel[p * at.pixel];
    const auto mean = static_cast<float>(sum / static_cast<double>(pixels));
    for (int64_t p = 0; p < pixels; ++p) {
      float& value = channel[p * at.pixel];
      value = (value - mean) * static_cast<float>(factor) + mean;
    }
  }
  return back(result, images.dtype());
}

Literal adjust_saturation(const Literal& images, double factor, DataFormat format,
                          SourceLocation location) {
  const ErrorScope scope("adjust_saturation", location);
  const Extent extent = rgb_extent("adjust_saturation", images, format);
  if (!(factor >= 0)) {
    raise<InvalidArgument>({.what = str("the factor is ", factor), .wanted = "at least 0"});
  }
  return change_hsv(images, extent, [factor](Hsv& hsv) {
    hsv.saturation = std::clamp(hsv.saturation * static_cast<float>(factor), 0.0f, 1.0f);
  });
}

Literal adjust_hue(const Literal& images, double delta, DataFormat format,
                   SourceLocation location) {
  const ErrorScope scope("adjust_hue", location);
  const Extent extent = rgb_extent("adjust_hue", images, format);
  if (!(delta >= -1 && delta <= 1)) {
    raise<InvalidArgument>({.what = str("the hue's delta is ", delta), .wanted = "-1 to 1"});
  }
  return change_hsv(images, extent, [delta](Hsv& hsv) { hsv.hue += static_cast<float>(delta); });
}

Literal rgb_to_grayscale(const Literal& images, DataFormat format, SourceLocation location) {
  const ErrorScope scope("rgb_to_grayscale", location);
  Extent extent = rgb_extent("rgb_to_grayscale", images, format);
  const Strides at = strides_of(extent);
  const Literal floats = to_float(images);
  const float* begin = floats.data<float>().data();
  extent.channels = 1;
  Literal result(DType::f32, extent.shape(extent.height, extent.width));
  float* to = result.mutable_data<float>().data();
  for (int64_t i = 0; i < extent.batch; ++i) {
    for (int64_t p = 0; p < extent.height * extent.width; ++p) {
      const float* r = begin + i * at.picture + p * at.pixel;
      *to++ = 0.2989f * r[0] + 0.5870f * r[at.channel] + 0.1140f * r[2 * at.channel];
    }
  }
  return back(result, images.dtype());
}

}  // namespace image
}  // namespace systolic::inline v0
