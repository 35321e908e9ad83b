#include "systolic/image/flip.h"

#include <cstring>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace image {
namespace {

// New pixel (y, x) is the old one number start + y * down + x * right of the plane.
struct Walk {
  int64_t height, width, start, down, right;
};

template <size_t pixel_bytes>
void copy_pixels(const std::byte* from, const Walk& walk, size_t bytes, std::byte* to) {
  const size_t size = pixel_bytes == 0 ? bytes : pixel_bytes;
  for (int64_t y = 0; y < walk.height; ++y) {
    int64_t at = walk.start + y * walk.down;
    for (int64_t x = 0; x < walk.width; ++x, at += walk.right, to += size) {
      std::memcpy(to, from + at * static_cast<int64_t>(size), size);
    }
  }
}

Literal walked(const Literal& images, const Extent& extent, const Walk& walk) {
  Literal result(images.dtype(), extent.shape(walk.height, walk.width));
  const auto pixel = static_cast<size_t>(extent.step() * byte_width(images.dtype()));
  const int64_t plane = extent.height * extent.width * static_cast<int64_t>(pixel);
  std::byte* to = result.mutable_raw();
  for (int64_t i = 0; i < extent.planes(); ++i) {
    const std::byte* from = images.raw() + i * plane;
    if (pixel == 3) {
      copy_pixels<3>(from, walk, pixel, to + i * plane);
    } else if (pixel == 12) {
      copy_pixels<12>(from, walk, pixel, to + i * plane);
    } else {
      copy_pixels<0>(from, walk, pixel, to + i * plane);
    }
  }
  return result;
}

}  // namespace

Literal flip_left_right(const Literal& images, DataFormat format, SourceLocation location) {
  const ErrorScope scope("flip_left_right", location);
  const Extent e = extent_of("flip_left_right", images, format);
  return walked(images, e, {e.height, e.width, e.width - 1, e.width, -1});
}

Literal flip_up_down(const Literal& images, DataFormat format, SourceLocation location) {
  const ErrorScope scope("flip_up_down", location);
  const Extent e = extent_of("flip_up_down", images, format);
  return walked(images, e, {e.height, e.width, (e.height - 1) * e.width, -e.width, 1});
}

Literal transpose(const Literal& images, DataFormat format, SourceLocation location) {
  const ErrorScope scope("transpose", location);
  const Extent e = extent_of("transpose", images, format);
  return walked(images, e, {e.width, e.height, 0, 1, e.width});
}

Literal rot90(const Literal& images, int turns, DataFormat format, SourceLocation location) {
  const ErrorScope scope("rot90", location);
  const Extent e = extent_of("rot90", images, format);
  switch ((turns % 4 + 4) % 4) {
    case 1:
      return walked(images, e, {e.width, e.height, e.width - 1, -1, e.width});
    case 2:
      return walked(images, e, {e.height, e.width, e.height * e.width - 1, -e.width, -1});
    case 3:
      return walked(images, e, {e.width, e.height, (e.height - 1) * e.width, 1, -e.width});
    default:
      return images;
  }
}

}  // namespace image
}  // namespace systolic::inline v0
