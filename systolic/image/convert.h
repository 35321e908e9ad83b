// Converts between bytes and floats, and to the numbers that networks take. `images` is u8 or f32
// [height, width, channels] or [batch, height, width, channels]; channels before height for
// channels_first.
//
//   const Literal input = image::normalize(picture, {.mean = {0.485, 0.456, 0.406},
//                                                    .std = {0.229, 0.224, 0.225}});
#pragma once

#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/image/data_format.h"

namespace systolic::inline v0 {
namespace image {

// 0...255 to 0...1, and back with saturation: tf.image.convert_image_dtype. Images that have the
// type already stay. InvalidArgument for to_bytes of a value of 2 or more, which is on another
// scale.
Literal to_float(const Literal& images, SourceLocation location = SourceLocation::current());
Literal to_bytes(const Literal& images, SourceLocation location = SourceLocation::current());

// (value * scale - mean[channel]) / std[channel], f32. One number stands for all channels.
// ImageNet's are customary.
struct Normalization {
  double scale = 1.0 / 255;
  std::vector<double> mean = {0}, std = {1};
};
Literal normalize(const Literal& images, const Normalization& normalization,
                  DataFormat format = DataFormat::channels_last,
                  SourceLocation location = SourceLocation::current());

// normalize as value * scale[channel] + offset[channel]. InvalidArgument where the numbers of
// channels differ or a deviation is 0.
struct ChannelScales {
  std::vector<float> scale, offset;
};
ChannelScales channel_scales(const Normalization& normalization, int64_t channels);

// (value - mean) / max(deviation, 1 / sqrt(size)) with mean and deviation of each picture, f32:
// tf.image.per_image_standardization.
Literal per_image_standardization(const Literal& images,
                                  SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
