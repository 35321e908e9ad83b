#include "systolic/nn/layers/preprocessing/pictures/geometry/random_zoom.h"

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomZoom::changed(const Tensor& x, PictureDraws& draws) const {
  const Tensor height_zoom = 1.0 + draws.uniform(height_factor.get().range("height_factor", -1, 1));
  const Tensor width_zoom =
      width_factor ? 1.0 + draws.uniform(width_factor->range("width_factor", -1, 1)) : height_zoom;
  const AffineTransform zoom = zoom_of(width_zoom, height_zoom, x.shape()[1], x.shape()[2]);
  return transformed(x, zoom, interpolation, fill_mode, fill_value);
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomZoom)

}  // namespace systolic::inline v0
