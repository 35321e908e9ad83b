#include "systolic/image/resize/resample.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "systolic/image/resize/resample.cc"
#include "hwy/foreach_target.h"
// Highway's headers must come after foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace systolic::inline v0 {
namespace image {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
HWY_INLINE hn::Vec<D> load_floats(D d, const float* from) {
  return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> load_floats(D d, const uint8_t* from) {
  const hn::Rebind<uint8_t, D> bytes;
  const hn::Rebind<int32_t, D> words;
  return hn::ConvertTo(d, hn::PromoteTo(words, hn::LoadU(bytes, from)));
}

// Calls function(std::integral_constant) with `taps` where such short loops are unrolled, else with
// 0.
template <class Function>
void with_few_taps(int64_t taps, const Function& function) {
  switch (taps) {
    case 2:
      return function(std::integral_constant<int64_t, 2>{});
    case 3:
      return function(std::integral_constant<int64_t, 3>{});
    case 4:
      return function(std::integral_constant<int64_t, 4>{});
    case 5:
      return function(std::integral_constant<int64_t, 5>{});
    case 6:
      return function(std::integral_constant<int64_t, 6>{});
    default:
      return function(std::integral_constant<int64_t, 0>{});
  }
}

// kTaps: the number of taps, or 0 for `any_taps`.
template <int64_t kTaps, class T>
void mix_some_rows(const T* from, int64_t stride, const float* any_weights, int64_t any_taps,
                   int64_t count, float* to) {
  const hn::ScalableTag<float> d;
  // Copies stay in registers: the compiler cannot know that `to` is not among the weights.
  std::array<float, static_cast<size_t>(kTaps) + 1> few{};
  std::copy_n(any_weights, kTaps, few.begin());
  const float* weights = kTaps > 0 ? few.data() : any_weights;
  const int64_t taps = kTaps > 0 ? kTaps : any_taps;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    auto sum = hn::Mul(hn::Set(d, weights[0]), load_floats(d, from + i));
    for (int64_t t = 1; t < taps; ++t) {
      sum = hn::MulAdd(hn::Set(d, weights[t]), load_floats(d, from + t * stride + i), sum);
    }
    hn::StoreU(sum, d, to + i);
  }
  for (; i < count; ++i) {
    float sum = 0;
    for (int64_t t = 0; t < taps; ++t) sum += weights[t] * static_cast<float>(from[t * stride + i]);
    to[i] = sum;
  }
}

// to[i] = the sum over t of weights[t] * from[t * stride + i].
template <class T>
void mix_rows(const T* from, int64_t stride, const float* weights, int64_t taps, int64_t count,
              float* to) {
  with_few_taps(taps, [=](auto few) {
    mix_some_rows<decltype(few)::value>(from, stride, weights, taps, count, to);
  });
}

// One row of pixels of up to four numbers: a pixel is a vector. Reads and writes up to three floats
// beyond both rows.
template <int64_t kTaps>
void mix_pixels(const float* row, int64_t step, const Taps& columns, const float* scale,
                const float* offset, float* to) {
  const hn::FixedTag<float, 4> d;
  const int64_t taps = kTaps > 0 ? kTaps : columns.count;
  const auto scales = hn::LoadU(d, scale), offsets = hn::LoadU(d, offset);
  const float* weights = columns.weights.data();
  for (const int32_t first : columns.first) {
    const float* from = row + first * step;
    auto sum = hn::Mul(hn::Set(d, weights[0]), hn::LoadU(d, from));
    for (int64_t t = 1; t < taps; ++t) {
      sum = hn::MulAdd(hn::Set(d, weights[t]), hn::LoadU(d, from + t * step), sum);
    }
    hn::StoreU(hn::MulAdd(sum, scales, offsets), d, to);
    weights += taps;
    to += step;
  }
}

// One row of single numbers: a vector is as many new pixels. by_tap: the weights with the taps
// outermost.
void mix_numbers(const float* row, const Taps& columns, const float* by_tap, float scale,
                 float offset, float* to) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> indices;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto width = static_cast<int64_t>(columns.first.size());
  const auto offsets = hn::Set(d, offset);
  int64_t x = 0;
  for (; x + lanes <= width; x += lanes) {
    const auto first = hn::LoadU(indices, columns.first.data() + x);
    auto sum = hn::Zero(d);
    for (int64_t t = 0; t < columns.count; ++t) {
      sum =
          hn::MulAdd(hn::LoadU(d, by_tap + t * width + x), hn::GatherIndex(d, row + t, first), sum);
    }
    hn::StoreU(hn::MulAdd(sum, hn::Set(d, scale), offsets), d, to + x);
  }
  for (; x < width; ++x) {
    float sum = 0;
    for (int64_t t = 0; t < columns.count; ++t) {
      sum += by_tap[t * width + x] * row[columns.first[static_cast<size_t>(x)] + t];
    }
    to[x] = sum * scale + offset;
  }
}

