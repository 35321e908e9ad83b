// Features as users see them.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/datasets/source.h"
#include "systolic/image/decode_image.h"

namespace systolic::inline v0 {
namespace datasets {

Literal decoded_feature(const FeatureInfo& feature, const Literal& stored) {
  if (feature.kind == FeatureInfo::Kind::tensor) return stored.convert(feature.dtype);
  if (feature.kind != FeatureInfo::Kind::image || stored.dtype() != DType::string) return stored;
  const int rank = feature.shape.rank();
  const int64_t channels = rank == 3 ? std::max<int64_t>(feature.shape[2], 0) : 0;
  Literal picture =
      image::decode_image(stored.bytes(), {.channels = static_cast<int>(channels)}, {});
  for (int axis = 0; axis < rank && rank == 3; ++axis) {
    if (feature.shape[axis] == -1 || feature.shape[axis] == picture.shape()[axis]) continue;
    raise<DataLoss>(
        {.what = str("feature '", feature.name, "' is an image of shape ", picture.shape()),
         .wanted = str(feature.shape)});
  }
  return picture;
}

}  // namespace datasets
}  // namespace systolic::inline v0
