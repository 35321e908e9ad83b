// Features as users see them.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/core/put_together.h"
#include "systolic/datasets/source.h"
#include "systolic/image/codecs/decode_image.h"

namespace systolic::inline v0 {
namespace datasets {

namespace {

constexpr int64_t most_bytes_of_pictures = int64_t{1} << 30;

// `shape`: -1 for unknown axes.
Literal decoded_picture(const FeatureInfo& feature, const Shape& shape, std::string_view bytes) {
  const int64_t channels = shape.rank() == 3 ? std::max<int64_t>(shape[2], 0) : 0;
  Literal picture = image::decode_image(bytes, {.channels = static_cast<int>(channels)}, {});
  for (int axis = 0; axis < shape.rank() && shape.rank() == 3; ++axis) {
    if (shape[axis] == -1 || shape[axis] == picture.shape()[axis]) continue;
    raise<DataLoss>(
        {.what = str("feature '", feature.name, "' is an image of shape ", picture.shape()),
         .wanted = str(shape)});
  }
  return picture;
}

// [pictures, height, width, channels].
Literal decoded_pictures(const FeatureInfo& feature, const Literal& stored) {
  std::vector<int64_t> sizes = feature.shape.to_vector();
  sizes.erase(sizes.begin(), sizes.begin() + feature.sequence_rank);
  std::vector<Literal> pictures;
  int64_t bytes = 0;
  for (int64_t i = 0; i < stored.size(); ++i) {
    pictures.push_back(decoded_picture(feature, Shape(sizes), stored.string_at(i)));
    bytes += static_cast<int64_t>(pictures.back().byte_size());
    if (bytes <= most_bytes_of_pictures) continue;
    raise<ResourceExhausted>({.what = str("feature '", feature.name, "' has ", stored.size(),
                                          " images, the first ", i + 1, " of ", bytes, " bytes"),
                              .wanted = str("at most ", most_bytes_of_pictures, " in an element"),
                              .hint = "read the files by data::tfrecords and data::parse_example"});
  }
  if (!pictures.empty())
    return stacked(pictures, {.what = str("feature '", feature.name, "'"), .unit = "image"});
  std::replace(sizes.begin(), sizes.end(), int64_t{-1}, int64_t{0});
  sizes.insert(sizes.begin(), 0);
  return Literal(DType::u8, Shape(sizes));
}

}  // namespace

Literal decoded_feature(const FeatureInfo& feature, const Literal& stored) {
  if (feature.kind == FeatureInfo::Kind::tensor) return stored.convert(feature.dtype);
  if (feature.kind != FeatureInfo::Kind::image || stored.dtype() != DType::string) return stored;
  if (feature.sequence_rank > 0) return decoded_pictures(feature, stored);
  return decoded_picture(feature, feature.shape, stored.bytes());
}

}  // namespace datasets
}  // namespace systolic::inline v0
