#include "systolic/nn/losses/crossentropy/categorical_generalized_cross_entropy.h"

#include "systolic/base/error.h"
#include "systolic/nn/losses/logits_check.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor CategoricalGeneralizedCrossEntropy::values(const Tensor& y_true,
                                                  const Tensor& y_pred) const {
  if (!(q > 0 && q < 1))
    raise<InvalidArgument>({.what = str(kind, ": q is ", q), .wanted = "between 0 and 1"});
  warn_of_logits(kind, y_pred, ".activation = \"softmax\"");
  const Shape rows = y_pred.shape().without(-1);
  if (y_true.size() != rows.elements()) {
    raise<InvalidArgument>(
        {.what =
             str(kind, ": labels have shape ", y_true.shape(), ", predictions ", y_pred.shape()),
         .wanted = "class numbers, of the predictions' shape without the classes"});
  }
  const Tensor labels = reshape(cast(y_true, DType::i32), rows);
  const Tensor p = sum(y_pred * one_hot(labels, y_pred.shape()[-1]), {.axis = -1});
  return (1.0 - pow(p, q)) / q;
}

}  // namespace systolic::inline v0
