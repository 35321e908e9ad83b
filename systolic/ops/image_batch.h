// One picture as a batch of one, and back. Internal to ops.
#pragma once

#include <string_view>

#include "systolic/base/error.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace ops {

class ImageBatch {
 public:
  ImageBatch(std::string_view op, const Tensor& images, SourceLocation at)
      : single_(images.rank() == 3), batch_(images) {
    if (images.rank() != 3 && images.rank() != 4) {
      raise<InvalidArgument>({.what = str(op, " of shape ", images.shape()),
                              .wanted = "[batch, height, width, channels], or without the batch",
                              .location = at});
    }
    if (single_) batch_ = v0::expand_dims(images, 0, at);
  }

  const Tensor& batch() const { return batch_; }
  int64_t size() const { return batch_.shape()[0]; }
  int64_t height() const { return batch_.shape()[1]; }
  int64_t width() const { return batch_.shape()[2]; }
  int64_t channels() const { return batch_.shape()[3]; }
  // A result [batch, ...], without the batch where the pictures were one.
  Tensor as_given(const Tensor& result) const {
    return single_ ? v0::squeeze(result, {0}) : result;
  }

 private:
  bool single_;
  Tensor batch_;
};

}  // namespace ops
}  // namespace systolic::inline v0
