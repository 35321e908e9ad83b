#include "systolic/nn/layers/preprocessing/category_encoding.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor CategoryEncoding::call(const std::vector<Tensor>& xs, CallContext& context) const {
  check_positive("num_tokens", num_tokens);
  if (xs.empty() || xs.size() > 2 || output_mode.is("int") ||
      (xs.size() == 2 && !output_mode.is("count"))) {
    raise<InvalidArgument>(
        {.what =
             str("called on ", xs.size(), " inputs with output_mode \"", output_mode.name(), "\""),
         .wanted = "integers, or with \"count\" integers and their weights; \"one_hot\", "
                   "\"multi_hot\" or \"count\""});
  }
  const Tensor tokens = cast(xs[0], DType::i32);
  context.check_integers_below(xs[0], num_tokens);
  const DType dtype = context.compute_dtype();
  if (xs.size() == 1) return encode_categories(tokens, output_mode, num_tokens, dtype);
  if (!(xs[1].shape() == xs[0].shape())) {
    raise<InvalidArgument>(
        {.what = str("integers of shape ", xs[0].shape(), " with weights of ", xs[1].shape()),
         .wanted = "a weight for each"});
  }
  const Tensor weighed = one_hot(tokens, num_tokens, dtype) * expand_dims(cast(xs[1], dtype), -1);
  return sum(weighed, {.axis = tokens.rank() > 1 ? 1 : 0});
}

KerasForm CategoryEncoding::keras_form() { return {.silent = {{"sparse", "false"}}}; }

SYSTOLIC_DEFINE_LAYER(CategoryEncoding)

}  // namespace systolic::inline v0
