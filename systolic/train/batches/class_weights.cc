#include "systolic/train/batches/class_weights.h"

#include <cmath>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/train/batches/step_feed_options.h"

namespace systolic::inline v0 {
namespace {

int64_t class_of(const Literal& labels, int64_t i, std::string_view name) {
  const double label = labels.number_at(i);
  if (label == std::floor(label) && std::abs(label) < 0x1p53) return static_cast<int64_t>(label);
  raise<InvalidArgument>({.what = str("class_weight with label ", label, " in '", name, "'"),
                          .wanted = "labels that are classes: 0, 1, ...",
                          .hint = "weigh other labels by sample_weight"});
}

// The place of the largest along the last axis, which has `classes`.
int64_t hottest(const Literal& labels, int64_t row, int64_t classes) {
  int64_t best = 0;
  for (int64_t k = 1; k < classes; ++k) {
    if (labels.number_at(row * classes + k) > labels.number_at(row * classes + best)) best = k;
  }
  return best;
}

}  // namespace

Literal weights_of_classes(const Literal& labels, std::string_view name,
                           const std::map<int64_t, double>& weights, const LabelRange& range) {
  const int rank = labels.rank();
  const int64_t last = rank < 2 ? 1 : labels.shape()[rank - 1];
  const bool one_hot = range.classes < 0 && last > 1;
  Shape shape = labels.shape();
  if (one_hot || (rank > 1 && last == 1)) shape = shape.without(rank - 1);
  Literal result(DType::f32, shape);
  int64_t i = 0;
  for (float& weight : result.mutable_data<float>()) {
    const auto found = weights.find(one_hot ? hottest(labels, i, last) : class_of(labels, i, name));
    weight = found == weights.end() ? 1.0f : static_cast<float>(found->second);
    ++i;
  }
  return result;
}

Literal multiply_weights(const Literal& sample_weights, const Literal& class_weights) {
  const bool first_longer = sample_weights.size() >= class_weights.size();
  const Literal& longer = first_longer ? sample_weights : class_weights;
  const Literal& shorter = first_longer ? class_weights : sample_weights;
  if (shorter.size() == 0 || longer.size() % shorter.size() != 0) {
    raise<InvalidArgument>({.what = str("class_weight for labels of shape ", class_weights.shape(),
                                        " with sample weights of shape ", sample_weights.shape()),
                            .wanted = "one for each sample, or one for each label"});
  }
  const int64_t each = longer.size() / shorter.size();
  Literal result(DType::f32, longer.shape());
  int64_t i = 0;
  for (float& weight : result.mutable_data<float>()) {
    weight = static_cast<float>(longer.number_at(i) * shorter.number_at(i / each));
    ++i;
  }
  return result;
}

void check_class_weights(const std::map<int64_t, double>& weights, const LabelRange& range,
                         size_t outputs) {
  if (outputs != 1) {
    raise<InvalidArgument>({.what = str("class_weight for a model with ", outputs, " outputs"),
                            .wanted = "a model with one",
                            .hint = "weigh the samples by sample_weight, the outputs by "
                                    "compile's loss_weights"});
  }
  for (const auto& [label, weight] : weights) {
    if (label < 0 || (range.classes >= 0 && label >= range.classes)) {
      raise<InvalidArgument>({.what = str("class_weight names class ", label),
                              .wanted = range.classes < 0 ? std::string("0, 1, ...")
                                                          : str("0 to ", range.classes - 1,
                                                                ": the model's last layer "
                                                                "has ",
                                                                range.classes, " outputs")});
    }
    if (!std::isfinite(weight)) {
      raise<InvalidArgument>({.what = str("class_weight of class ", label, " is ", weight),
                              .wanted = "a finite number"});
    }
  }
}

}  // namespace systolic::inline v0
