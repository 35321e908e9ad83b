#include "systolic/image/augment/mix.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/image/augment/draws.h"
#include "systolic/image/data_format.h"

namespace systolic::inline v0 {
namespace image {
namespace {

struct Partner {
  int64_t other;
  double share;  // of the picture's own
  uint64_t seed;
};

std::vector<Partner> draw_partners(int64_t batch, uint64_t seed, double alpha) {
  Draws draws(seed);
  std::vector<int64_t> order(static_cast<size_t>(batch));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (int64_t i = batch - 1; i > 0; --i) {  // Fisher and Yates
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(draws.below(i + 1))]);
  }
  std::vector<Partner> partners;
  for (const int64_t other : order) {
    const double share = draws.beta(alpha, alpha);
    partners.push_back({other, share, draws.bits()});
  }
  return partners;
}

void check(const Literal& images, const Literal& labels, double alpha) {
  if (images.rank() < 2 || images.size() == 0 ||
      (images.dtype() != DType::u8 && images.dtype() != DType::f32)) {
    raise<InvalidArgument>({.what = str("the images are ", images.dtype(), " ", images.shape()),
                            .wanted = "u8 or f32 [batch, height, width, channels]"});
  }
  if (labels.rank() != 2 || labels.dtype() != DType::f32 ||
      labels.shape()[0] != images.shape()[0]) {
    raise<InvalidArgument>({.what = str("the labels are ", labels.dtype(), " ", labels.shape()),
                            .wanted = str("f32 [", images.shape()[0], ", classes]"),
                            .hint = "make them one-hot"});
  }
  if (!(alpha > 0) || !std::isfinite(alpha)) {
    raise<InvalidArgument>({.what = str("alpha is ", alpha), .wanted = "above 0"});
  }
}

// to = share * own + (1 - share) * other, element by element.
void mix_rows(const float* own, const float* other, double share, int64_t count, float* to) {
  const auto mine = static_cast<float>(share), theirs = static_cast<float>(1 - share);
  for (int64_t i = 0; i < count; ++i) to[i] = mine * own[i] + theirs * other[i];
}

Literal mix_all(const Literal& values, const std::vector<Partner>& partners) {
  Literal result(DType::f32, values.shape());
  const auto batch = static_cast<int64_t>(partners.size());
  const int64_t row = values.size() / batch;
  const float* from = values.data<float>().data();
  float* to = result.mutable_data<float>().data();
  for (int64_t i = 0; i < batch; ++i) {
    const Partner& partner = partners[static_cast<size_t>(i)];
    mix_rows(from + i * row, from + partner.other * row, partner.share, row, to + i * row);
  }
  return result;
}

// From `from` up to `to`, as much of a box of `size` around `middle` as lies in [0, length).
struct Interval {
  int64_t from, to;
};
Interval drawn_interval(double size, int64_t length, Draws& draws) {
  const int64_t middle = draws.below(length), half = static_cast<int64_t>(size / 2);
  return {std::max<int64_t>(middle - half, 0), std::min(middle + half, length)};
}

}  // namespace

Mixed mixup(const Literal& images, const Literal& labels, uint64_t seed, const MixOptions& options,
            SourceLocation location) {
  const ErrorScope scope("mixup", location);
  check(images, labels, options.alpha);
  const auto partners =
      draw_partners(images.shape()[0], function_seed(seed, "mixup"), options.alpha);
  return {mix_all(images.convert(DType::f32), partners), mix_all(labels, partners)};
}

Mixed cutmix(const Literal& images, const Literal& labels, uint64_t seed, const MixOptions& options,
             SourceLocation location) {
  const ErrorScope scope("cutmix", location);
  check(images, labels, options.alpha);
  const Extent extent = extent_of("cutmix", images);
  if (!extent.has_batch) {
    raise<InvalidArgument>({.what = str("the images have shape ", images.shape()),
                            .wanted = "[batch, height, width, channels]"});
  }
  auto partners = draw_partners(extent.batch, function_seed(seed, "cutmix"), options.alpha);
  Literal result = images;
  std::byte* to = result.mutable_raw();
  const int64_t pixel = extent.channels * byte_width(images.dtype());
  for (int64_t i = 0; i < extent.batch; ++i) {
    Partner& partner = partners[static_cast<size_t>(i)];
    Draws draws(partner.seed);
    const double side = std::sqrt(1 - partner.share);
    const Interval rows =
        drawn_interval(side * static_cast<double>(extent.height), extent.height, draws);
    const Interval columns =
        drawn_interval(side * static_cast<double>(extent.width), extent.width, draws);
    for (int64_t y = rows.from; y < rows.to; ++y) {
      const int64_t at = y * extent.width + columns.from;
      const int64_t plane = extent.height * extent.width;
      std::memcpy(to + (i * plane + at) * pixel,
                  images.raw() + (partner.other * plane + at) * pixel,
                  static_cast<size_t>((columns.to - columns.from) * pixel));
    }
    const auto area = static_cast<double>((rows.to - rows.from) * (columns.to - columns.from));
    partner.share = 1 - area / static_cast<double>(extent.height * extent.width);
  }
  return {result, mix_all(labels, partners)};
}

}  // namespace image
}  // namespace systolic::inline v0
