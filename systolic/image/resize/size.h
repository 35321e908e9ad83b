// A picture's size by name: image::resize(picture, {.height = 224, .width = 224}).
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace image {

struct Size {
  int64_t height = 0, width = 0;  // in pixels
};

}  // namespace image
}  // namespace systolic::inline v0
