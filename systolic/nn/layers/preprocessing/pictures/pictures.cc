#include "systolic/nn/layers/preprocessing/pictures/pictures.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/nn/config/field_values.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/sort_with_positions.h"

namespace systolic::inline v0 {
namespace {

Tensor channel_of(const Tensor& x, int64_t channel) {
  const Shape& shape = x.shape();
  return slice(x, {0, 0, 0, channel}, {shape[0], shape[1], shape[2], 1});
}

// x modulo a positive divisor, not negative.
Tensor floor_remainder(const Tensor& x, int32_t divisor) {
  return (x % divisor + divisor) % divisor;
}

// A place along an axis of `size` for one that may lie beyond its ends.
Tensor place_within(const Tensor& place, int32_t size, FillMode mode) {
  if (mode.is("wrap")) return floor_remainder(place, size);
  if (mode.is("reflect")) {  // d c b a | a b c d | d c b a
    const Tensor cycled = floor_remainder(place, 2 * size);
    return minimum(cycled, (2 * size - 1) - cycled);
  }
  return clip(place, 0, size - 1);
}

Tensor lies_within(const Tensor& place, int32_t size) { return (place >= 0) & (place < size); }

// Half away from zero.
Tensor rounded(const Tensor& x) { return sign(x) * floor(abs(x) + 0.5); }

// Pixels of each picture at whole places, i32 [batch, height, width, 1].
Tensor pixels_at(const Tensor& x, const Tensor& row, const Tensor& column, FillMode mode,
                 double fill_value) {
  const Shape& shape = x.shape();
  const auto height = static_cast<int32_t>(shape[1]), width = static_cast<int32_t>(shape[2]);
  const Tensor picture = iota({shape[0], shape[1], shape[2], 1}, 0);
  const Tensor place = (picture * height + place_within(row, height, mode)) * width +
                       place_within(column, width, mode);
  const Tensor flat = reshape(x, {shape[0] * shape[1] * shape[2], shape[3]});
  const Tensor pixels = gather(flat, reshape(place, {shape[0], shape[1], shape[2]}));
  if (!mode.is("constant")) return pixels;
  return where(lies_within(row, height) & lies_within(column, width), pixels,
               cast(fill({}, fill_value), x.dtype()));
}

std::string range_text(double lower, double upper) { return str("from ", lower, " to ", upper); }

}  // namespace

DrawnFactor::DrawnFactor(std::initializer_list<double> one_or_two) : given_(one_or_two) {
  if (!given_.empty() && given_.size() <= 2) return;
  raise<InvalidArgument>({.what = str("a factor of ", given_.size(), " numbers"),
                          .wanted = "one, or the lower and the upper end"});
}

DrawnFactor::Range DrawnFactor::range(const char* name, double lowest, double highest) const {
  const double lower =
      given_.size() == 2 ? std::min(given_[0], given_[1]) : std::max(-std::abs(given_[0]), lowest);
  const double upper = given_.size() == 2 ? std::max(given_[0], given_[1]) : std::abs(given_[0]);
  if (lower >= lowest && upper <= highest && lower <= upper) return {lower, upper};
  raise<InvalidArgument>({.what = str(name, " is ", range_text(lower, upper)),
                          .wanted = str("within ", range_text(lowest, highest))});
}

Config to_config(const DrawnFactor& factor) {
  return factor.given_.size() == 1 ? Config(factor.given_[0]) : to_config(factor.given_);
}

void from_config(const Config& config, DrawnFactor& factor) {
  if (config.is_number()) {
    factor = DrawnFactor(config.number());
    return;
  }
  std::pair<double, double> range;
  from_config(config, range);
  factor = DrawnFactor{range.first, range.second};
}

ValueRange::ValueRange(double low, double high)
    : low_(std::min(low, high)), high_(std::max(low, high)) {
  if (low_ < high_) return;
  raise<InvalidArgument>(
      {.what = str("value_range is ", range_text(low, high)), .wanted = "two different numbers"});
}

Config to_config(const ValueRange& range) {
  return to_config(std::vector<double>{range.low(), range.high()});
}

void from_config(const Config& config, ValueRange& range) {
  std::pair<double, double> values;
  from_config(config, values);
  range = ValueRange(values.first, values.second);
}

PictureDraws::PictureDraws(const Tensor& x, CallContext& context, std::optional<int64_t> seed)
    : shape_(x.shape()), key_(context.random_key()), sample_mask_(context.sample_mask()) {
  if (seed) key_ = fold_in(key_, static_cast<uint64_t>(*seed));
}

PictureDraws::PictureDraws(const PictureDraws& of, uint64_t number)
    : shape_(of.shape_),
      key_(fold_in(of.key_, (uint64_t{1} << 32) + number)),
      sample_mask_(of.sample_mask_) {}

PictureDraws PictureDraws::stream(uint64_t number) const { return {*this, number}; }

Tensor PictureDraws::next_key() { return fold_in(key_, draws_++); }

Tensor PictureDraws::uniform(double lower, double upper) {
  const Tensor drawn = random_uniform({shape_[0], 1, 1, 1}, 0, 1, {.key = next_key()});
  return drawn * (upper - lower) + lower;
}

Tensor PictureDraws::chosen(DrawnFactor::Range range) {
  const Tensor probability = uniform(range);
  return uniform(0, 1) < probability;
}

Tensor PictureDraws::for_all() { return random_uniform({}, 0, 1, {.key = next_key()}); }

Tensor PictureDraws::index_for_all(int64_t count) {
  return cast(floor(for_all() * static_cast<double>(count)), DType::i32);
}

Tensor PictureDraws::normal() { return normal(shape_); }

Tensor PictureDraws::normal(const Shape& shape) {
  return random_normal(shape, 0, 1, {.key = next_key()});
}

Tensor PictureDraws::log_gamma(const Shape& shape, const Tensor& alpha) {
  constexpr int64_t attempts = 16;  // each is taken with a probability of 0.95 or more
  std::vector<int64_t> sizes(shape.dims().begin(), shape.dims().end());
  sizes.push_back(attempts);
  // Gamma(alpha) is Gamma(alpha + 1) times a uniform number to the power of 1 / alpha.
  const Tensor d = alpha + (1 - 1.0 / 3);
  const Tensor x = normal(Shape(sizes)), root = 1.0 + x / sqrt(9.0 * d);
  const Tensor v = root * root * root, log_v = log(maximum(v, 1e-30));
  const Tensor u = 1.0 - random_uniform(Shape(sizes), 0, 1, {.key = next_key()});
  const Tensor is_taken = (v > 0.0) & (log(u) < 0.5 * x * x + d - d * v + d * log_v);
  const Tensor first = expand_dims(argmax(cast(is_taken, DType::f32), -1), -1);
  const Tensor taken = squeeze(take_along_axis(log_v, cast(first, DType::i32), -1), {-1});
  const Tensor power = 1.0 - random_uniform(shape, 0, 1, {.key = next_key()});
  return log(d) + taken + log(power) / alpha;
}

Tensor PictureDraws::beta(const Shape& shape, const Tensor& alpha) {
  const Tensor one = log_gamma(shape, alpha), other = log_gamma(shape, alpha);
  return sigmoid(one - other);
}

Tensor PictureDraws::permutation() {
  Tensor drawn = random_uniform({shape_[0]}, 0, 1, {.key = next_key()});
  if (sample_mask_) drawn = where(*sample_mask_, drawn, 2.0);
  return sort_with_positions(drawn, 0, false).positions;
}

void check_pictures(const Tensor& x, int64_t channels) {
  if (x.rank() == 4 && (channels == 0 || x.shape()[3] == channels)) return;
  raise<InvalidArgument>(
      {.what = str("an input of shape ", x.shape()),
       .wanted = str("[batch, height, width, channels]",
                     channels == 0 ? "" : str(" with ", channels, " channels"))});
}

Tensor in_range(const Tensor& x, const ValueRange& from, const ValueRange& to) {
  if (from == to) return x;
  return (x - from.low()) / (from.high() - from.low()) * (to.high() - to.low()) + to.low();
}

Tensor contrast_changed(const Tensor& x, const Tensor& factor) {
  const Tensor middle = mean(x, {.axis = {1, 2}, .keepdims = true});
  return (x - middle) * factor + middle;
}

Tensor gray_of(const Tensor& x) {
  return channel_of(x, 0) * 0.2989 + channel_of(x, 1) * 0.5870 + channel_of(x, 2) * 0.1140;
}

Tensor rgb_to_hsv(const Tensor& x) {
  const Tensor clean = where(abs(x) < 1.1920929e-07, 0.0, x);
  const Tensor r = channel_of(clean, 0), g = channel_of(clean, 1), b = channel_of(clean, 2);
  const Tensor value = maximum(maximum(r, g), b);
  const Tensor span = value - minimum(minimum(r, g), b);
  const Tensor saturation = where(value > 0, span / where(value > 0, value, 1.0), 0.0);
  const Tensor sixth = 1.0 / (6.0 * where(span > 0, span, 1.0));
  Tensor hue = where(value == g, sixth * (b - r) + 2.0 / 6, sixth * (r - g) + 4.0 / 6);
  hue = where(value == r, sixth * (g - b), hue);
  hue = where(span > 0, hue, 0.0) + cast(hue < 0, x.dtype());
  return concat({hue, saturation, value}, 3);
}

Tensor hsv_to_rgb(const Tensor& x) {
  const Tensor hue = channel_of(x, 0), saturation = channel_of(x, 1), value = channel_of(x, 2);
  const Tensor sixths = (hue - floor(hue)) * 6.0;
  const auto part = [&](const Tensor& share) {
    return value * (1.0 - saturation + saturation * clip(share, 0.0, 1.0));
  };
  return concat(
      {part(abs(sixths - 3.0) - 1.0), part(2.0 - abs(sixths - 2.0)), part(2.0 - abs(sixths - 4.0))},
      3);
}

Tensor hue_moved(const Tensor& x, const Tensor& delta) {
  const Tensor hsv = rgb_to_hsv(x);
  Tensor hue = channel_of(hsv, 0) + delta;
  hue = where(hue > 1.0, hue - 1.0, hue);
  hue = where(hue < 0.0, hue + 1.0, hue);
  return hsv_to_rgb(concat({hue, channel_of(hsv, 1), channel_of(hsv, 2)}, 3));
}

Tensor saturation_changed(const Tensor& x, const Tensor& factor, const ValueRange& range) {
  const Tensor hsv = rgb_to_hsv(x);
  const Tensor saturation = clip(channel_of(hsv, 1) * factor, range.low(), range.high());
  return hsv_to_rgb(concat({channel_of(hsv, 0), saturation, channel_of(hsv, 2)}, 3));
}

Tensor posterized(const Tensor& x, const Tensor& shift) {
  const Tensor step = pow(2.0, cast(shift, x.dtype()));
  return floor(floor(x) / step) * step;
}

Tensor solarized(const Tensor& x, const Tensor& addition, const Tensor& threshold) {
  const Tensor added = clip(x + addition, 0.0, 255.0);
  return where(added < threshold, added, 255.0 - added);
}

Tensor sharpened(const Tensor& x, const Tensor& factor) {
  const Shape& shape = x.shape();
  const Tensor padded = pad(x, {{0, 0}, {1, 1}, {1, 1}, {0, 0}});
  Tensor smooth = x * (4.0 / 13);  // the middle weighs 5/13, all others 1/13
  for (int64_t row = 0; row < 3; ++row) {
    for (int64_t column = 0; column < 3; ++column)
      smooth = smooth + slice(padded, {0, row, column, 0}, shape) * (1.0 / 13);
  }
  return x + (1.0 - factor) * (smooth - x);
}

Tensor contrast_stretched(const Tensor& x) {
  const Tensor low = min(x, {.axis = {1, 2}, .keepdims = true});
  const Tensor span = max(x, {.axis = {1, 2}, .keepdims = true}) - low;
  const Tensor scale = 255.0 / where(span > 0, span, 1.0);
  return where(span > 0, clip(x * scale - low * scale, 0.0, 255.0), x);
}

AffineTransform rotation_of(const Tensor& radians, int64_t height, int64_t width) {
  const Tensor c = cos(radians), s = sin(radians);
  const double x = static_cast<double>(width - 1) / 2, y = static_cast<double>(height - 1) / 2;
  return {c, -s, x - x * c + y * s, s, c, y - x * s - y * c};
}

AffineTransform translation_of(const Tensor& right, const Tensor& down) {
  const Tensor zero = zeros_like(right), one = ones_like(right);
  return {one, zero, -right, zero, one, -down};
}

AffineTransform shear_of(const Tensor& right, const Tensor& down) {
  const Tensor zero = zeros_like(right), one = ones_like(right);
  return {one, right, zero, down, one, zero};
}

AffineTransform zoom_of(const Tensor& width_zoom, const Tensor& height_zoom, int64_t height,
                        int64_t width) {
  const double x = static_cast<double>(width - 1) / 2, y = static_cast<double>(height - 1) / 2;
  const Tensor zero = zeros_like(width_zoom);
  return {width_zoom, zero, (1.0 - width_zoom) * x, zero, height_zoom, (1.0 - height_zoom) * y};
}

Tensor sampled_at(const Tensor& pictures, const Tensor& x, const Tensor& y, Sampling interpolation,
                  FillMode fill_mode, double fill_value) {
  const auto at = [&](const Tensor& row, const Tensor& column) {
    return pixels_at(pictures, cast(row, DType::i32), cast(column, DType::i32), fill_mode,
                     fill_value);
  };
  if (interpolation.is("nearest")) return at(rounded(y), rounded(x));
  const Tensor top = floor(y), left = floor(x);
  const Tensor down = y - top, right = x - left;
  return (1.0 - down) * ((1.0 - right) * at(top, left) + right * at(top, left + 1.0)) +
         down * ((1.0 - right) * at(top + 1.0, left) + right * at(top + 1.0, left + 1.0));
}

Tensor transformed(const Tensor& x, const AffineTransform& transform, Sampling interpolation,
                   FillMode fill_mode, double fill_value) {
  const Shape sizes{x.shape()[0], x.shape()[1], x.shape()[2], 1};
  const Tensor row = iota(sizes, 1, DType::f32), column = iota(sizes, 2, DType::f32);
  return sampled_at(x, transform.a0 * column + transform.a1 * row + transform.a2,
                    transform.b0 * column + transform.b1 * row + transform.b2, interpolation,
                    fill_mode, fill_value);
}

Tensor box_at(const Tensor& x, const Tensor& top, const Tensor& left, int64_t height,
              int64_t width) {
  return gather(gather(x, range(height) + top, 1), range(width) + left, 2);
}

}  // namespace systolic::inline v0
