#include "backends/cpu/kernels/window/pooling_f32.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/window/pooling_f32.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which includes this file once per target.
#include "backends/cpu/kernels/older_highway-inl.h"
#include "backends/cpu/kernels/window/pooling_window.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// body(tag, i) for whole vectors of [begin, end), then for what is left, one element at a time.
template <class Body>
HWY_INLINE void for_each_vector(int64_t begin, int64_t end, Body body) {
  const hn::ScalableTag<float> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) body(d, i);
  const hn::CappedTag<float, 1> one;
  for (; i < end; ++i) body(one, i);
}

void max_pool_row_target(const Pool2D& p, const float* image, int64_t output_y, float* output_row) {
  const PixelRange rows = pixels_of(p.vertical, output_y, p.height);
  for (int64_t x = 0; x < p.output_width(); ++x) {
    const PixelRange columns = pixels_of(p.horizontal, x, p.width);
    float* output = output_row + x * p.channels;
    for_each_vector(0, p.channels, [&](auto d, int64_t c) HWY_ATTR {
      auto largest = hn::Set(d, -INFINITY);
      for (int64_t i = rows.begin; i < rows.end; ++i) {
        const float* pixel = image + (i * p.width + columns.begin) * p.channels + c;
        for (int64_t j = columns.begin; j < columns.end; ++j, pixel += p.channels) {
          const auto value = hn::LoadU(d, pixel);
          const auto take = hn::Or(hn::Gt(value, largest), is_nan(value));
          largest = hn::IfThenElse(take, value, largest);
        }
      }
      hn::StoreU(largest, d, output + c);
    });
  }
}

void sum_pool_row_target(const Pool2D& p, const float* image, int64_t output_y, float* output_row) {
  const PixelRange rows = pixels_of(p.vertical, output_y, p.height);
  for (int64_t x = 0; x < p.output_width(); ++x) {
    const PixelRange columns = pixels_of(p.horizontal, x, p.width);
    float* output = output_row + x * p.channels;
    for_each_vector(0, p.channels, [&](auto d, int64_t c) HWY_ATTR {
      auto sum = hn::Zero(d);
      for (int64_t i = rows.begin; i < rows.end; ++i) {
        const float* pixel = image + (i * p.width + columns.begin) * p.channels + c;
        for (int64_t j = columns.begin; j < columns.end; ++j, pixel += p.channels) {
          sum = hn::Add(sum, hn::LoadU(d, pixel));
        }
      }
      hn::StoreU(sum, d, output + c);
    });
  }
}

// Finds the place of the largest value of each channel: the first one, replaced where !(best >=
// value), as XLA's select with GE does. `place` counts pixels.
HWY_INLINE void find_largest(const Pool2D& p, const float* image, PixelRange rows,
                             PixelRange columns, int64_t first, int64_t count, int32_t* place) {
  for_each_vector(0, count, [&](auto d, int64_t c) HWY_ATTR {
    const hn::RebindToSigned<decltype(d)> di;
    const int64_t start = rows.begin * p.width + columns.begin;
    auto best = hn::LoadU(d, image + start * p.channels + first + c);
    auto where = hn::Set(di, static_cast<int32_t>(start));
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      for (int64_t j = columns.begin; j < columns.end; ++j) {
        const int64_t pixel = i * p.width + j;
        const auto value = hn::LoadU(d, image + pixel * p.channels + first + c);
        const auto keep = hn::Ge(best, value);
        best = hn::IfThenElse(keep, best, value);
        where = hn::IfThenElse(hn::RebindMask(di, keep), where,
                               hn::Set(di, static_cast<int32_t>(pixel)));
      }
    }
    hn::StoreU(where, di, place + c);
  });
}

void find_largest_row_target(const Pool2D& p, const float* image, int64_t output_y,
                             int32_t* places) {
  const PixelRange rows = pixels_of(p.vertical, output_y, p.height);
  for (int64_t x = 0; x < p.output_width(); ++x, places += p.channels) {
    const PixelRange columns = pixels_of(p.horizontal, x, p.width);
    if (rows.size() == 0 || columns.size() == 0) {
      std::fill_n(places, p.channels, -1);
    } else {
      find_largest(p, image, rows, columns, 0, p.channels, places);
    }
  }
}

HWY_INLINE void clear_channels(const Pool2D& p, float* image, int64_t first, int64_t count) {
  for (int64_t pixel = 0; pixel < p.height * p.width; ++pixel) {
    std::fill_n(image + pixel * p.channels + first, count, 0.0f);
  }
}

void max_pool_gradient_target(const Pool2D& p, const float* image, const float* gradient,
                              float* image_gradient, int64_t first, int64_t count) {
  HWY_ALIGN int32_t place[pool_channel_block];
  clear_channels(p, image_gradient, first, count);
  for (int64_t y = 0; y < p.output_height(); ++y) {
    const PixelRange rows = pixels_of(p.vertical, y, p.height);
    for (int64_t x = 0; x < p.output_width(); ++x) {
      const PixelRange columns = pixels_of(p.horizontal, x, p.width);
      if (rows.size() == 0 || columns.size() == 0) continue;
      find_largest(p, image, rows, columns, first, count, place);
      const float* source = gradient + (y * p.output_width() + x) * p.channels + first;
      for (int64_t c = 0; c < count; ++c) {
        image_gradient[place[c] * p.channels + first + c] += source[c];
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kernels
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace kernels {

HWY_EXPORT(max_pool_row_target);
HWY_EXPORT(sum_pool_row_target);
HWY_EXPORT(find_largest_row_target);
HWY_EXPORT(max_pool_gradient_target);

void max_pool_row(const Pool2D& pool2d, const float* image, int64_t output_y, float* output_row) {
  HWY_DYNAMIC_DISPATCH(max_pool_row_target)(pool2d, image, output_y, output_row);
}
void sum_pool_row(const Pool2D& pool2d, const float* image, int64_t output_y, float* output_row) {
  HWY_DYNAMIC_DISPATCH(sum_pool_row_target)(pool2d, image, output_y, output_row);
}
void find_largest_row(const Pool2D& pool2d, const float* image, int64_t output_y, int32_t* places) {
  HWY_DYNAMIC_DISPATCH(find_largest_row_target)(pool2d, image, output_y, places);
}
void max_pool_gradient_image(const Pool2D& pool2d, const float* image, const float* gradient,
                             float* image_gradient, int64_t first, int64_t count) {
  HWY_DYNAMIC_DISPATCH(max_pool_gradient_target)
  (pool2d, image, gradient, image_gradient, first, count);
}

}  // namespace kernels
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
