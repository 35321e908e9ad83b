// Pictures of a directory.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/datasets/directory/directory_files.h"
#include "systolic/datasets/forms/class_folders.h"
#include "systolic/image/codecs/decode_image.h"
#include "systolic/image/crop.h"

namespace systolic::inline v0 {
namespace {

// What of one axis keeps the ratio, given the other: as Keras cuts it, downwards.
int64_t in_ratio(int64_t other, int64_t target, int64_t other_target) {
  return static_cast<int64_t>(static_cast<double>(other * target) /
                              static_cast<double>(other_target));
}

Literal middle_of(const Literal& picture, image::Size size) {
  const int64_t height = picture.shape()[0], width = picture.shape()[1];
  const int64_t kept_height = std::min(height, in_ratio(width, size.height, size.width));
  const int64_t kept_width = std::min(width, in_ratio(height, size.width, size.height));
  return image::crop(picture, {.top = (height - kept_height) / 2,
                               .left = (width - kept_width) / 2,
                               .height = std::max<int64_t>(kept_height, 1),
                               .width = std::max<int64_t>(kept_width, 1)});
}

Literal framed(const Literal& picture, image::Size size) {
  const int64_t height = picture.shape()[0], width = picture.shape()[1];
  const int64_t whole_height = std::max(height, in_ratio(width, size.height, size.width));
  const int64_t whole_width = std::max(width, in_ratio(height, size.width, size.height));
  return image::pad(picture, {.top = (whole_height - height) / 2,
                              .left = (whole_width - width) / 2,
                              .height = whole_height,
                              .width = whole_width});
}

Literal read_sized(const std::string& path, const ImageDirectoryOptions& options) {
  const int channels = options.color_mode == ColorMode::rgb    ? 3
                       : options.color_mode == ColorMode::rgba ? 4
                                                               : 1;
  Literal picture = image::decode_image(datasets::read_picture_file(path), {.channels = channels});
  if (options.crop_to_aspect_ratio) picture = middle_of(picture, options.image_size);
  if (options.pad_to_aspect_ratio) picture = framed(picture, options.image_size);
  return image::resize(picture, options.image_size, {.method = options.interpolation})
      .convert(DType::f32);
}

}  // namespace

DirectoryDataset image_dataset_from_directory(const std::string& directory,
                                              const ImageDirectoryOptions& options,
                                              SourceLocation location) {
  if (options.crop_to_aspect_ratio && options.pad_to_aspect_ratio) {
    raise<InvalidArgument>({.what = "crop_to_aspect_ratio and pad_to_aspect_ratio",
                            .wanted = "one of them at most",
                            .location = location});
  }
  DirectoryDataset result =
      datasets::directory_files(directory, datasets::rules_of(options),
                                {".bmp", ".gif", ".jpeg", ".jpg", ".png", ".webp"}, location);
  result.dataset = datasets::read_files(
      result.dataset, "image",
      [options](const std::string& path) { return read_sized(path, options); });
  if (options.batch_size) result.dataset = result.dataset.batch(*options.batch_size);
  result.dataset = result.dataset.prefetch(data::autotune);
  return result;
}

}  // namespace systolic::inline v0
