#include "systolic/nn/layers/preprocessing/pictures/geometry/random_perspective.h"

#include "systolic/base/error.h"
#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/nn/layers/preprocessing/pictures/warps.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomPerspective::changed(const Tensor& x, PictureDraws& draws) const {
  if (!(scale >= 0 && scale <= 1))
    raise<InvalidArgument>({.what = str("scale is ", scale), .wanted = "from 0 to 1"});
  const Tensor is_seen = draws.chosen(factor.range("factor", 0, 1));
  const auto move = [&] { return draws.uniform(-0.5 * scale, 0.5 * scale); };
  const CornerMoves moves{move(), move(), move(), move()};
  return where(is_seen, seen_from(x, moves, interpolation, fill_value), x);
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomPerspective)

}  // namespace systolic::inline v0
