// JPEG images (ITU-T T.81), decoded by libjpeg-turbo: baseline, progressive, arithmetic; grey,
// YCbCr, RGB, CMYK and YCCK. The orientation that a camera stores with the picture is not applied,
// just as in TensorFlow and in Pillow's open.
//
//   const Literal picture = image::decode_jpeg(bytes, {.channels = 3});   // u8 [height, width, 3]
#pragma once

#include <cstdint>
#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/image/limits.h"

namespace systolic::inline v0 {
namespace image {

// The inverse cosine transform. Pillow's is the accurate one; tf.io.decode_jpeg's default is the
// fast one, which differs by a few levels out of 255.
enum class Dct : uint8_t { accurate, fast };

struct DecodeJpegOptions {
  int channels = 0;             // 1 grey, 3 RGB; 0 takes the file's (CMYK becomes RGB)
  Dct dct = Dct::accurate;      // or fast, tf.io.decode_jpeg's default
  bool fancy_upscaling = true;  // interpolates chroma instead of repeating it
  // Scaled decoding, as in tf.io.decode_jpeg: 1, 2, 4 or 8 divide height and width, rounded up.
  int ratio = 1;
  // Scaled decoding for a resize: the largest ratio of 8, 4, 2 and 1 that leaves at least this many
  // rows and columns. 0: no such request; not together with ratio.
  int64_t min_height = 0, min_width = 0;
  // Accepts a file that ends early: the rows it has, the rest grey. Otherwise it is a DataLoss.
  bool try_recover_truncated = false;
  int64_t max_pixels = default_max_pixels;  // of the file, before scaled decoding
  int max_scans = 100;  // of a progressive file: each is a pass over the whole picture
};

// u8 [height, width, channels]. DataLoss for damage, and for a header whose size the file's bytes
// cannot fill; ResourceExhausted for more pixels or scans than the limits.
Literal decode_jpeg(std::string_view bytes, const DecodeJpegOptions& options = {},
                    SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
