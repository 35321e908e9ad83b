// Mirrored and turned pictures, as in tf.image. `images` is u8 or f32 [height, width, channels] or
// [batch, height, width, channels]; channels before height for channels_first.
//
//   const Literal mirrored = image::flip_left_right(picture);
#pragma once

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/image/data_format.h"

namespace systolic::inline v0 {
namespace image {

// The columns in the opposite order.
Literal flip_left_right(const Literal& images, DataFormat format = DataFormat::channels_last,
                        SourceLocation location = SourceLocation::current());
// The rows in the opposite order, likewise.
Literal flip_up_down(const Literal& images, DataFormat format = DataFormat::channels_last,
                     SourceLocation location = SourceLocation::current());
// Rows become columns.
Literal transpose(const Literal& images, DataFormat format = DataFormat::channels_last,
                  SourceLocation location = SourceLocation::current());
// Counter-clockwise by `turns` quarters; negative ones clockwise.
Literal rot90(const Literal& images, int turns = 1, DataFormat format = DataFormat::channels_last,
              SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
