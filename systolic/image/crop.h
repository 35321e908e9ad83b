// Parts of pictures, and pictures in larger ones. `images` is u8 or f32 [height, width, channels]
// or [batch, height, width, channels]; channels before height for channels_first.
//
//   const Literal middle = image::central_crop(picture, 0.875);
#pragma once

#include <cstdint>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/image/data_format.h"

namespace systolic::inline v0 {
namespace image {

// A rectangle of pixels, its upper left corner at row `top` and column `left`.
struct Box {
  int64_t top = 0, left = 0, height = 0, width = 0;
};

// The pixels of the box, which must lie inside: tf.image.crop_to_bounding_box.
Literal crop(const Literal& images, const Box& box, DataFormat format = DataFormat::channels_last,
             SourceLocation location = SourceLocation::current());

// A picture of height × width that holds `images` from (top, left) on, and `value` elsewhere:
// tf.image.pad_to_bounding_box.
Literal pad(const Literal& images, const Box& place, float value = 0,
            DataFormat format = DataFormat::channels_last,
            SourceLocation location = SourceLocation::current());

// The middle, of `fraction` of height and width, 0 < fraction <= 1: tf.image.central_crop.
Literal central_crop(const Literal& images, double fraction,
                     DataFormat format = DataFormat::channels_last,
                     SourceLocation location = SourceLocation::current());

// The middle, or with zeros around: tf.image.resize_with_crop_or_pad.
Literal resize_with_crop_or_pad(const Literal& images, int64_t height, int64_t width,
                                DataFormat format = DataFormat::channels_last,
                                SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