// One row of pixels of many numbers.
void mix_channels(const float* row, int64_t step, const Taps& columns, const float* scale,
                  const float* offset, float* to) {
  const float* weights = columns.weights.data();
  for (const int32_t first : columns.first) {
    mix_rows(row + first * step, step, weights, columns.count, step, to);
    for (int64_t c = 0; c < step; ++c) to[c] = to[c] * scale[c] + offset[c];
    weights += columns.count;
    to += step;
  }
}

template <class T>
void resample_plane(const T* from, const Plane& plane, const Taps& rows, const Taps& columns,
                    const ChannelAffine& affine, float* to) {
  const int64_t step = plane.step, stride = plane.width * step;
  const int64_t out_stride = plane.out_width * step;
  const auto padded = [](int64_t count) { return static_cast<size_t>(count + 4); };
  std::vector<float> mixed(padded(stride)), result(padded(out_stride));
  std::vector<float> scale(padded(step), 1.0f), offset(padded(step), 0.0f), by_tap;
  if (affine.scale != nullptr) {
    std::copy_n(affine.scale, step, scale.begin());
    std::copy_n(affine.offset, step, offset.begin());
  }
  if (step == 1) {
    by_tap.resize(columns.weights.size());
    for (size_t i = 0; i < by_tap.size(); ++i) {
      const size_t taps = static_cast<size_t>(columns.count), x = i / taps;
      by_tap[i % taps * columns.first.size() + x] = columns.weights[i];
    }
  }
  for (int64_t y = 0; y < plane.out_height; ++y) {
    const auto at = static_cast<size_t>(y);
    mix_rows(from + rows.first[at] * stride, stride, rows.weights.data() + y * rows.count,
             rows.count, stride, mixed.data());
    float* out = to + y * out_stride;
    if (step == 1) {
      mix_numbers(mixed.data(), columns, by_tap.data(), scale[0], offset[0], out);
    } else if (step <= 4) {
      // The next row is written over what this one writes beyond its end; the last has a buffer.
      float* target = y + 1 < plane.out_height ? out : result.data();
      with_few_taps(columns.count, [&](auto few) {
        mix_pixels<decltype(few)::value>(mixed.data(), step, columns, scale.data(), offset.data(),
                                         target);
      });
      if (target != out) std::copy_n(target, out_stride, out);
    } else {
      mix_channels(mixed.data(), step, columns, scale.data(), offset.data(), out);
    }
  }
}

void resample_bytes(const uint8_t* from, const Plane& plane, const Taps& rows, const Taps& columns,
                    const ChannelAffine& affine, float* to) {
  resample_plane(from, plane, rows, columns, affine, to);
}

void resample_floats(const float* from, const Plane& plane, const Taps& rows, const Taps& columns,
                     const ChannelAffine& affine, float* to) {
  resample_plane(from, plane, rows, columns, affine, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace image
}  // namespace systolic::inline v0
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace systolic::inline v0 {
namespace image {

HWY_EXPORT(resample_bytes);
HWY_EXPORT(resample_floats);

void resample(const uint8_t* from, const Plane& plane, const Taps& rows, const Taps& columns,
              const ChannelAffine& affine, float* to) {
  HWY_DYNAMIC_DISPATCH(resample_bytes)(from, plane, rows, columns, affine, to);
}

void resample(const float* from, const Plane& plane, const Taps& rows, const Taps& columns,
              const ChannelAffine& affine, float* to) {
  HWY_DYNAMIC_DISPATCH(resample_floats)(from, plane, rows, columns, affine, to);
}

}  // namespace image
}  // namespace systolic::inline v0
#endif  // HWY_ONCE
