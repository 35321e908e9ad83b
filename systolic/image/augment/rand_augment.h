// RandAugment (Cubuk, Zoph, Shlens, Le, "RandAugment: practical automated data augmentation with a
// reduced search space", 2020): a few operations, drawn from fourteen, all at one strength.
//
//   const Literal augmented = image::rand_augment(picture, seed, {.num_ops = 2, .magnitude = 9});
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace image {

struct RandAugmentOptions {
  int num_ops = 2;    // operations, one after the other
  int magnitude = 9;  // 0 to 30
  float fill = 0;     // where a moved picture leaves nothing
};

// `images`: u8 [height, width, 1 or 3] or [batch, height, width, 1 or 3]. The operations are
// Pillow's (enhance.h, affine.h), their strengths and directions torchvision's: at 30 shears are
// 0.3, shifts 150/331 of the side, turns 30 degrees, enhancements 1 ± 0.9, four bits remain, and
// all levels are inverted.
Literal rand_augment(const Literal& images, uint64_t seed, const RandAugmentOptions& options = {},
                     SourceLocation location = SourceLocation::current());

// One operation by its name ("rotate", "solarize"...), with its strength from 0 to 1 and its
// direction, as rand_augment draws them.
std::span<const std::string_view> rand_augment_operations();
Literal rand_augment_operation(const Literal& image, std::string_view name, double strength,
                               bool negative, float fill = 0,
                               SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
