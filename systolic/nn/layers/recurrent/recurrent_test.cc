// What recurrent layers do beside what Keras's values in tests/golden show: states that are kept
// from batch to batch, cells of one's own, and dropout.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/nn/layers/recurrent/gru.h"
#include "systolic/nn/layers/recurrent/lstm.h"
#include "systolic/nn/layers/recurrent/rnn.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic {
namespace {

Tensor sequence_of(int64_t batch, int64_t steps) {
  Literal values(DType::f32, {batch, steps, 2});
  for (int64_t i = 0; i < values.size(); ++i)
    values.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(std::sin(0.7 * i));
  return Tensor(values);
}

void expect_equal(const Tensor& got, const Tensor& wanted) {
  ASSERT_EQ(got.shape(), wanted.shape());
  for (int64_t i = 0; i < got.size(); ++i)
    EXPECT_NEAR(got.literal().number_at(i), wanted.literal().number_at(i), 1e-6);
}

// Two halves of a sequence, one after the other, end where the whole one ends.
TEST(Recurrent, AStatefulLayerGoesOnWhereTheBatchBeforeEnded) {
  set_seed(3);
  const Layer kept = GRU{.units = 3, .stateful = true};
  const Tensor x = sequence_of(2, 6);
  const Tensor first = slice(x, {0, 0, 0}, {2, 3, 2}), second = slice(x, {0, 3, 0}, {2, 3, 2});
  const Tensor whole = kept(x);
  reset_states(kept);
  const Tensor start = kept(first);
  const Tensor end = kept(second);
  expect_equal(end, whole);
  reset_states(kept);
  expect_equal(kept(first), start);
  expect_parts(error_of([&] { kept(sequence_of(4, 3)); }),
               {"GRU", "rnn_state", "(4, 3)", "(2, 3)"});
}

TEST(Recurrent, ASequenceWithoutStepsIsRefused) {
  const Layer layer = LSTM{.units = 3};
  expect_parts(error_of([&] { layer(zeros({2, 0, 2})); }), {"LSTM", "a sequence of 0 steps"});
}

// A cell as a user writes it: the running sum of the inputs, without weights.
struct SumCell {
  static constexpr const char* kind = "SumCell";
  double by = 1;

  std::vector<Shape> state_shapes(const Shape& step) const { return {step}; }
  RecurrentSteps over(const Tensor& sequence, CellContext&) const {
    return {sequence * by, [](const Tensor& x, const std::vector<Tensor>& states) {
              const Tensor y = x + states[0];
              return std::vector<Tensor>{y, y};
            }};
  }
  static constexpr auto fields() { return std::tuple(field("by", &SumCell::by)); }
};

TEST(Recurrent, ACellOfOnesOwn) {
  register_cell<SumCell>();
  const Layer layer = RNN{.cell = SumCell{.by = 2}, .return_sequences = true};
  const Tensor x(Literal::of<float>({1, 2, 3, 4}).reshape({1, 4, 1}));
  EXPECT_EQ(layer(x).literal().reshape({4}), Literal::of<float>({2, 6, 12, 20}));
  const Layer again = layer_from_config(layer.get_config());
  EXPECT_EQ(again(x).literal().reshape({4}), Literal::of<float>({2, 6, 12, 20}));
}

// One mask for all steps: an input that is dropped at the first step is dropped at all of them.
TEST(Recurrent, DropoutIsTheSameAtAllSteps) {
  set_seed(5);
  const Layer layer = GRU{.units = 2,
                          .use_bias = false,
                          .kernel_initializer = "ones",
                          .recurrent_initializer = "zeros",
                          .dropout = 0.5,
                          .return_sequences = true};
  const Tensor y = layer(ones({8, 5, 1}), {.training = true});
  const Literal values = y.literal();
  int dropped = 0;
  for (int64_t row = 0; row < 8; ++row) {
    const bool zero = values.number_at(row * 10) == 0;
    dropped += zero;
    for (int64_t step = 0; step < 5; ++step)
      EXPECT_EQ(values.number_at(row * 10 + step * 2) == 0, zero) << row << " " << step;
  }
  EXPECT_GT(dropped, 0);
  EXPECT_LT(dropped, 8);
}

}  // namespace
}  // namespace systolic
