// Brightness, contrast, saturation and hue, as in tf.image. `images` is u8, or f32 with values from
// 0 to 1, [height, width, channels] or [batch, height, width, channels]; channels before height for
// channels_first. Bytes become floats from 0 to 1, and bytes again with saturation; floats are not
// clipped.
//
//   const Literal paler = image::adjust_saturation(picture, 0.5);
#pragma once

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/image/data_format.h"

namespace systolic::inline v0 {
namespace image {

// value + delta.
Literal adjust_brightness(const Literal& images, double delta,
                          SourceLocation location = SourceLocation::current());
// (value - mean) * factor + mean, with the mean of each channel of each picture.
Literal adjust_contrast(const Literal& images, double factor,
                        DataFormat format = DataFormat::channels_last,
                        SourceLocation location = SourceLocation::current());
// For RGB: HSV's saturation times factor, factor >= 0, clipped to [0, 1].
Literal adjust_saturation(const Literal& images, double factor,
                          DataFormat format = DataFormat::channels_last,
                          SourceLocation location = SourceLocation::current());
// For RGB: HSV's hue, a circle of length 1, plus delta in [-1, 1].
Literal adjust_hue(const Literal& images, double delta,
                   DataFormat format = DataFormat::channels_last,
                   SourceLocation location = SourceLocation::current());
// For RGB: 0.2989 R + 0.5870 G + 0.1140 B, one channel.
Literal rgb_to_grayscale(const Literal& images, DataFormat format = DataFormat::channels_last,
                         SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
