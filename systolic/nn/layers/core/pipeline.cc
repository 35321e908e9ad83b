#include "systolic/nn/layers/core/pipeline.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"

namespace systolic::inline v0 {

std::vector<Tensor> Pipeline::call(const std::vector<Tensor>& xs, CallContext& context) const {
  if (layers.get().empty()) {
    raise<InvalidArgument>({.what = "a Pipeline without layers", .wanted = "one or more"});
  }
  std::vector<Tensor> values = xs;
  for (const InnerLayer& one : layers.get()) values = context.call(one.layer(), values, false);
  return values;
}

KerasForm Pipeline::keras_form() { return {.list = "layers", .is_bare = true}; }

SYSTOLIC_DEFINE_LAYER(Pipeline)

}  // namespace systolic::inline v0
