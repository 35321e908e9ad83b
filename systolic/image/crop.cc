#include "systolic/image/crop.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "systolic/base/error.h"
#include "systolic/image/limits.h"

namespace systolic::inline v0 {
namespace image {
namespace {

// Copies `box` of every plane of `from` to (top, left) of the same plane of `to`.
void copy_box(const Literal& from, const Extent& extent, const Box& box, Literal& to,
              const Extent& target, int64_t top, int64_t left) {
  const int64_t pixel = extent.step() * byte_width(from.dtype());
  std::byte* out = to.mutable_raw();
  for (int64_t plane = 0; plane < extent.planes(); ++plane) {
    for (int64_t y = 0; y < box.height; ++y) {
      const int64_t source = (plane * extent.height + box.top + y) * extent.width + box.left;
      const int64_t place = (plane * target.height + top + y) * target.width + left;
      std::memcpy(out + place * pixel, from.raw() + source * pixel,
                  static_cast<size_t>(box.width * pixel));
    }
  }
}

Extent resized(Extent extent, int64_t height, int64_t width) {
  extent.height = height;
  extent.width = width;
  return extent;
}

std::string describe(const Box& box) {
  return str(box.height, " × ", box.width, " pixels from row ", box.top, ", column ", box.left);
}

// Whether a picture of height × width holds the box.
bool holds(int64_t height, int64_t width, const Box& box) {
  return box.top >= 0 && box.left >= 0 && box.height >= 1 && box.width >= 1 && box.top <= height &&
         box.left <= width && box.height <= height - box.top && box.width <= width - box.left;
}

}  // namespace

Literal crop(const Literal& images, const Box& box, DataFormat format, SourceLocation location) {
  const ErrorScope scope("crop", location);
  const Extent extent = extent_of("crop", images, format);
  if (!holds(extent.height, extent.width, box)) {
    raise<InvalidArgument>({.what = "the box of " + describe(box) + " is not inside the picture",
                            .wanted = str("inside of ", extent.height, " × ", extent.width)});
  }
  Literal result(images.dtype(), extent.shape(box.height, box.width));
  copy_box(images, extent, box, result, resized(extent, box.height, box.width), 0, 0);
  return result;
}

Literal pad(const Literal& images, const Box& place, float value, DataFormat format,
            SourceLocation location) {
  const ErrorScope scope("pad", location);
  const Extent extent = extent_of("pad", images, format);
  if (place.height < 1 || place.width < 1 || place.width > default_max_pixels / place.height ||
      !holds(place.height, place.width, {place.top, place.left, extent.height, extent.width})) {
    raise<InvalidArgument>({.what = str("a picture of ", extent.height, " × ", extent.width,
                                        " from row ", place.top, ", column ", place.left,
                                        " is not inside of ", place.height, " × ", place.width),
                            .wanted = str("at most ", default_max_pixels, " pixels in all")});
  }
  Literal result = Literal::filled(images.dtype(), extent.shape(place.height, place.width), value);
  copy_box(images, extent, {0, 0, extent.height, extent.width}, result,
           resized(extent, place.height, place.width), place.top, place.left);
  return result;
}

Literal central_crop(const Literal& images, double fraction, DataFormat format,
                     SourceLocation location) {
  const ErrorScope scope("central_crop", location);
  const Extent extent = extent_of("central_crop", images, format);
  if (!(fraction > 0 && fraction <= 1)) {
    raise<InvalidArgument>(
        {.what = str("the fraction is ", fraction), .wanted = "above 0 and at most 1"});
  }
  const auto start = [fraction](int64_t size) {
    const auto length = static_cast<double>(size);
    return static_cast<int64_t>((length - length * fraction) / 2);
  };
  const int64_t top = start(extent.height), left = start(extent.width);
  return crop(images, {top, left, extent.height - 2 * top, extent.width - 2 * left}, format,
              location);
}

Literal resize_with_crop_or_pad(const Literal& images, int64_t height, int64_t width,
                                DataFormat format, SourceLocation location) {
  const ErrorScope scope("resize_with_crop_or_pad", location);
  const Extent extent = extent_of("resize_with_crop_or_pad", images, format);
  const int64_t kept_height = std::min(height, extent.height);
  const int64_t kept_width = std::min(width, extent.width);
  const Literal cropped = crop(
      images,
      {(extent.height - kept_height) / 2, (extent.width - kept_width) / 2, kept_height, kept_width},
      format, location);
  return pad(cropped, {(height - kept_height) / 2, (width - kept_width) / 2, height, width}, 0,
             format, location);
}

}  // namespace image
}  // namespace systolic::inline v0
