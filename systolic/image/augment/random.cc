#include "systolic/image/augment/random.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/image/augment/draws.h"
#include "systolic/image/augment/each_picture.h"
#include "systolic/image/color.h"
#include "systolic/image/crop.h"
#include "systolic/image/flip.h"

namespace systolic::inline v0 {
namespace image {
namespace {

void check_range(std::string_view what, double low, double high, double least) {
  if (low >= least && low <= high && std::isfinite(high)) return;
  raise<InvalidArgument>({.what = str(what, " from ", low, " to ", high),
                          .wanted = str("at least ", least, ", the lower one first")});
}

Box drawn_box(int64_t height, int64_t width, const RandomResizedCropOptions& options,
              Draws& draws) {
  const double area = static_cast<double>(height) * static_cast<double>(width);
  const double low = std::log(options.ratio_low), high = std::log(options.ratio_high);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double target = area * draws.uniform(options.scale_low, options.scale_high);
    const double ratio = std::exp(draws.uniform(low, high));
    const auto box_width = static_cast<int64_t>(std::nearbyint(std::sqrt(target * ratio)));
    const auto box_height = static_cast<int64_t>(std::nearbyint(std::sqrt(target / ratio)));
    if (box_width >= 1 && box_width <= width && box_height >= 1 && box_height <= height) {
      const int64_t top = draws.below(height - box_height + 1);
      return {top, draws.below(width - box_width + 1), box_height, box_width};
    }
  }
  const double ratio = static_cast<double>(width) / static_cast<double>(height);
  Box box{.height = height, .width = width};
  if (ratio < options.ratio_low) {
    box.height =
        static_cast<int64_t>(std::nearbyint(static_cast<double>(width) / options.ratio_low));
  } else if (ratio > options.ratio_high) {
    box.width =
        static_cast<int64_t>(std::nearbyint(static_cast<double>(height) * options.ratio_high));
  }
  box.height = std::clamp<int64_t>(box.height, 1, height);
  box.width = std::clamp<int64_t>(box.width, 1, width);
  box.top = (height - box.height) / 2;
  box.left = (width - box.width) / 2;
  return box;
}

}  // namespace

uint64_t element_seed(uint64_t seed, uint64_t index, uint64_t epoch) {
  return splitmix64(mix_bits(splitmix64(seed) + epoch * splitmix64_step) + index * splitmix64_step);
}

Literal stateless_random_flip_left_right(const Literal& images, uint64_t seed,
                                         SourceLocation location) {
  const ErrorScope scope("stateless_random_flip_left_right", location);
  seed = function_seed(seed, "stateless_random_flip_left_right");
  return each_picture(images, seed, [](const Literal& picture, uint64_t own) {
    return Draws(own).coin() ? flip_left_right(picture) : picture;
  });
}

Literal stateless_random_flip_up_down(const Literal& images, uint64_t seed,
                                      SourceLocation location) {
  const ErrorScope scope("stateless_random_flip_up_down", location);
  seed = function_seed(seed, "stateless_random_flip_up_down");
  return each_picture(images, seed, [](const Literal& picture, uint64_t own) {
    return Draws(own).coin() ? flip_up_down(picture) : picture;
  });
}

Literal stateless_random_brightness(const Literal& images, double max_delta, uint64_t seed,
                                    SourceLocation location) {
  const ErrorScope scope("stateless_random_brightness", location);
  check_range("max_delta", max_delta, max_delta, 0);
  seed = function_seed(seed, "stateless_random_brightness");
  return each_picture(images, seed, [=](const Literal& picture, uint64_t own) {
    return adjust_brightness(picture, Draws(own).uniform(-max_delta, max_delta));
  });
}

Literal stateless_random_contrast(const Literal& images, double lower, double upper, uint64_t seed,
                                  SourceLocation location) {
  const ErrorScope scope("stateless_random_contrast", location);
  check_range("factors", lower, upper, 0);
  seed = function_seed(seed, "stateless_random_contrast");
  return each_picture(images, seed, [=](const Literal& picture, uint64_t own) {
    return adjust_contrast(picture, Draws(own).uniform(lower, upper));
  });
}

Literal stateless_random_saturation(const Literal& images, double lower, double upper,
                                    uint64_t seed, SourceLocation location) {
  const ErrorScope scope("stateless_random_saturation", location);
  check_range("factors", lower, upper, 0);
  seed = function_seed(seed, "stateless_random_saturation");
  return each_picture(images, seed, [=](const Literal& picture, uint64_t own) {
    return adjust_saturation(picture, Draws(own).uniform(lower, upper));
  });
}

Literal stateless_random_hue(const Literal& images, double max_delta, uint64_t seed,
                             SourceLocation location) {
  const ErrorScope scope("stateless_random_hue", location);
  if (!(max_delta >= 0 && max_delta <= 0.5)) {
    raise<InvalidArgument>({.what = str("max_delta is ", max_delta), .wanted = "0 to 0.5"});
  }
  seed = function_seed(seed, "stateless_random_hue");
  return each_picture(images, seed, [=](const Literal& picture, uint64_t own) {
    return adjust_hue(picture, Draws(own).uniform(-max_delta, max_delta));
  });
}

Literal stateless_random_crop(const Literal& images, int64_t height, int64_t width, uint64_t seed,
                              SourceLocation location) {
  const ErrorScope scope("stateless_random_crop", location);
  seed = function_seed(seed, "stateless_random_crop");
  return each_picture(images, seed, [=](const Literal& picture, uint64_t own) {
    const int64_t down = picture.shape()[0] - height, right = picture.shape()[1] - width;
    Draws draws(own);
    const int64_t top = down > 0 ? draws.below(down + 1) : 0;
    const int64_t left = right > 0 ? draws.below(right + 1) : 0;
    // What does not fit is its error.
    return crop(picture, {top, left, height, width}, DataFormat::channels_last, location);
  });
}

Literal random_resized_crop(const Literal& images, int64_t height, int64_t width, uint64_t seed,
                            const RandomResizedCropOptions& options, SourceLocation location) {
  const ErrorScope scope("random_resized_crop", location);
  check_range("scale", options.scale_low, options.scale_high, 0);
  check_range("ratio", options.ratio_low, options.ratio_high, 1e-3);
  if (options.resize.data_format != DataFormat::channels_last) {
    raise<InvalidArgument>({.what = "channels before height", .wanted = "channels last"});
  }
  seed = function_seed(seed, "random_resized_crop");
  return each_picture(images, seed, [&](const Literal& picture, uint64_t own) {
    Draws draws(own);
    const Box box = drawn_box(picture.shape()[0], picture.shape()[1], options, draws);
    return resize(crop(picture, box), height, width, options.resize);
  });
}

}  // namespace image
}  // namespace systolic::inline v0
