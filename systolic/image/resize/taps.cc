#include "systolic/image/resize/taps.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/error.h"
#include "systolic/image/resize/filter_kernels.h"

namespace systolic::inline v0 {
namespace image {
namespace {

// The weights of one new pixel: of old pixels first, first + 1, ...
struct Span {
  int64_t first = 0;
  std::vector<double> weights;
};

void normalize(std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  if (sum == 0) return;
  for (double& weight : weights) weight /= sum;
}

// All old pixels within the radius around `center`, in old pixels; pixel i's middle is i + 0.5.
// Real: float or double, as the original measures distances; where a kernel ends in a step, it
// decides whether a pixel counts.
template <class Real>
Span kernel_span(const FilterKernel& kernel, Real center, Real widening, int64_t first,
                 int64_t last) {
  Span span{.first = first, .weights = {}};
  for (int64_t i = first; i <= last; ++i) {
    const Real distance = static_cast<Real>(i) + Real{0.5} - center;
    span.weights.push_back(kernel.at(std::abs(distance / widening)));
  }
  normalize(span.weights);
  return span;
}

// TensorFlow's ScaleAndTranslate, whose positions are floats. It is told the inverse scale, as a
// float.
Span scale_and_translate_span(const FilterKernel& kernel, int64_t i, bool antialias, int64_t from,
                              int64_t to) {
  const float inverse = static_cast<float>(to) / static_cast<float>(from);
  const auto scale = static_cast<float>(1.0 / static_cast<double>(inverse));
  const float center = (static_cast<float>(i) + 0.5f) * scale;
  const float widening = antialias ? std::max(scale, 1.0f) : 1.0f;
  const float reach = static_cast<float>(kernel.radius) * widening;
  const auto first = static_cast<int64_t>(std::ceil(center - reach - 0.5f));
  const auto last = static_cast<int64_t>(std::floor(center + reach - 0.5f));
  return kernel_span(kernel, center, widening, std::clamp<int64_t>(first, 0, from - 1),
                     std::clamp<int64_t>(last, 0, from - 1));
}

Span pillow_span(const FilterKernel& kernel, int64_t i, double scale, int64_t from) {
  const double center = (static_cast<double>(i) + 0.5) * scale;
  const double widening = std::max(scale, 1.0), reach = kernel.radius * widening;
  const auto first = std::max<int64_t>(static_cast<int64_t>(center - reach + 0.5), 0);
  const auto end = std::min<int64_t>(static_cast<int64_t>(center + reach + 0.5), from);
  return kernel_span(kernel, center, widening, first, std::max(first, end - 1));
}

// Position of new pixel i between old ones, whose middles are whole numbers.
float position(int64_t i, float scale, Convention convention) {
  return convention == Convention::tensorflow ? (static_cast<float>(i) + 0.5f) * scale - 0.5f
                                              : static_cast<float>(i) * scale;
}

Span linear_span(float at, int64_t from) {
  const float below = std::floor(at);
  const auto low = std::max<int64_t>(static_cast<int64_t>(below), 0);
  const auto high = std::min<int64_t>(static_cast<int64_t>(below) + 1, from - 1);
  const double share = at - below;
  if (high <= low) return {.first = high, .weights = {1}};
  return {.first = low, .weights = {1 - share, share}};
}

// TensorFlow's ResizeBicubic looks weights up in a table of 1024 steps, and ignores pixels beyond
// the border.
Span cubic_span(float at, int64_t from) {
  constexpr float steps = 1024;
  const float below = std::floor(at);
  const double share = std::nearbyint((at - below) * steps) / steps;
  const FilterKernel kernel = filter_kernel(Resize::bicubic);
  const auto middle = static_cast<int64_t>(below);
  Span span{.first = std::clamp<int64_t>(middle - 1, 0, from - 1), .weights = {}};
  for (int64_t i = span.first; i <= std::min(middle + 2, from - 1); ++i) {
    span.weights.push_back(kernel.at(std::abs(static_cast<double>(i - middle) - share)));
  }
  normalize(span.weights);
  return span;
}

// TensorFlow's ResizeArea: each old pixel by the part of it that the new one covers.
Span area_span(int64_t i, float scale, int64_t from) {
  const float begin = static_cast<float>(i) * scale, end = static_cast<float>(i + 1) * scale;
  Span span{.first = std::min(static_cast<int64_t>(begin), from - 1), .weights = {}};
  const int64_t last = std::min(static_cast<int64_t>(std::ceil(end)) - 1, from - 1);
  for (int64_t k = span.first; k <= std::max(last, span.first); ++k) {
    const auto left = static_cast<float>(k);
    span.weights.push_back(std::min(left + 1, end) - std::max(left, begin));
  }
  normalize(span.weights);
  return span;
}

Span nearest_span(int64_t i, double stepped, float scale, Convention convention, int64_t from) {
  double at = 0;
  switch (convention) {
    case Convention::tensorflow:
      at = std::floor((static_cast<float>(i) + 0.5f) * scale);
      break;
    case Convention::tensorflow_1:
      at = std::floor(static_cast<float>(i) * scale);
      break;
    case Convention::tensorflow_1_align_corners:
      at = std::round(static_cast<float>(i) * scale);
      break;
    case Convention::pillow:
      at = std::floor(stepped);
  }
  return {.first = std::clamp<int64_t>(static_cast<int64_t>(at), 0, from - 1), .weights = {1}};
}

// `stepped`: the new pixel's center where Pillow's nearest arrives by stepping from one to the
// next, which accumulates its rounding.
Span span_of(int64_t i, int64_t from, int64_t to, double stepped, const ResizeOptions& options) {
  const bool corners = options.convention == Convention::tensorflow_1_align_corners && to > 1;
  const float scale = corners ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
                              : static_cast<float>(from) / static_cast<float>(to);
  if (options.method == Resize::nearest) {
    return nearest_span(i, stepped, scale, options.convention, from);
  }
  if (options.convention == Convention::pillow) {
    return pillow_span(filter_kernel(options.method), i,
                       static_cast<double>(from) / static_cast<double>(to), from);
  }
  if (options.method == Resize::area) return area_span(i, scale, from);
  if (!options.antialias && options.method == Resize::bilinear) {
    return linear_span(position(i, scale, options.convention), from);
  }
  if (!options.antialias && options.method == Resize::bicubic) {
    return cubic_span(position(i, scale, options.convention), from);
  }
  return scale_and_translate_span(filter_kernel(options.method), i, options.antialias, from, to);
}

// Makes all spans as long as the longest. Shorter ones get zeros, on the side where there is room.
Taps packed(const std::vector<Span>& spans, int64_t from) {
  Taps taps;
  for (const Span& span : spans) {
    taps.count = std::max(taps.count, static_cast<int64_t>(span.weights.size()));
  }
  taps.weights.resize(spans.size() * static_cast<size_t>(taps.count));
  taps.fixed.resize(taps.weights.size());
  for (size_t i = 0; i < spans.size(); ++i) {
    const int64_t first = std::min(spans[i].first, from - taps.count);
    taps.first.push_back(static_cast<int32_t>(first));
    const size_t at =
        i * static_cast<size_t>(taps.count) + static_cast<size_t>(spans[i].first - first);
    for (size_t t = 0; t < spans[i].weights.size(); ++t) {
      const double weight = spans[i].weights[t];
      taps.weights[at + t] = static_cast<float>(weight);
      taps.fixed[at + t] =
          static_cast<int32_t>(std::trunc(weight * (1 << 22) + (weight < 0 ? -0.5 : 0.5)));
    }
  }
  return taps;
}

void check_method(const ResizeOptions& options) {
  const Resize method = options.method;
  const bool linear = method == Resize::bilinear || method == Resize::nearest;
  const bool pillow = options.convention == Convention::pillow;
  const bool has = pillow ? linear || method == Resize::bicubic || method == Resize::area ||
                                method == Resize::lanczos3 || method == Resize::hamming
                   : options.convention == Convention::tensorflow ? method != Resize::hamming
                                                                  : linear && !options.antialias;
  if (has) return;
  raise<InvalidArgument>(
      {.what = "the convention does not have this method",
       .wanted = pillow ? "for pillow: nearest, area, bilinear, hamming, bicubic or lanczos3"
                 : options.convention == Convention::tensorflow
                     ? "for tensorflow: any but hamming"
                     : "for tensorflow_1: nearest or bilinear, without antialias"});
}

}  // namespace

Taps make_taps(int64_t from, int64_t to, const ResizeOptions& options) {
  check_method(options);
  std::vector<Span> spans;
  spans.reserve(static_cast<size_t>(to));
  const double step = static_cast<double>(from) / static_cast<double>(to);
  double stepped = step / 2;
  for (int64_t i = 0; i < to; ++i, stepped += step) {
    spans.push_back(span_of(i, from, to, stepped, options));
  }
  return packed(spans, from);
}

}  // namespace image
}  // namespace systolic::inline v0
