#include "systolic/transformers/sentences/sentence_losses.h"

#include "systolic/base/error.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

constexpr double smallest = 1e-12;  // of a square, so that roots have gradients

void check_texts(const Tensor& vectors, const char* loss, int64_t least, int64_t most) {
  const bool fits = vectors.rank() == 3 && vectors.shape()[1] >= least &&
                    (most == 0 || vectors.shape()[1] <= most);
  if (fits) return;
  raise<InvalidArgument>(
      {.what = str(loss, " of predictions of shape ", vectors.shape()),
       .wanted = str("[batch, ", least, most == 0 ? " or more" : "", " texts, width]"),
       .hint = str("SentenceTransformer::training_model(", least, ")")});
}

// The vectors of one text of each row: [batch, width].
Tensor text(const Tensor& vectors, int64_t i) { return vectors[{all, i}]; }

Tensor of_length_one(const Tensor& x) {
  return x / sqrt(maximum(sum(square(x), {.axis = -1, .keepdims = true}), smallest));
}

// That of each row's first two texts: [batch].
Tensor cosine(const Tensor& vectors) {
  return sum(of_length_one(text(vectors, 0)) * of_length_one(text(vectors, 1)), {.axis = -1});
}

Tensor distance(const Tensor& a, const Tensor& b) {
  return sqrt(maximum(sum(square(a - b), {.axis = -1}), smallest));
}

// Labels [batch], or [batch, 1], as the first axis alone.
Tensor one_each(const Tensor& labels, const Tensor& vectors) {
  const int64_t batch = vectors.shape()[0];
  if (labels.size() == batch) return reshape(labels, {batch});
  raise<InvalidArgument>(
      {.what = str("labels of shape ", labels.shape(), " for vectors of shape ", vectors.shape()),
       .wanted = str("one number for each row: [", batch, "]")});
}

}  // namespace

Tensor MultipleNegativesRankingLoss::values(const Tensor&, const Tensor& y_pred) const {
  check_texts(y_pred, "MultipleNegativesRankingLoss", 2, 0);
  const int64_t batch = y_pred.shape()[0];
  std::vector<Tensor> others;
  for (int64_t i = 1; i < y_pred.shape()[1]; ++i) others.push_back(text(y_pred, i));
  const Tensor scores = matmul(of_length_one(text(y_pred, 0)), of_length_one(concat(others, 0)),
                               {.transpose_b = true}) *
                        scale;  // [batch, candidates]
  const int64_t candidates = scores.shape()[1];
  const Tensor own = iota({batch, candidates}, 0) == iota({batch, candidates}, 1);
  const Tensor largest = stop_gradient(max(scores, {.axis = 1, .keepdims = true}));
  const Tensor total = log(sum(exp(scores - largest), {.axis = 1})) + reshape(largest, {batch});
  return total - sum(where(own, scores, 0.0), {.axis = 1});
}

Tensor CosineSimilarityLoss::values(const Tensor& y_true, const Tensor& y_pred) const {
  check_texts(y_pred, "CosineSimilarityLoss", 2, 2);
  return square(cosine(y_pred) - one_each(y_true, y_pred));
}

Tensor ContrastiveLoss::values(const Tensor& y_true, const Tensor& y_pred) const {
  check_texts(y_pred, "ContrastiveLoss", 2, 2);
  const Tensor apart = 1 - cosine(y_pred), label = one_each(y_true, y_pred);
  return (label * square(apart) + (1 - label) * square(relu(margin - apart))) * 0.5;
}

Tensor TripletLoss::values(const Tensor&, const Tensor& y_pred) const {
  check_texts(y_pred, "TripletLoss", 3, 3);
  const Tensor anchor = text(y_pred, 0);
  return relu(distance(anchor, text(y_pred, 1)) - distance(anchor, text(y_pred, 2)) + margin);
}

}  // namespace systolic::inline v0
