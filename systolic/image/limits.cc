#include "systolic/image/limits.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace image {

void check_size(std::string_view kind, int64_t height, int64_t width, int64_t max_pixels) {
  if (height < 1 || width < 1) {
    raise<DataLoss>({.what = str("a ", kind, " image is damaged: its header says ", height,
                                 " rows of ", width, " pixels")});
  }
  if (width > max_pixels / height) {
    raise<ResourceExhausted>(
        {.what = str("a ", kind, " image has ", height, " × ", width, " pixels"),
         .wanted = str("at most ", max_pixels),
         .hint = "raise max_pixels in the decoder's options if it may be so"});
  }
}

}  // namespace image
}  // namespace systolic::inline v0
