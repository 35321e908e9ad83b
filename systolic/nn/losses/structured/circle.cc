#include "systolic/nn/losses/structured/circle.h"

#include "systolic/base/error.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// Far below what any pair gives: exp() of it is 0, and a row without pairs has a loss of 0.
constexpr double no_pair = -1e9;

void check_embeddings(const Tensor& y_true, const Tensor& y_pred) {
  if (y_pred.rank() == 2 && y_true.size() == y_pred.shape()[0]) return;
  raise<InvalidArgument>(
      {.what = str("Circle: labels have shape ", y_true.shape(), ", predictions ", y_pred.shape()),
       .wanted = "class numbers [batch] and embeddings [batch, features]"});
}

}  // namespace

Tensor Circle::values(const Tensor& y_true, const Tensor& y_pred) const {
  check_embeddings(y_true, y_pred);
  const int64_t rows = y_pred.shape()[0];
  const Tensor labels = reshape(cast(y_true, DType::i32), {rows, 1});
  const Tensor embeddings = cast(y_pred, DType::f32);
  const Tensor distance = maximum(1.0 - matmul(embeddings, embeddings, {.transpose_b = true}), 0.0);
  Tensor same = equal(labels, reshape(labels, {1, rows}));
  const Tensor different = logical_not(same);
  if (remove_diagonal) {
    same = logical_and(same, not_equal(iota({rows, rows}, 0), iota({rows, rows}, 1)));
  }
  // Each pair's own weight grows with how far it is from where it should be.
  const Tensor pull = -gamma * maximum(margin + distance, 0.0) * (margin - distance);
  const Tensor push = gamma * maximum(1 + margin - distance, 0.0) * (1 - margin - distance);
  const auto total = [](const Tensor& pairs, const Tensor& of) {
    return logsumexp(where(pairs, of, no_pair), {.axis = 1});
  };
  return softplus(total(same, pull) + total(different, push));
}

std::optional<Tensor> Circle::mask(const Tensor& y_true, const Tensor& y_pred) const {
  return values(y_true, y_pred) > 0.0;
}

}  // namespace systolic::inline v0
