// What the random layers for pictures do, at given parameters: Keras's deterministic functions, on
// [batch, height, width, channels] of floats. Parameters are [batch, 1, 1, 1] or scalars. Internal
// to nn.
#pragma once

#include <array>

#include "systolic/nn/call_context.h"
#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/config.h"
#include "systolic/nn/config/required.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// What lies beyond the edge of a picture: reflect d c b a | a b c d | d c b a; wrap a b c d | a b c
// d; constant a value; nearest the pixel at the edge.
struct FillModeNames {
  SYSTOLIC_NAMES(throw "fill_mode must be one of: reflect wrap constant nearest")
};
// A name of them.
using FillMode = Choice<FillModeNames>;
// How a value between pixels is made of them.
struct SamplingNames {
  SYSTOLIC_NAMES(throw "interpolation must be one of: bilinear nearest")
};
// A name of them.
using Sampling = Choice<SamplingNames>;

// A range that a parameter is drawn from: a number, for what the layer says, or two.
class DrawnFactor {
 public:
  DrawnFactor() : given_{0} {}
  DrawnFactor(double value) : given_{value} {}  // NOLINT: Keras writes a number
  DrawnFactor(std::initializer_list<double> one_or_two);

  struct Range {
    double lower = 0, upper = 0;
  };
  // A number f is [-f, f], not below `lowest`. InvalidArgument, with the field's name, for what is
  // not within [lowest, highest].
  Range range(const char* name, double lowest, double highest) const;
  friend bool operator==(const DrawnFactor&, const DrawnFactor&) = default;
  friend Config to_config(const DrawnFactor& factor);
  friend void from_config(const Config& config, DrawnFactor& factor);

 private:
  std::vector<double> given_;  // one or two
};
Config to_config(const DrawnFactor& factor);
void from_config(const Config& config, DrawnFactor& factor);
namespace internal {
template <>
struct ListItem<DrawnFactor> {  // for Required
  using Type = double;
};
}  // namespace internal

// The least and the largest value of a picture.
class ValueRange {
 public:
  ValueRange(double low, double high);
  double low() const { return low_; }
  double high() const { return high_; }
  friend bool operator==(const ValueRange&, const ValueRange&) = default;

 private:
  double low_, high_;
};
Config to_config(const ValueRange& range);
void from_config(const Config& config, ValueRange& range);

// Random numbers of one call of a layer, each drawn by itself.
class PictureDraws {
 public:
  PictureDraws(const Tensor& x, CallContext& context, std::optional<int64_t> seed);
  // [batch, 1, 1, 1], uniform.
  Tensor uniform(double lower, double upper);
  Tensor uniform(DrawnFactor::Range range) { return uniform(range.lower, range.upper); }
  // pred [batch, 1, 1, 1]: true as often as a probability that is itself drawn from the range.
  Tensor chosen(DrawnFactor::Range range);
  // One number for the whole batch, in [0, 1).
  Tensor for_all();
  // i32, one for the whole batch, in [0, count).
  Tensor index_for_all(int64_t count);
  // Like x, standard normal.
  Tensor normal();
  Tensor normal(const Shape& shape);
  // Logarithms of numbers from Gamma(alpha, 1), for a positive scalar alpha: of such that are
  // themselves too small for f32, too (Marsaglia, Tsang, "A simple method for generating gamma
  // variables", 2000).
  Tensor log_gamma(const Shape& shape, const Tensor& alpha);
  // Shares from Beta(alpha, alpha).
  Tensor beta(const Shape& shape, const Tensor& alpha);
  // i32 [batch]: the rows in a random order, those that only pad a batch last.
  Tensor permutation();
  // Other numbers, which follow from these and from `number`, however many were drawn before.
  PictureDraws stream(uint64_t number) const;
  // pred [batch]: which rows do not only pad the batch; nothing where none does.
  const std::optional<Tensor>& sample_mask() const { return sample_mask_; }

 private:
  PictureDraws(const PictureDraws& of, uint64_t number);
  Tensor next_key();
  Shape shape_;
  Tensor key_;
  std::optional<Tensor> sample_mask_;
  uint64_t draws_ = 0;
};

// Raises unless x is [batch, height, width, channels], with `channels` channels unless that is 0.
void check_pictures(const Tensor& x, int64_t channels = 0);

// Values of one range as those of another.
Tensor in_range(const Tensor& x, const ValueRange& from, const ValueRange& to);
// (x - mean) * factor + mean, with the mean of each channel of each picture.
Tensor contrast_changed(const Tensor& x, const Tensor& factor);
// [batch, height, width, 1]: 0.2989 R + 0.5870 G + 0.1140 B.
Tensor gray_of(const Tensor& x);
// Hue, saturation and value of RGB, and back (Keras's ops.image.rgb_to_hsv).
Tensor rgb_to_hsv(const Tensor& x);
Tensor hsv_to_rgb(const Tensor& x);
Tensor hue_moved(const Tensor& x, const Tensor& delta);
Tensor saturation_changed(const Tensor& x, const Tensor& factor, const ValueRange& range);
// Without the last `shift` bits of each byte; x from 0 to 255, shift i32.
Tensor posterized(const Tensor& x, const Tensor& shift);
// Values from `threshold` on inverted, after `addition`; x from 0 to 255.
Tensor solarized(const Tensor& x, const Tensor& addition, const Tensor& threshold);
// Blended with what a filter of 3 x 3 makes of it: factor 0 is that, 1 leaves x, 2 sharpens.
Tensor sharpened(const Tensor& x, const Tensor& factor);
// Each channel of each picture stretched to the range from 0 to 255; x from 0 to 255.
Tensor contrast_stretched(const Tensor& x);

// Where a pixel (x, y) of the output is taken from: (a0 x + a1 y + a2, b0 x + b1 y + b2).
struct AffineTransform {
  Tensor a0, a1, a2, b0, b1, b2;
};
// The value at (x, y) of each picture, both [batch, height, width, 1].
Tensor sampled_at(const Tensor& pictures, const Tensor& x, const Tensor& y, Sampling interpolation,
                  FillMode fill_mode, double fill_value);
AffineTransform rotation_of(const Tensor& radians, int64_t height, int64_t width);
// By pixels, to the right and down.
AffineTransform translation_of(const Tensor& right, const Tensor& down);
// Rows by shares of their distance from the top, columns from the left.
AffineTransform shear_of(const Tensor& right, const Tensor& down);
// Around the middle; 2 shows twice as much.
AffineTransform zoom_of(const Tensor& width_zoom, const Tensor& height_zoom, int64_t height,
                        int64_t width);
Tensor transformed(const Tensor& x, const AffineTransform& transform, Sampling interpolation,
                   FillMode fill_mode, double fill_value);

// The box of height x width from (top, left) on; both i32 scalars.
Tensor box_at(const Tensor& x, const Tensor& top, const Tensor& left, int64_t height,
              int64_t width);

}  // namespace systolic::inline v0
