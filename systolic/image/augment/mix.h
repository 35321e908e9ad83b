// Mixes the pictures of a batch, and their labels likewise.
//
//   const image::Mixed mixed = image::mixup(pictures, one_hot_labels, seed, {.alpha = 0.2});
#pragma once

#include <cstdint>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace image {

struct Mixed {
  Literal images;  // f32 (mixup) or of the type given (cutmix)
  Literal labels;  // f32 [batch, classes]
};

struct MixOptions {
  double alpha = 1;  // shares are drawn from Beta(alpha, alpha), one for each picture
};

// Zhang, Cisse, Dauphin, Lopez-Paz, "mixup: beyond empirical risk minimization", 2018: picture i
// and label i become share * own + (1 - share) * another one's in the batch. `images`: u8 or f32
// [batch, ...]; `labels`: f32 [batch, classes]. Partners are a random permutation of the batch.
Mixed mixup(const Literal& images, const Literal& labels, uint64_t seed,
            const MixOptions& options = {}, SourceLocation location = SourceLocation::current());

// Yun et al., "CutMix: regularization strategy to train strong classifiers with localizable
// features", 2019: a box of another picture of the batch replaces picture i's. The box has the
// picture's own ratio and 1 - share of its area, around a uniformly drawn center, as far as it lies
// inside; labels are mixed by the area that is left. `images`: u8 or f32 [batch, height, width,
// channels].
Mixed cutmix(const Literal& images, const Literal& labels, uint64_t seed,
             const MixOptions& options = {}, SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
