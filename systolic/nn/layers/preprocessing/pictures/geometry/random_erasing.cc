#include "systolic/nn/layers/preprocessing/pictures/geometry/random_erasing.h"

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomErasing::changed(const Tensor& x, PictureDraws& draws) const {
  const DrawnFactor::Range sizes = scale.range("scale", 0, 1);
  // Which pixels of an axis are in the box.
  const auto inside = [&](int axis) {
    const double size = static_cast<double>(x.shape()[axis]);
    const Tensor length = draws.uniform(sizes) * size;
    const Tensor begin = draws.uniform(0, 1) * (size - length);
    const Tensor place = iota({x.shape()[0], x.shape()[1], x.shape()[2], 1}, axis, DType::f32);
    return (place >= begin) & (place < begin + length);
  };
  const Tensor erased = draws.chosen(factor.range("factor", 0, 1)) & inside(1) & inside(2);
  Tensor filling = fill_value ? fill(x.shape(), *fill_value) : draws.normal() * value_range.high();
  filling = clip(filling, value_range.low(), value_range.high());
  return where(erased, filling, x);
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomErasing)

}  // namespace systolic::inline v0
