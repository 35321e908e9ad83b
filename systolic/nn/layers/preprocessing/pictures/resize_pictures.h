// Pictures in another size, with what Resizing, CenterCrop and RandomCrop ask for. Internal to nn.
#pragma once

#include "systolic/nn/config/interpolation.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

struct ResizePicturesOptions {
  Interpolation interpolation = "bilinear";
  bool antialias = false;
  bool crop_to_aspect_ratio = false;
  bool pad_to_aspect_ratio = false;
  double fill_value = 0;
};
// x [batch, height, width, channels] to [batch, rows, columns, channels] (keras.ops.image.resize).
Tensor resized_pictures(const Tensor& x, int64_t rows, int64_t columns,
                        const ResizePicturesOptions& options);

// The middle of x, which is as large at least.
Tensor middle_box(const Tensor& x, int64_t rows, int64_t columns);

}  // namespace systolic::inline v0
