// The kernels of resizing, as functions of the distance in pixels.
#pragma once

#include "systolic/image/resize/resize.h"

namespace systolic::inline v0 {
namespace image {

struct FilterKernel {
  double radius;
  double (*at)(double x);  // x >= 0
};

// area: a box of one pixel. nearest has none.
FilterKernel filter_kernel(Resize method);

}  // namespace image
}  // namespace systolic::inline v0
