#include "systolic/image/channels.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace image {

void check_channels(std::string_view function, int channels) {
  if (channels == 0 || channels == 1 || channels == 3 || channels == 4) return;
  raise<InvalidArgument>({.what = str(function, " to ", channels, " channels"),
                          .wanted = "0 (those of the file), 1, 3 or 4"});
}

Literal with_channels(const Literal& picture, int channels) {
  const int64_t has = picture.shape()[2];
  if (has == channels) return picture;
  Literal result(DType::u8, Shape{picture.shape()[0], picture.shape()[1], channels});
  const uint8_t* from = picture.data<uint8_t>().data();
  const uint8_t* end = from + picture.size();
  for (uint8_t* to = result.mutable_data<uint8_t>().data(); from != end;
       from += has, to += channels) {
    const uint8_t r = from[0], g = has == 1 ? r : from[1], b = has == 1 ? r : from[2];
    if (channels == 1) {
      to[0] = static_cast<uint8_t>((r * 19595 + g * 38470 + b * 7471 + 0x8000) >> 16);
      continue;
    }
    to[0] = r, to[1] = g, to[2] = b;
    if (channels == 4) to[3] = 255;
  }
  return result;
}

}  // namespace image
}  // namespace systolic::inline v0
