// Writes JPEG images by libjpeg-turbo.
//
//   io::write_file("flower.jpg", image::encode_jpeg(picture, {.quality = 90}));
#pragma once

#include <string>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace image {

struct EncodeJpegOptions {
  int quality = 95;                 // 1 to 100
  bool progressive = false;         // coarse first, then finer: a smaller file, slower to decode
  bool chroma_downsampling = true;  // halves the rows and columns of colour
};

// The bytes of a file, from u8 [height, width, 1 or 3]: tf.io.encode_jpeg. InvalidArgument for
// another picture or quality.
std::string encode_jpeg(const Literal& picture, const EncodeJpegOptions& options = {},
                        SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
