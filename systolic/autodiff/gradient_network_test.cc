// Gradients of whole expressions as networks have them, against differences.
#include <gtest/gtest.h>

#include "systolic/autodiff/numeric_gradient.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/ir/window.h"

namespace systolic {
namespace {

using namespace autodiff;
using ir::Axes;
using ir::ConvolutionAttributes;
using ir::GatherAttributes;
using ir::OpCode;
using ir::Value;
using Values = std::span<const Value>;

Value relu(Value x) { return binary(OpCode::maximum, x, zeros_like(x)); }
Value dense(Value x, Value kernel, Value bias) {
  const Value y = dot(x, kernel);
  return y + broadcast_to(bias, y.shape());
}
Value mean(Value x, const Axes& axes) {
  int64_t count = 1;
  for (int64_t axis : axes) count *= x.shape()[static_cast<int>(axis)];
  return reduce_sum(x, axes) / static_cast<double>(count);
}
// Back over the rows of a matrix.
Value over_rows(Value column, Value like) { return broadcast_in_dim(column, like.shape(), {0}); }

Value softmax_cross_entropy(Value logits, const std::vector<int32_t>& labels) {
  const Value shifted = logits - over_rows(reduce_max(logits, {1}), logits);
  const Value log_sum = log(reduce_sum(exp(shifted), {1}));
  const auto rows = static_cast<int64_t>(labels.size());
  const Value label = logits.builder().constant(Literal::from(labels, {rows}));
  const Value classes = logits.builder().iota({DType::i32, logits.shape()}, 1);
  const Value hot = convert(equal(classes, over_rows(label, classes)), DType::f64);
  return log_sum - reduce_sum(shifted * hot, {1});
}

TEST(NetworkGradient, TwoDenseLayersWithCrossEntropy) {
  const std::vector<Literal> inputs{random_array({4, 3}, 1), random_array({3, 5}, 2),
                                    random_array({5}, 3), random_array({5, 3}, 4),
                                    random_array({3}, 5)};
  expect_gradients("mlp", inputs, [](Values x) {
    const Value hidden = relu(dense(x[0], x[1], x[2]));
    return mean(softmax_cross_entropy(dense(hidden, x[3], x[4]), {0, 2, 1, 2}), {0});
  });
}

TEST(NetworkGradient, ConvolutionsAndPooling) {
  ConvolutionAttributes same = ir::channels_last_convolution(2);
  same.padding = {{1, 1}, {1, 1}};
  const std::vector<Literal> inputs{random_array({2, 4, 4, 1}, 1), random_array({3, 3, 1, 2}, 2),
                                    random_array({3, 3, 2, 2}, 3), random_array({8, 3}, 4)};
  expect_gradients("convnet", inputs, [&](Values x) {
    const Value first = relu(convolution(x[0], x[1], same));
    const Value pooled = reduce_window(
        first, OpCode::maximum,
        {{1, 2, 2, 1}, {1, 2, 2, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, ir::Padding(4, {0, 0})});
    const Value second = unary(OpCode::tanh, convolution(pooled, x[2], same));
    return softmax_cross_entropy(dot(reshape(second, {2, 8}), x[3]), {1, 0});
  });
}

TEST(NetworkGradient, BatchNormalization) {
  const std::vector<Literal> inputs{random_array({5, 2, 3}, 1), random_array({3}, 2),
                                    random_array({3}, 3)};
  expect_gradients("batch norm", inputs, [](Values x) {
    const Shape shape = x[0].shape();
    const auto wide = [&](Value v) { return broadcast_in_dim(v, shape, {2}); };
    const Value centered = x[0] - wide(mean(x[0], {0, 1}));
    const Value variance = mean(centered * centered, {0, 1});
    const Value scale = unary(OpCode::rsqrt, variance + 1e-3) * x[1];
    return centered * wide(scale) + wide(x[2]);
  });
}

TEST(NetworkGradient, LayerNormalizationAndGelu) {
  const std::vector<Literal> inputs{random_array({3, 4}, 1), random_array({4}, 2)};
  expect_gradients("layer norm", inputs, [](Values x) {
    const Value centered = x[0] - over_rows(mean(x[0], {1}), x[0]);
    const Value variance = mean(centered * centered, {1});
    const Value normal = centered / over_rows(unary(OpCode::sqrt, variance + 1e-6), centered);
    const Value y = normal * broadcast_to(x[1], normal.shape());
    return y * 0.5 * (unary(OpCode::erf, y / 1.4142135623730951) + 1.0);
  });
}

TEST(NetworkGradient, AttentionOverAnEmbedding) {
  const GatherAttributes rows{.offset_dims = {2},
                              .collapsed_slice_dims = {0},
                              .start_index_map = {0},
                              .index_vector_dim = 2,
                              .slice_sizes = {1, 4}};
  const std::vector<Literal> inputs{random_array({5, 4}, 1), random_array({4, 4}, 2),
                                    random_array({4, 4}, 3)};
  expect_gradients("attention", inputs, [&](Values x) {
    const std::vector<int32_t> words{1, 4, 0, 1, 2, 2};
    const Value tokens = gather(x[0], x[0].builder().constant(Literal::from(words, {2, 3})), rows);
    const auto project = [](Value v, Value w) { return dot_general(v, w, {{}, {}, {2}, {0}}); };
    const Value scores =
        dot_general(project(tokens, x[1]), project(tokens, x[2]), {{0}, {0}, {2}, {2}});
    const Value powers =
        exp(scores - broadcast_in_dim(reduce_max(scores, {2}), scores.shape(), {0, 1}));
    const Value weights =
        powers / broadcast_in_dim(reduce_sum(powers, {2}), powers.shape(), {0, 1});
    return dot_general(weights, tokens, {{0}, {0}, {2}, {1}});
  });
}

// f32 variables, bf16 arithmetic, f32 loss: the gradients come in the variables' type, near those
// of f64.
TEST(NetworkGradient, MixedPrecision) {
  const std::vector<Literal> exact{random_array({4, 3}, 1), random_array({3, 2}, 2),
                                   random_array({2}, 3)};
  const auto loss = [](Values x) {
    const Value y = unary(OpCode::tanh, dense(x[0], x[1], x[2]));
    return y * y;
  };
  const std::vector<Literal> wanted = gradients_of(exact, loss);
  for (DType narrow : {DType::bf16, DType::f16}) {
    std::vector<Literal> variables;
    for (const Literal& input : exact) variables.push_back(input.convert(DType::f32));
    const ir::Module module = build_module(variables, [&](Values x) {
      std::vector<Value> cast;
      for (Value value : x) cast.push_back(convert(value, narrow));
      const ir::ValueId output = convert(loss(cast), DType::f32).id();
      std::vector<ir::ValueId> sources;
      for (Value value : x) sources.push_back(value.id());
      std::vector<Value> gradients;
      for (ir::ValueId found :
           gradient(x[0].builder(), {.outputs = {&output, 1}, .sources = sources})) {
        gradients.push_back(x[0].builder().value(found));
      }
      return gradients;
    });
    const std::vector<Literal> found = run(module, variables);
    for (size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].dtype(), DType::f32);
      for (int64_t k = 0; k < found[i].size(); ++k) {
        EXPECT_NEAR(found[i].number_at(k), wanted[i].number_at(k), 0.05) << to_string(narrow);
      }
    }
  }
}

// A dot whose result is wider than its operands.
TEST(NetworkGradient, AccumulationInAWiderType) {
  const std::vector<Literal> inputs{random_array({2, 3}, 1), random_array({3, 2}, 2)};
  const ir::Module module = build_module(inputs, [](Values x) -> std::vector<Value> {
    const Value a = convert(x[0], DType::bf16), b = convert(x[1], DType::bf16);
    const Value y = dot_general(a, b, {{}, {}, {1}, {0}}, DType::f32);
    return {gradient_of(y, x[0]), gradient_of(y, x[1])};
  });
  const std::vector<Literal> found = run(module, inputs);
  // d(sum of a b)/da is each row the sums of b's rows.
  for (int64_t k = 0; k < 3; ++k) {
    const double sum = inputs[1].number_at(2 * k) + inputs[1].number_at(2 * k + 1);
    EXPECT_NEAR(found[0].number_at(k), sum, 0.02);
  }
}

}  // namespace
}  // namespace systolic
