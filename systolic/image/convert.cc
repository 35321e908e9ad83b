#include "systolic/image/convert.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace image {
namespace {

// A single number for all channels is repeated.
std::vector<double> per_channel(std::string_view name, const std::vector<double>& values,
                                int64_t channels) {
  if (values.size() == 1) return std::vector<double>(static_cast<size_t>(channels), values[0]);
  if (values.size() == static_cast<size_t>(channels)) return values;
  raise<InvalidArgument>({.what = str(values.size(), " numbers as ", name),
                          .wanted = str("1 or ", channels, ", one a channel")});
}

}  // namespace

Literal to_float(const Literal& images, SourceLocation location) {
  const ErrorScope scope("to_float", location);
  extent_of("to_float", images);
  if (images.dtype() == DType::f32) return images;
  Literal result(DType::f32, images.shape());
  const auto from = images.data<uint8_t>();
  const auto to = result.mutable_data<float>();
  for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<float>(from[i]) * (1.0f / 255);
  return result;
}

Literal to_bytes(const Literal& images, SourceLocation location) {
  const ErrorScope scope("to_bytes", location);
  extent_of("to_bytes", images);
  if (images.dtype() == DType::u8) return images;
  Literal result(DType::u8, images.shape());
  const auto from = images.data<float>();
  const auto to = result.mutable_data<uint8_t>();
  // What rounding or a filter leaves above 1 saturates; twice as much is another scale.
  const auto far = std::find_if(from.begin(), from.end(), [](float x) { return x >= 2; });
  if (far != from.end()) {
    raise<InvalidArgument>({.what = str("a picture with the value ", *far),
                            .wanted = "0 to 1",
                            .hint = "for 0 to 255 picture.convert(DType::u8) makes bytes"});
  }
  for (size_t i = 0; i < to.size(); ++i) {  // NaN becomes 0
    to[i] = static_cast<uint8_t>(std::min(255.0f, std::max(0.0f, from[i] * 255.5f)));
  }
  return result;
}

ChannelScales channel_scales(const Normalization& normalization, int64_t channels) {
  const std::vector<double> mean = per_channel("mean", normalization.mean, channels);
  const std::vector<double> deviation = per_channel("std", normalization.std, channels);
  ChannelScales result;
  for (size_t c = 0; c < mean.size(); ++c) {
    if (deviation[c] == 0) raise<InvalidArgument>({.what = "a std is 0"});
    result.scale.push_back(static_cast<float>(normalization.scale / deviation[c]));
    result.offset.push_back(static_cast<float>(-mean[c] / deviation[c]));
  }
  return result;
}

Literal normalize(const Literal& images, const Normalization& normalization, DataFormat format,
                  SourceLocation location) {
  const ErrorScope scope("normalize", location);
  const Extent extent = extent_of("normalize", images, format);
  const ChannelScales scales = channel_scales(normalization, extent.channels);
  Literal result = images.dtype() == DType::f32 ? images : images.convert(DType::f32);
  float* value = result.mutable_data<float>().data();
  const auto channels = static_cast<size_t>(extent.channels);
  const int64_t pixels = extent.height * extent.width;
  if (format == DataFormat::channels_last) {
    for (int64_t i = 0; i < extent.batch * pixels; ++i, value += channels) {
      for (size_t c = 0; c < channels; ++c) {
        value[c] = value[c] * scales.scale[c] + scales.offset[c];
      }
    }
    return result;
  }
  for (size_t plane = 0; plane < static_cast<size_t>(extent.planes()); ++plane, value += pixels) {
    const float scale = scales.scale[plane % channels], offset = scales.offset[plane % channels];
    for (int64_t i = 0; i < pixels; ++i) value[i] = value[i] * scale + offset;
  }
  return result;
}

Literal per_image_standardization(const Literal& images, SourceLocation location) {
  const ErrorScope scope("per_image_standardization", location);
  const Extent extent = extent_of("per_image_standardization", images);
  Literal result = images.dtype() == DType::f32 ? images : images.convert(DType::f32);
  const auto size = static_cast<size_t>(images.size() / extent.batch);
  float* begin = result.mutable_data<float>().data();
  for (int64_t i = 0; i < extent.batch; ++i, begin += size) {
    double sum = 0, squares = 0;
    for (size_t k = 0; k < size; ++k) sum += begin[k];
    const double mean = sum / static_cast<double>(size);
    for (size_t k = 0; k < size; ++k) squares += (begin[k] - mean) * (begin[k] - mean);
    const double deviation = std::max(std::sqrt(squares / static_cast<double>(size)),
                                      1 / std::sqrt(static_cast<double>(size)));
    for (size_t k = 0; k < size; ++k) {
      begin[k] = static_cast<float>((begin[k] - mean) / deviation);
    }
  }
  return result;
}

}  // namespace image
}  // namespace systolic::inline v0
