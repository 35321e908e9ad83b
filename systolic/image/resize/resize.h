// Resizing pictures, with the conventions of TensorFlow and of Pillow by name.
//
//   const Literal small = image::resize(picture, {.height = 224, .width = 224},
//                                       {.antialias = true});
//   image::resize(picture, 224, 224)                                 // the height comes first
//   image::resize(picture, processor.size)                           // of an ImageProcessor
#pragma once

#include <cstdint>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/image/data_format.h"
#include "systolic/image/resize/size.h"

namespace systolic::inline v0 {
namespace image {

enum class Resize : uint8_t {
  bilinear,  // triangle of radius 1
  bicubic,   // Keys's cubic, a = -0.5, of radius 2
  nearest,
  area,            // mean over what a new pixel covers; Pillow's BOX rounds to whole pixels
  lanczos3,        // of radius 3; Pillow's LANCZOS
  lanczos5,        // of radius 5
  gaussian,        // of radius 3, sigma 1/2
  mitchell_cubic,  // Mitchell-Netravali, of radius 2
  hamming,         // Pillow's, of radius 1
};

enum class Convention : uint8_t {
  // tf.image.resize: pixels are squares, output pixel i looks at (i + 0.5) * scale - 0.5. f32,
  // except that nearest keeps the type.
  tensorflow,
  // tf.compat.v1.image.resize_bilinear and resize_nearest_neighbor: output pixel i looks at
  // i * scale. Bilinear and nearest only.
  tensorflow_1,
  // The same with align_corners: scale is (old - 1) / (new - 1), so that corners stay corners.
  tensorflow_1_align_corners,
  // PIL.Image.resize of Pillow 13: always antialiased; f32 stays f32, and u8 stays u8, rounded
  // after each pass. The columns come first, except that the rows do where they shrink by more than
  // twice as many as the columns.
  pillow,
};

struct ResizeOptions {
  Resize method = Resize::bilinear;  // the kernel that weighs pixels
  // Widens the kernel where the picture shrinks, so that every pixel counts. Pillow always does.
  bool antialias = false;
  Convention convention = Convention::tensorflow;      // TensorFlow's or Pillow's
  DataFormat data_format = DataFormat::channels_last;  // or channels before the height
};

// `images`: u8 or f32 [height, width, channels] or [batch, height, width, channels]; channels
// before height for channels_first. InvalidArgument for an empty picture, an impossible size or
// type, and a method that the convention lacks.
Literal resize(const Literal& images, int64_t height, int64_t width,
               const ResizeOptions& options = {},
               SourceLocation location = SourceLocation::current());
inline Literal resize(const Literal& images, Size size, const ResizeOptions& options = {},
                      SourceLocation location = SourceLocation::current()) {
  return resize(images, size.height, size.width, options, location);
}

}  // namespace image
}  // namespace systolic::inline v0
