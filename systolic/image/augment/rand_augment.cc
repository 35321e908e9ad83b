#include "systolic/image/augment/rand_augment.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/image/augment/affine.h"
#include "systolic/image/augment/draws.h"
#include "systolic/image/augment/each_picture.h"
#include "systolic/image/augment/enhance.h"

namespace systolic::inline v0 {
namespace image {
namespace {

constexpr int most_magnitude = 30;

// A strength is k / 30, which floats cannot hold: what lies this close to a whole number is one.
// Any other is at least 1 / (30 * 331) away.
constexpr double hair = 1e-6;

// strength in [0, 1]; sign 1 or -1.
struct Strength {
  double value, sign;
  float fill;
  double enhancement() const { return 1 + 0.9 * value * sign; }
  double shear() const { return 0.3 * value * sign; }
  double shift(int64_t size) const {
    return std::floor(150.0 * static_cast<double>(size) * value / 331 + hair) * sign;
  }
  int threshold() const { return static_cast<int>(std::ceil(255 - 255 * value - hair)); }
};

struct Operation {
  std::string_view name;
  Literal (*apply)(const Literal& image, const Strength& strength);
};

// long because: a table, one operation a row.
constexpr std::array<Operation, 14> operations{{
    {"identity", [](const Literal& x, const Strength&) { return x; }},
    {"shear_x",
     [](const Literal& x, const Strength& s) {
       return affine(x, {1, s.shear(), 0, 0, 1, 0}, s.fill);
     }},
    {"shear_y",
     [](const Literal& x, const Strength& s) {
       return affine(x, {1, 0, 0, s.shear(), 1, 0}, s.fill);
     }},
    {"translate_x",
     [](const Literal& x, const Strength& s) {
       return affine(x, {1, 0, -s.shift(x.shape()[1]), 0, 1, 0}, s.fill);
     }},
    {"translate_y",
     [](const Literal& x, const Strength& s) {
       return affine(x, {1, 0, 0, 0, 1, -s.shift(x.shape()[0])}, s.fill);
     }},
    {"rotate",
     [](const Literal& x, const Strength& s) { return rotate(x, 30 * s.value * s.sign, s.fill); }},
    {"brightness",
     [](const Literal& x, const Strength& s) { return enhance_brightness(x, s.enhancement()); }},
    {"color",
     [](const Literal& x, const Strength& s) { return enhance_color(x, s.enhancement()); }},
    {"contrast",
     [](const Literal& x, const Strength& s) { return enhance_contrast(x, s.enhancement()); }},
    {"sharpness",
     [](const Literal& x, const Strength& s) { return enhance_sharpness(x, s.enhancement()); }},
    {"posterize",
     [](const Literal& x, const Strength& s) {
       return posterize(x, 8 - static_cast<int>(std::round(4 * s.value)));
     }},
    {"solarize", [](const Literal& x, const Strength& s) { return solarize(x, s.threshold()); }},
    {"autocontrast", [](const Literal& x, const Strength&) { return autocontrast(x); }},
    {"equalize", [](const Literal& x, const Strength&) { return equalize(x); }},
}};

constexpr auto names = [] {
  std::array<std::string_view, operations.size()> result;
  for (size_t i = 0; i < result.size(); ++i) result[i] = operations[i].name;
  return result;
}();

// Checked before any operation: some accept what others do not, and the operations are random.
void check_picture(const Literal& picture) {
  const int64_t channels = picture.rank() == 3 ? picture.shape()[2] : 0;
  if (picture.dtype() == DType::u8 && (channels == 1 || channels == 3)) return;
  raise<InvalidArgument>({.what = str("a picture of ", picture.dtype(), " ", picture.shape()),
                          .wanted = "u8 [height, width, 1 or 3]"});
}

}  // namespace

std::span<const std::string_view> rand_augment_operations() { return names; }

Literal rand_augment_operation(const Literal& image, std::string_view name, double strength,
                               bool negative, float fill, SourceLocation location) {
  const ErrorScope scope("rand_augment_operation", location);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    raise<InvalidArgument>(
        {.what = str("there is no operation '", name, "'"), .wanted = join(names)});
  }
  if (!(strength >= 0 && strength <= 1)) {
    raise<InvalidArgument>({.what = str("the strength is ", strength), .wanted = "0 to 1"});
  }
  check_picture(image);
  return operations[static_cast<size_t>(found - names.begin())].apply(
      image, {strength, negative ? -1.0 : 1.0, fill});
}

Literal rand_augment(const Literal& images, uint64_t seed, const RandAugmentOptions& options,
                     SourceLocation location) {
  const ErrorScope scope("rand_augment", location);
  if (options.magnitude < 0 || options.magnitude > most_magnitude || options.num_ops < 0) {
    raise<InvalidArgument>(
        {.what = str(options.num_ops, " operations of magnitude ", options.magnitude),
         .wanted = str("at least 0, of magnitude 0 to ", most_magnitude)});
  }
  seed = function_seed(seed, "rand_augment");
  return each_picture(images, seed, [&](const Literal& picture, uint64_t own) {
    check_picture(picture);
    Draws draws(own);
    Literal result = picture;
    for (int i = 0; i < options.num_ops; ++i) {
      const auto at = static_cast<size_t>(draws.below(static_cast<int64_t>(operations.size())));
      const double sign = draws.coin() ? -1 : 1;
      result = operations[at].apply(
          result, {static_cast<double>(options.magnitude) / most_magnitude, sign, options.fill});
    }
    return result;
  });
}

}  // namespace image
}  // namespace systolic::inline v0
