#include "systolic/nn/losses/float_pair.h"

#include "systolic/base/error.h"
#include "systolic/nn/same_rank.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

std::pair<Tensor, Tensor> float_pair(const Tensor& y_true, const Tensor& y_pred,
                                     std::string_view loss) {
  const auto [labels, scores] = to_same_rank(y_true, y_pred);
  if (!(labels.shape() == scores.shape())) {
    raise<InvalidArgument>({.what = str(loss, ": labels have shape ", y_true.shape(),
                                        ", predictions ", y_pred.shape()),
                            .wanted = "the same shape",
                            .hint = y_true.rank() + 1 == y_pred.rank()
                                        ? "class numbers as labels belong to "
                                          "sparse_categorical_crossentropy and what else begins "
                                          "with sparse_; others take one_hot() of them"
                                        : ""});
  }
  return {cast(labels, DType::f32), cast(scores, DType::f32)};
}

Tensor mean_of_last(const Tensor& losses) {
  return losses.rank() == 0 ? losses : mean(losses, {.axis = -1});
}

}  // namespace systolic::inline v0
