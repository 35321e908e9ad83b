// The changes that RandAugment and AugMix choose from, and how they choose: one for all pictures of
// a batch, each with parameters of its own. Internal to nn.
#pragma once

#include <functional>
#include <vector>

#include "systolic/nn/layers/preprocessing/pictures/pictures.h"

namespace systolic::inline v0 {

using Augmentation = std::function<Tensor(const Tensor& x, PictureDraws& draws)>;

// At which strength they change.
struct AugmentationRules {
  DrawnFactor factor;  // of each, from 0 to 1
  ValueRange value_range;
  Sampling interpolation;
};
// Seven, and with `colors` four more: those whose strength may take all that is in a picture.
std::vector<Augmentation> augmentations_of(const AugmentationRules& rules, bool colors);

// What the change of that number makes of x; x where there is none of it. Changes of one number are
// the same wherever they are chosen with draws from one stream.
Tensor augmented(const std::vector<Augmentation>& augmentations, const Tensor& number,
                 const Tensor& x, const PictureDraws& draws);

}  // namespace systolic::inline v0
