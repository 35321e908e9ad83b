#include "systolic/image/data_format.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace image {

Shape Extent::shape(int64_t new_height, int64_t new_width) const {
  const bool last = format == DataFormat::channels_last;
  if (has_batch) {
    return last ? Shape{batch, new_height, new_width, channels}
                : Shape{batch, channels, new_height, new_width};
  }
  return last ? Shape{new_height, new_width, channels} : Shape{channels, new_height, new_width};
}

Extent extent_of(std::string_view function, const Literal& images, DataFormat format) {
  const Shape& shape = images.shape();
  const bool last = format == DataFormat::channels_last;
  const std::string wanted = last ? "[height, width, channels] or [batch, height, width, channels]"
                                  : "[channels, height, width] or [batch, channels, height, width]";
  if (images.rank() != 3 && images.rank() != 4) {
    raise<InvalidArgument>({.what = str(function, ": the picture has shape ", shape),
                            .wanted = wanted,
                            .hint = "put missing axes in with reshape"});
  }
  if (images.size() == 0) {
    raise<InvalidArgument>(
        {.what = str(function, ": the picture of shape ", shape, " has no pixels")});
  }
  if (images.dtype() != DType::u8 && images.dtype() != DType::f32) {
    raise<InvalidArgument>({.what = str(function, ": the picture is ", images.dtype()),
                            .wanted = "u8 or f32",
                            .hint = "convert it with image.convert(DType::f32)"});
  }
  const int first = images.rank() - 3;
  Extent extent{.format = format, .has_batch = first == 1};
  if (first == 1) extent.batch = shape[0];
  extent.height = shape[last ? first : first + 1];
  extent.width = shape[last ? first + 1 : first + 2];
  extent.channels = shape[last ? first + 2 : first];
  return extent;
}

}  // namespace image
}  // namespace systolic::inline v0
