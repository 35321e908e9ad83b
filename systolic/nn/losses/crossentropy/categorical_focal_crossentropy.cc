#include "systolic/nn/losses/crossentropy/categorical_focal_crossentropy.h"

#include "systolic/base/error.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/losses/crossentropy_options.h"
#include "systolic/nn/losses/float_pair.h"
#include "systolic/nn/losses/logits_check.h"
#include "systolic/nn/one_class.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace {

// A scalar, or [classes], which is broadcast along the last axis.
Tensor factors_of_classes(const ClassFactors& alpha, int64_t classes) {
  const std::vector<double>& given = alpha.values();
  const auto count = static_cast<int64_t>(given.size());
  if (count != 1 && count != classes) {
    raise<InvalidArgument>({.what = str("CategoricalFocalCrossentropy: alpha has ", count,
                                        " numbers for ", classes, " classes"),
                            .wanted = "one, or one for each class"});
  }
  const Shape shape = count == 1 ? Shape{} : Shape{count};
  return constant(Literal::from(given, shape).convert(DType::f32));
}

}  // namespace

Tensor CategoricalFocalCrossentropy::values(const Tensor& y_true, const Tensor& y_pred) const {
  if (from_logits) warn_of_probabilities(kind, y_pred);
  if (!from_logits)
    warn_of_logits(kind, y_pred, ".activation = \"softmax\", or from_logits = true");
  auto [labels, scores] = float_pair(y_true, y_pred, kind);
  const int along = checked_axis("axis", axis, scores.rank());
  warn_of_one_class(kind, scores, along, "BinaryFocalCrossentropy");
  const int64_t classes = scores.shape()[-1];
  if (label_smoothing != 0) {
    labels = labels * (1 - label_smoothing) + label_smoothing / static_cast<double>(classes);
  }
  if (from_logits) scores = softmax(scores, along);
  const Tensor shares = scores / sum(scores, {.axis = along, .keepdims = true});
  const Tensor p = clip(shares, crossentropy_epsilon, 1 - crossentropy_epsilon);
  const Tensor factor = factors_of_classes(alpha, classes) * pow(1 - p, gamma);
  return sum(factor * -labels * log(p), {.axis = along});
}

}  // namespace systolic::inline v0
