#include "systolic/nn/layers/preprocessing/pictures/mixtures/augmentations.h"

#include <algorithm>

#include "systolic/nn/layers/preprocessing/pictures/colors/auto_contrast.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/equalization.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_brightness.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_color_degeneration.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_contrast.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_posterization.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/random_sharpness.h"
#include "systolic/nn/layers/preprocessing/pictures/colors/solarization.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_rotation.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_shear.h"
#include "systolic/nn/layers/preprocessing/pictures/geometry/random_translation.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {
namespace {

template <class Spec>
Augmentation change_of(Spec layer) {
  return [layer](const Tensor& x, PictureDraws& draws) {
    if constexpr (requires { layer.changed(x, draws); }) {
      return layer.changed(x, draws);
    } else {
      return layer.changed(x);
    }
  };
}

}  // namespace

std::vector<Augmentation> augmentations_of(const AugmentationRules& rules, bool colors) {
  const DrawnFactor::Range range = rules.factor.range("factor", 0, 1);
  const DrawnFactor factor = {range.lower, range.upper};
  const ValueRange& values = rules.value_range;
  const Sampling sampling = rules.interpolation;
  const double bits = std::max(1.0, std::floor(8 * range.upper));
  std::vector<Augmentation> result = {
      change_of(RandomShear{.x_factor = factor, .y_factor = factor, .interpolation = sampling}),
      change_of(RandomTranslation{
          .height_factor = factor, .width_factor = factor, .interpolation = sampling}),
      change_of(RandomRotation{.factor = factor, .interpolation = sampling}),
      change_of(RandomPosterization{.factor = bits, .value_range = values}),
      change_of(Solarization{
          .addition_factor = factor, .threshold_factor = factor, .value_range = values}),
      change_of(AutoContrast{.value_range = values}),
      change_of(Equalization{.value_range = values})};
  if (!colors) return result;
  result.push_back(change_of(RandomBrightness{.factor = factor, .value_range = values}));
  result.push_back(change_of(RandomColorDegeneration{.factor = factor, .value_range = values}));
  result.push_back(change_of(RandomContrast{.factor = factor, .value_range = values}));
  result.push_back(change_of(RandomSharpness{.factor = factor, .value_range = values}));
  return result;
}

Tensor augmented(const std::vector<Augmentation>& augmentations, const Tensor& number,
                 const Tensor& x, const PictureDraws& draws) {
  Tensor result = x;
  for (size_t i = 0; i < augmentations.size(); ++i) {
    PictureDraws own = draws.stream(i);
    result = cond(
        number == static_cast<int32_t>(i), [&] { return augmentations[i](x, own); },
        [&] { return result; });
  }
  return result;
}

}  // namespace systolic::inline v0
