#include "systolic/nn/losses/structured/ctc.h"

#include "systolic/base/error.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// The logarithm of a probability of 0, finite so that no gradient is NaN.
constexpr double log_of_none = -1e5;

// log(exp(a) + exp(b)).
Tensor log_add(const Tensor& a, const Tensor& b) {
  const Tensor larger = stop_gradient(maximum(a, b));
  return larger + log(exp(a - larger) + exp(b - larger));
}

// Places of a row: before label n a blank, n from 0 to N, then label n itself. Each state has the
// log-probability of all ways to stand there: blanks [batch, N + 1], labels [batch, N].
struct CtcStates {
  Tensor blanks, labels;
};

// `arriving` at the blanks after each label.
Tensor with_arriving(const Tensor& blanks, const Tensor& arriving) {
  const int64_t count = arriving.shape()[1];
  const Tensor first = blanks[{all, Slice{.begin = 0, .end = 1}}];
  const Tensor others = blanks[{all, Slice{.begin = 1, .end = count + 1}}];
  return concat({first, log_add(others, arriving)}, 1);
}

// Between equal labels a blank must be said, between others it may be skipped. `repeats` [batch,
// N]: 1 where the next label is the same.
CtcStates next_states(const CtcStates& now, const Tensor& label_score, const Tensor& blank_score,
                      const Tensor& repeats) {
  const int64_t count = now.labels.shape()[1];
  const Tensor skipping = with_arriving(now.blanks, now.labels + log_of_none * repeats);
  const Tensor before = skipping[{all, Slice{.begin = 0, .end = count}}];
  return {with_arriving(skipping + blank_score,
                        now.labels + blank_score + log_of_none * (1.0 - repeats)),
          log_add(before, now.labels) + label_score};
}

void check_sequences(const Tensor& y_true, const Tensor& y_pred) {
  if (y_true.rank() == 2 && y_pred.rank() == 3 && y_true.shape()[0] == y_pred.shape()[0] &&
      y_true.shape()[1] > 0)
    return;
  raise<InvalidArgument>(
      {.what = str("CTC: labels have shape ", y_true.shape(), ", predictions ", y_pred.shape()),
       .wanted = "class numbers [batch, labels] and logits [batch, steps, classes]"});
}

Tensor next_is_the_same(const Tensor& labels) {
  const int64_t rows = labels.shape()[0], count = labels.shape()[1];
  const Tensor last = zeros({rows, 1});
  if (count == 1) return last;
  const Tensor same =
      equal(slice(labels, {0, 0}, {rows, count - 1}), slice(labels, {0, 1}, {rows, count - 1}));
  return concat({cast(same, DType::f32), last}, 1);
}

}  // namespace

Tensor CTC::values(const Tensor& y_true, const Tensor& y_pred) const {
  check_sequences(y_true, y_pred);
  const Tensor labels = cast(y_true, DType::i32);
  const int64_t rows = labels.shape()[0], count = labels.shape()[1];
  const int64_t steps = y_pred.shape()[1], classes = y_pred.shape()[2];
  const Tensor scores = log_softmax(cast(y_pred, DType::f32));
  const Tensor of_labels = einsum("btk,bnk->tbn", scores, one_hot(labels, classes));
  const Tensor of_blank = transpose(slice(scores, {0, 0, 0}, {rows, steps, 1}), {1, 0, 2});
  const Tensor repeats = next_is_the_same(labels);
  const Tensor nowhere = fill({rows, count}, log_of_none);
  const std::vector<Tensor> last =
      for_range(steps, {concat({zeros({rows, 1}), nowhere}, 1), nowhere},
                [&](const Tensor& step, const std::vector<Tensor>& state) {
                  const CtcStates next = next_states({state[0], state[1]}, of_labels[{step}],
                                                     of_blank[{step}], repeats);
                  return std::vector<Tensor>{next.blanks, next.labels};
                });
  const Tensor ends = with_arriving(last[0], last[1]);
  const Tensor lengths = sum(cast(not_equal(labels, 0), DType::i32), {.axis = 1});
  return -sum(ends * one_hot(lengths, count + 1), {.axis = 1});
}

}  // namespace systolic::inline v0
