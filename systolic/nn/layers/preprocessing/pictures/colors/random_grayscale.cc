#include "systolic/nn/layers/preprocessing/pictures/colors/random_grayscale.h"

#include "systolic/base/error.h"
#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomGrayscale::changed(const Tensor& x, PictureDraws& draws) const {
  if (!(factor >= 0 && factor <= 1)) {
    raise<InvalidArgument>({.what = str("factor is ", factor), .wanted = "from 0 to 1"});
  }
  return where(draws.uniform(0, 1) < factor, gray_of(x), x);
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomGrayscale)

}  // namespace systolic::inline v0
