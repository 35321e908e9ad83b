// Random versions of crops, flips and colours. Each is a function of its seed alone, as
// tf.image.stateless_random_* are: the same seed gives the same picture on any thread and machine.
// Functions with the same seed draw independently of each other, so one seed a picture is enough
// for all of them: a crop does not decide the flip. Using the same function twice needs two seeds.
// Pictures of a batch draw independently. `images` is u8 or f32 [height, width, channels] or
// [batch, height, width, channels].
//
//   const Literal augmented = image::stateless_random_flip_left_right(picture, seed);
#pragma once

#include <cstdint>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/image/resize/resize.h"

namespace systolic::inline v0 {
namespace image {

// The seed of picture `index` of a data set in `epoch`, from one seed for all.
uint64_t element_seed(uint64_t seed, uint64_t index, uint64_t epoch = 0);

// With probability 1/2.
Literal stateless_random_flip_left_right(const Literal& images, uint64_t seed,
                                         SourceLocation location = SourceLocation::current());
Literal stateless_random_flip_up_down(const Literal& images, uint64_t seed,
                                      SourceLocation location = SourceLocation::current());
// adjust_brightness by a delta in [-max_delta, max_delta).
Literal stateless_random_brightness(const Literal& images, double max_delta, uint64_t seed,
                                    SourceLocation location = SourceLocation::current());
// adjust_contrast by a factor in [lower, upper).
Literal stateless_random_contrast(const Literal& images, double lower, double upper, uint64_t seed,
                                  SourceLocation location = SourceLocation::current());
// adjust_saturation by a factor in [lower, upper).
Literal stateless_random_saturation(const Literal& images, double lower, double upper,
                                    uint64_t seed,
                                    SourceLocation location = SourceLocation::current());
// adjust_hue by a delta in [-max_delta, max_delta).
Literal stateless_random_hue(const Literal& images, double max_delta, uint64_t seed,
                             SourceLocation location = SourceLocation::current());
// A box of height × width anywhere inside.
Literal stateless_random_crop(const Literal& images, int64_t height, int64_t width, uint64_t seed,
                              SourceLocation location = SourceLocation::current());

// A box of random size and shape, resized: "Inception crop" (Szegedy et al., "Going deeper with
// convolutions", 2015). The box has `scale_low`...`scale_high` of the picture's area, and a ratio
// of width to height between `ratio_low` and `ratio_high`, uniform in its logarithm. Where ten
// draws do not fit, it is the largest box in the middle that keeps the ratios. Bytes become f32
// from 0 to 255 or, with .resize = {.convention = Convention::pillow}, bytes, as ImageProcessor
// takes them.
struct RandomResizedCropOptions {
  double scale_low = 0.08, scale_high = 1;           // of the picture's area
  double ratio_low = 3.0 / 4, ratio_high = 4.0 / 3;  // of width to height
  ResizeOptions resize = {};                         // channels last
};
Literal random_resized_crop(const Literal& images, int64_t height, int64_t width, uint64_t seed,
                            const RandomResizedCropOptions& options = {},
                            SourceLocation location = SourceLocation::current());

}  // namespace image
}  // namespace systolic::inline v0
