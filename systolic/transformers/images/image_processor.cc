#include "systolic/transformers/images/image_processor.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/image/codecs/decode_image.h"
#include "systolic/image/crop.h"

namespace systolic::inline v0 {
namespace {

constexpr size_t byte_values = 256;

// Height and width after resizing; the longer edge is rounded down, as in `transformers`.
Size2 resized_size(const ImageSize& size, int64_t height, int64_t width) {
  if (size.shortest_edge == 0) return {size.height, size.width};
  const double edge = static_cast<double>(size.shortest_edge);
  const auto longer = [edge](int64_t long_edge, int64_t short_edge) {
    return static_cast<int64_t>(edge * static_cast<double>(long_edge) /
                                static_cast<double>(short_edge));
  };
  if (width <= height) return {longer(height, width), size.shortest_edge};
  return {size.shortest_edge, longer(width, height)};
}

Literal resized_to(const Literal& picture, const ImageSize& wanted, image::Resize method) {
  const Size2 size = resized_size(wanted, picture.shape()[0], picture.shape()[1]);
  if (size == Size2(picture.shape()[0], picture.shape()[1])) return picture;
  return image::resize(picture, size.height, size.width,
                       {.method = method, .convention = image::Convention::pillow});
}

Literal center_cropped(Literal picture, Size2 size) {
  const int64_t height = picture.shape()[0], width = picture.shape()[1];
  const Size2 padded{std::max(height, size.height), std::max(width, size.width)};
  if (!(padded == Size2(height, width))) {
    picture = image::pad(picture, {.top = (padded.height - height + 1) / 2,
                                   .left = (padded.width - width + 1) / 2,
                                   .height = padded.height,
                                   .width = padded.width});
  }
  return image::crop(picture, {.top = (padded.height - size.height) / 2,
                               .left = (padded.width - size.width) / 2,
                               .height = size.height,
                               .width = size.width});
}

// ConvNeXt's way: the middle of a picture, or all of it, bent into a square.
Literal resized(const Literal& picture, const ImageProcessor& processor) {
  constexpr int64_t least_bent = 384;
  const int64_t edge = processor.size.shortest_edge;
  if (!processor.crop_pct) return resized_to(picture, processor.size, processor.resample);
  if (edge == 0) {
    raise<InvalidArgument>(
        {.what = "size has no shortest_edge", .wanted = "one, as crop_pct is of it"});
  }
  if (edge >= least_bent)
    return resized_to(picture, {.height = edge, .width = edge}, processor.resample);
  const auto around = static_cast<int64_t>(static_cast<double>(edge) / *processor.crop_pct);
  return center_cropped(resized_to(picture, {.shortest_edge = around}, processor.resample), edge);
}

float of_channel(const std::vector<double>& values, size_t channel) {
  return static_cast<float>(values.size() == 1 ? values[0] : values[channel]);
}

// What each byte of a channel becomes, rounded where `transformers` rounds.
std::vector<float> byte_table(const ImageProcessor& processor, size_t channel) {
  std::vector<float> table(byte_values);
  for (size_t byte = 0; byte < byte_values; ++byte) {
    float value = static_cast<float>(byte);
    if (processor.do_rescale)
      value = static_cast<float>(static_cast<double>(byte) * processor.rescale_factor);
    if (processor.do_normalize) {
      value = (value - of_channel(processor.image_mean, channel)) /
              of_channel(processor.image_std, channel);
    }
    table[byte] = value;
  }
  return table;
}

Literal normalized(const Literal& picture, const ImageProcessor& processor) {
  const auto channels = static_cast<size_t>(picture.shape()[2]);
  std::vector<std::vector<float>> tables;
  for (size_t c = 0; c < channels; ++c) tables.push_back(byte_table(processor, c));
  Literal result(DType::f32, picture.shape());
  const uint8_t* from = picture.data<uint8_t>().data();
  float* to = result.mutable_data<float>().data();
  for (int64_t pixel = 0; pixel < picture.shape()[0] * picture.shape()[1]; ++pixel) {
    for (size_t c = 0; c < channels; ++c) *to++ = tables[c][*from++];
  }
  return result;
}

// What makes bytes of a picture of floats.
std::string way_to_bytes(const Literal& picture) {
  if (picture.dtype() != DType::f32) return "";
  const auto values = picture.data<float>();
  const bool of_bytes = std::any_of(values.begin(), values.end(), [](float x) { return x > 1; });
  return of_bytes ? "for 0 to 255 picture.convert(DType::u8) makes bytes; resize leaves them "
                    "bytes by {.convention = image::Convention::pillow}, random_resized_crop by "
                    "{.resize = {.convention = image::Convention::pillow}}"
                  : "of 0 to 1 image::to_bytes(picture) makes bytes";
}

void check_picture(const Literal& picture, const ImageProcessor& processor) {
  if (picture.dtype() != DType::u8 || picture.rank() != 3 || picture.size() == 0) {
    raise<InvalidArgument>({.what = str("a picture of ", picture.dtype(), picture.shape()),
                            .wanted = "u8 [height, width, channels], or the bytes of a file",
                            .hint = way_to_bytes(picture)});
  }
  const auto channels = static_cast<size_t>(picture.shape()[2]);
  for (const std::vector<double>* values : {&processor.image_mean, &processor.image_std}) {
    if (!processor.do_normalize || values->size() == 1 || values->size() == channels) continue;
    raise<InvalidArgument>({.what = str("a picture of ", channels, " channels"),
                            .wanted = str(values->size(), ", as many as image_mean and image_std"),
                            .hint = "image::decode_image(bytes, {.channels = 3})"});
  }
  for (const double deviation : processor.image_std) {
    if (deviation > 0 || !processor.do_normalize) continue;
    raise<InvalidArgument>({.what = str("image_std holds ", deviation), .wanted = "above 0"});
  }
}

}  // namespace

ImageSize::operator image::Size() const {
  if (shortest_edge == 0) return {height, width};
  raise<InvalidArgument>(
      {.what = str("a size whose shorter edge is ", shortest_edge, " differs by picture"),
       .wanted = "height and width",
       .hint = "processor(picture) resizes each as it should be"});
}

Literal ImageProcessor::operator()(const Literal& picture, SourceLocation location) const {
  if (picture.dtype() == DType::string && picture.size() == 1)
    return (*this)(std::string_view(picture.bytes()), location);
  const ErrorScope scope(image_processor_type, location);
  check_picture(picture, *this);
  Literal result = picture;
  if (do_resize) result = resized(result, *this);
  if (do_center_crop) result = center_cropped(result, crop_size);
  return normalized(result, *this);
}

Literal ImageProcessor::operator()(std::string_view file, SourceLocation location) const {
  return (*this)(image::decode_image(file, {.channels = 3}, location), location);
}

}  // namespace systolic::inline v0
