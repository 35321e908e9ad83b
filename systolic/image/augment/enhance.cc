#include "systolic/image/augment/enhance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/image/data_format.h"

namespace systolic::inline v0 {
namespace image {
namespace {

using Table = std::array<uint8_t, 256>;

Extent bytes_extent(const Literal& image) {
  const Extent extent = extent_of(ErrorScope::current(), image);
  if (extent.has_batch || image.dtype() != DType::u8 ||
      (extent.channels != 1 && extent.channels != 3)) {
    raise<InvalidArgument>({.what = str("a picture of ", image.dtype(), " ", image.shape()),
                            .wanted = "u8 [height, width, 1 or 3]"});
  }
  return extent;
}

Literal by_table(const Literal& image, const Table& table) {
  bytes_extent(image);
  Literal result(DType::u8, image.shape());
  const auto from = image.data<uint8_t>();
  const auto to = result.mutable_data<uint8_t>();
  for (size_t i = 0; i < to.size(); ++i) to[i] = table[from[i]];
  return result;
}

// Maps each channel by a table that is made from its histogram.
template <class MakeTable>
Literal by_histogram(const Literal& image, const MakeTable& make_table) {
  const auto channels = static_cast<size_t>(bytes_extent(image).channels);
  Literal result(DType::u8, image.shape());
  const auto from = image.data<uint8_t>();
  const auto to = result.mutable_data<uint8_t>();
  for (size_t c = 0; c < channels; ++c) {
    std::array<int64_t, 256> histogram{};
    for (size_t i = c; i < from.size(); i += channels) ++histogram[from[i]];
    const Table table = make_table(histogram);
    for (size_t i = c; i < from.size(); i += channels) to[i] = table[from[i]];
  }
  return result;
}

// degenerate + factor * (image - degenerate), toward zero, clipped. degenerate(i): of number i.
template <class Degenerate>
Literal blended(const Literal& image, double factor, const Degenerate& degenerate) {
  if (!std::isfinite(factor)) raise<InvalidArgument>({.what = str("the factor is ", factor)});
  Literal result(DType::u8, image.shape());
  const auto from = image.data<uint8_t>();
  const auto to = result.mutable_data<uint8_t>();
  const auto share = static_cast<float>(factor);
  for (size_t i = 0; i < to.size(); ++i) {
    const int base = degenerate(i);
    const float value = static_cast<float>(base) + share * static_cast<float>(from[i] - base);
    to[i] = static_cast<uint8_t>(std::clamp(value, 0.0f, 255.0f));
  }
  return result;
}

// ITU-R BT.601's luma with 16 fractional bits.
std::vector<uint8_t> luma(const Literal& image, const Extent& extent) {
  const auto from = image.data<uint8_t>();
  if (extent.channels == 1) return {from.begin(), from.end()};
  std::vector<uint8_t> result(from.size() / 3);
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = static_cast<uint8_t>(
        (from[3 * i] * 19595 + from[3 * i + 1] * 38470 + from[3 * i + 2] * 7471 + 0x8000) >> 16);
  }
  return result;
}

// 1/13 of the pixel five times and its eight neighbors once; pixels at the border stay.
std::vector<uint8_t> smoothed(const Literal& image, const Extent& extent) {
  const auto from = image.data<uint8_t>();
  std::vector<uint8_t> result(from.begin(), from.end());
  const int64_t step = extent.channels, stride = extent.width * step;
  for (int64_t y = 1; y + 1 < extent.height; ++y) {
    for (int64_t i = y * stride + step; i < (y + 1) * stride - step; ++i) {
      int sum = 4 * from[static_cast<size_t>(i)];
      for (const int64_t row : {i - stride, i, i + stride}) {
        for (const int64_t k : {row - step, row, row + step}) sum += from[static_cast<size_t>(k)];
      }
      result[static_cast<size_t>(i)] = static_cast<uint8_t>((2 * sum + 13) / 26);
    }
  }
  return result;
}

Table identity() {
  Table table;
  for (size_t i = 0; i < 256; ++i) table[i] = static_cast<uint8_t>(i);
  return table;
}

Table stretched(const std::array<int64_t, 256>& histogram) {
  Table table = identity();
  int low = 0, high = 255;
  while (low < 255 && histogram[static_cast<size_t>(low)] == 0) ++low;
  while (high > 0 && histogram[static_cast<size_t>(high)] == 0) --high;
  if (high <= low) return table;
  const double scale = 255.0 / (high - low), offset = -low * scale;
  for (int i = 0; i < 256; ++i) {
    table[static_cast<size_t>(i)] =
        static_cast<uint8_t>(std::clamp(static_cast<int>(i * scale + offset), 0, 255));
  }
  return table;
}

Table equalized(const std::array<int64_t, 256>& histogram) {
  Table table = identity();
  int64_t sum = 0, last = 0, levels = 0;
  for (const int64_t count : histogram) {
    sum += count;
    if (count != 0) last = count, ++levels;
  }
  const int64_t step = levels > 1 ? (sum - last) / 255 : 0;
  if (step == 0) return table;
  int64_t below = step / 2;
  for (size_t i = 0; i < 256; ++i) {
    table[i] = static_cast<uint8_t>(std::min<int64_t>(below / step, 255));
    below += histogram[i];
  }
  return table;
}

}  // namespace

Literal enhance_color(const Literal& image, double factor, SourceLocation location) {
  const ErrorScope scope("enhance_color", location);
  const Extent extent = bytes_extent(image);
  const std::vector<uint8_t> grey = luma(image, extent);
  const auto channels = static_cast<size_t>(extent.channels);
  return blended(image, factor, [&](size_t i) { return grey[i / channels]; });
}

Literal enhance_contrast(const Literal& image, double factor, SourceLocation location) {
  const ErrorScope scope("enhance_contrast", location);
  const std::vector<uint8_t> grey = luma(image, bytes_extent(image));
  double sum = 0;
  for (const uint8_t value : grey) sum += value;
  const int mean = static_cast<int>(sum / static_cast<double>(grey.size()) + 0.5);
  return blended(image, factor, [mean](size_t) { return mean; });
}

Literal enhance_brightness(const Literal& image, double factor, SourceLocation location) {
  const ErrorScope scope("enhance_brightness", location);
  bytes_extent(image);
  return blended(image, factor, [](size_t) { return 0; });
}

Literal enhance_sharpness(const Literal& image, double factor, SourceLocation location) {
  const ErrorScope scope("enhance_sharpness", location);
  const std::vector<uint8_t> smooth = smoothed(image, bytes_extent(image));
  return blended(image, factor, [&](size_t i) { return smooth[i]; });
}

Literal autocontrast(const Literal& image, SourceLocation location) {
  const ErrorScope scope("autocontrast", location);
  return by_histogram(image, stretched);
}

Literal equalize(const Literal& image, SourceLocation location) {
  const ErrorScope scope("equalize", location);
  return by_histogram(image, equalized);
}

Literal invert(const Literal& image, SourceLocation location) {
  const ErrorScope scope("invert", location);
  Table table;
  for (size_t i = 0; i < 256; ++i) table[i] = static_cast<uint8_t>(255 - i);
  return by_table(image, table);
}

Literal posterize(const Literal& image, int bits, SourceLocation location) {
  const ErrorScope scope("posterize", location);
  if (bits < 0 || bits > 8) {
    raise<InvalidArgument>({.what = str("to ", bits, " bits"), .wanted = "0 to 8"});
  }
  Table table;
  for (size_t i = 0; i < 256; ++i) table[i] = static_cast<uint8_t>(i & (0xff00u >> bits));
  return by_table(image, table);
}

Literal solarize(const Literal& image, int threshold, SourceLocation location) {
  const ErrorScope scope("solarize", location);
  Table table = identity();
  for (size_t i = 0; i < 256; ++i) {
    if (static_cast<int>(i) >= threshold) table[i] = static_cast<uint8_t>(255 - i);
  }
  return by_table(image, table);
}

}  // namespace image
}  // namespace systolic::inline v0
