// Embedding{.mask_zero = true}: the layers after it know which steps only pad (Keras's implicit
// masks), and attention does as if the mask was given to it.
#include <gtest/gtest.h>

#include <vector>

#include "systolic/nn/layers/all.h"
#include "systolic/nn/losses/mean_absolute_error.h"
#include "systolic/nn/losses/mean_squared_error.h"
#include "systolic/nn/metrics/metric.h"
#include "systolic/nn/network/network.h"
#include "systolic/nn/step_mask.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic {
namespace {

const Literal ids = Literal::of<int32_t>({{3, 1, 4, 0}, {2, 0, 0, 0}, {1, 2, 3, 4}});

Symbol embedded(const Symbol& tokens, bool mask_zero) {
  return Embedding{.input_dim = 6, .output_dim = 4, .mask_zero = mask_zero}(tokens);
}

// The same layers with the same weights: the one with the implicit mask, the other told which keys
// pad. What stands at steps that pad is of no account: the implicit mask hides these queries too.
void expect_the_same(const Network& implicit, const Network& told) {
  for (size_t i = 0; i < told.weights().size(); ++i) {
    told.weights()[i].set(implicit.weights()[i].literal());
  }
  const Literal mask = cast(Tensor(ids) != 0, DType::i32).literal();
  const Literal got = implicit(Tensor(ids)).literal();
  const Literal wanted = told(std::vector<Tensor>{ids, mask}).literal();
  ASSERT_EQ(got.shape(), wanted.shape());
  const int64_t features = got.shape()[-1];
  for (int64_t i = 0; i < got.size(); ++i) {
    if (mask.integer_at(i / features) == 0) continue;
    EXPECT_EQ(got.number_at(i), wanted.number_at(i)) << i;
  }
}

struct Pair {
  const char* name;
  Symbol (*implicit)(const Symbol& x);
  Symbol (*told)(const Symbol& x, const Symbol& mask);
};

TEST(Masking, ReachesAttentionThroughLayersThatSupportIt) {
  const Pair pairs[] = {
      {"at once",
       [](const Symbol& x) { return MultiHeadAttention{.num_heads = 2, .key_dim = 2}({x}); },
       [](const Symbol& x, const Symbol& mask) {
         return MultiHeadAttention{.num_heads = 2, .key_dim = 2}({x, mask});
       }},
      {"after other layers",
       [](const Symbol& x) {
         const Symbol y = LayerNormalization{}(x + PositionEmbedding{.sequence_length = 4}(x));
         const Symbol z = Dense{.units = 4}(Dropout{.rate = 0.5}(y));
         return MultiHeadAttention{.num_heads = 2, .key_dim = 2}({z, z});
       },
       [](const Symbol& x, const Symbol& mask) {
         const Symbol y = LayerNormalization{}(x + PositionEmbedding{.sequence_length = 4}(x));
         const Symbol z = Dense{.units = 4}(Dropout{.rate = 0.5}(y));
         return MultiHeadAttention{.num_heads = 2, .key_dim = 2}({z, z, mask});
       }},
      {"two encoders",
       [](const Symbol& x) {
         const Symbol y = TransformerEncoder{.intermediate_dim = 3, .num_heads = 2}(x);
         return TransformerEncoder{
             .intermediate_dim = 3, .num_heads = 2, .normalize_first = true}(y);
       },
       [](const Symbol& x, const Symbol& mask) {
         const Symbol y = TransformerEncoder{.intermediate_dim = 3, .num_heads = 2}({x, mask});
         return TransformerEncoder{
             .intermediate_dim = 3, .num_heads = 2, .normalize_first = true}({y, mask});
       }},
  };
  for (const Pair& pair : pairs) {
    SCOPED_TRACE(pair.name);
    const Symbol a = input({.shape = {4}, .dtype = DType::i32});
    const Symbol b = input({.shape = {4}, .dtype = DType::i32});
    const Symbol mask = input({.shape = {4}, .dtype = DType::i32});
    const Network implicit(a, pair.implicit(embedded(a, true)));
    expect_the_same(implicit, Network({b, mask}, {pair.told(embedded(b, false), mask)}));
  }
}

// A step that pads attends to nothing: 0 where the layer has the probabilities at hand, and the
// mean of all values else.
TEST(Masking, HidesQueriesThatPad) {
  const Symbol a = input({.shape = {4}, .dtype = DType::i32});
  const Symbol x = embedded(a, true);
  const Layer told = MultiHeadAttention{
      .num_heads = 2, .key_dim = 2, .bias_initializer = "ones", .return_attention_scores = true};
  const std::vector<Symbol> outputs = told.outputs({x, x});
  const Network network(std::vector<Symbol>{a}, outputs);
  const std::vector<Tensor> got = network.outputs({Tensor(ids)});
  const Literal y = got[0].literal(), scores = got[1].literal();
  for (int64_t row = 0; row < 3; ++row) {
    for (int64_t step = 0; step < 4; ++step) {
      double total = 0;
      for (int64_t key = 0; key < 4; ++key) {
        total += scores.number_at(((row * 2) * 4 + step) * 4 + key);
      }
      const bool real = ids.integer_at(row * 4 + step) != 0;
      EXPECT_NEAR(total, real ? 1 : 0, 1e-6) << row << " " << step;
      for (int64_t i = 0; i < 4 && !real; ++i) {  // the bias is left
        EXPECT_EQ(y.number_at((row * 4 + step) * 4 + i), 1);
      }
    }
  }
}

TEST(Masking, EndsAtALayerThatDoesNotSupportIt) {
  const Symbol a = input({.shape = {4}, .dtype = DType::i32});
  const Symbol b = input({.shape = {4}, .dtype = DType::i32});
  const auto rest = [](const Symbol& x) {
    return MultiHeadAttention{.num_heads = 2, .key_dim = 2}({Permute{.dims = {2, 1}}(x)});
  };
  const Network masked(a, rest(embedded(a, true))), plain(b, rest(embedded(b, false)));
  for (size_t i = 0; i < plain.weights().size(); ++i) {
    plain.weights()[i].set(masked.weights()[i].literal());
  }
  EXPECT_EQ(masked(Tensor(ids)).literal(), plain(Tensor(ids)).literal());
}

// Masks, and what a loss and a metric make of them, as Keras 3.15 gives them for these layers, ids
// and table (numpy as its backend).
struct Merged {
  const char* name;
  Symbol (*merge)(const std::vector<Symbol>& xs);
  bool second_is_masked;
  std::vector<std::vector<int32_t>> mask;  // empty: none
  double mean_squared_error, mean_absolute_error;
};

Symbol added(const std::vector<Symbol>& xs) { return Add{}(xs); }
Symbol multiplied(const std::vector<Symbol>& xs) { return Multiply{}(xs); }
Symbol largest(const std::vector<Symbol>& xs) { return Maximum{}(xs); }
Symbol joined(const std::vector<Symbol>& xs) { return Concatenate{}(xs); }
Symbol joined_steps(const std::vector<Symbol>& xs) { return Concatenate{.axis = 1}(xs); }

TEST(Masking, OfWhatIsMergedIsKerass) {
  const std::vector<std::vector<int32_t>> any = {{1, 1, 1}, {1, 1, 0}};
  const Merged rows[] = {{"Add", added, true, any, 64, 7},
                         {"Multiply", multiplied, true, any, 31.4, 3.6},
                         {"Maximum", largest, true, any, 5, 2},
                         {"Concatenate", joined, true, any, 22.5, 3.7},
                         {"Concatenate of steps",
                          joined_steps,
                          true,
                          {{1, 1, 0, 1, 0, 1}, {1, 0, 0, 1, 1, 0}},
                          5.3571429,
                          2.0714283},
                         {"Add, one masked", added, false, {}, 95, 8.3333333},
                         {"Multiply, one masked", multiplied, false, {}, 112.8333359, 6.8333335},
                         {"Maximum, one masked", largest, false, {}, 22.1666660, 3.5},
                         // Keras's is true everywhere.
                         {"Concatenate, one masked", joined, false, {}, 29.1666660, 4.3333335},
                         {"Concatenate of steps, one masked",
                          joined_steps,
                          false,
                          {{1, 1, 0, 1, 1, 1}, {1, 0, 0, 1, 1, 1}},
                          18.0555553,
                          3.2777779}};
  for (const Merged& row : rows) {
    SCOPED_TRACE(row.name);
    const auto table = [](bool masked) {
      return Embedding{.input_dim = 4, .output_dim = 2, .mask_zero = masked};
    };
    const Symbol a = input({.shape = {3}, .dtype = DType::i32}),
                 b = input({.shape = {3}, .dtype = DType::i32});
    const Network network({a, b}, {row.merge({table(true)(a), table(row.second_is_masked)(b)})});
    for (const Variable& weight : network.weights())
      weight.set(Literal::of<float>({{10, -5}, {1, 2}, {3, -1}, {-2, 4}}));
    const Tensor y = network(std::vector<Tensor>{Literal::of<int32_t>({{1, 2, 0}, {3, 0, 0}}),
                                                 Literal::of<int32_t>({{1, 0, 2}, {3, 1, 0}})});
    const std::optional<Tensor> mask = step_mask_of(y);
    ASSERT_EQ(mask.has_value(), !row.mask.empty());
    for (size_t i = 0; mask && i < 2; ++i) {
      for (size_t j = 0; j < row.mask[i].size(); ++j) {
        const auto place = static_cast<int64_t>(i * row.mask[i].size() + j);
        EXPECT_EQ(mask->literal().integer_at(place), row.mask[i][j]) << i << " " << j;
      }
    }
    EXPECT_NEAR(MeanSquaredError{}(zeros(y.shape()), y).item<float>(), row.mean_squared_error,
                1e-5 * row.mean_squared_error);
    const Metric metric = MeanAbsoluteError{};
    metric.update_state(zeros(y.shape()), y);
    EXPECT_NEAR(metric.result().item<float>(), row.mean_absolute_error, 1e-5);
  }
}

// One with a layer of two inputs that says it supports masking: as the first is.
struct FirstTwiceAndSecond {
  static constexpr bool supports_masking = true;
  Tensor call(const std::vector<Tensor>& xs, CallContext&) const { return xs[0] * 2 + xs[1]; }
};

TEST(Masking, OfSeveralInputsIsThatOfTheFirst) {
  for (const bool first : {true, false}) {
    const Symbol a = input({.shape = {4}, .dtype = DType::i32}),
                 b = input({.shape = {4}, .dtype = DType::i32});
    const Network network(
        {a, b}, {Layer(FirstTwiceAndSecond{})({embedded(a, first), embedded(b, !first)})});
    const Tensor y = network(std::vector<Tensor>{ids, ids});
    EXPECT_EQ(step_mask_of(y).has_value(), first);
  }
}

// A custom loop: a loss object, but not the function, leaves masked steps out, and so does a
// metric. Keras 3.15's numbers.
TEST(Masking, IsKnownToLossesAndMetricsOfALoop) {
  const Layer table = Embedding{.input_dim = 4, .output_dim = 2, .mask_zero = true};
  const Literal of_loop = Literal::of<int32_t>({{1, 2, 0}, {3, 0, 0}});
  table(Tensor(of_loop));
  table.weights().at(0).set(Literal::of<float>({{10, -5}, {1, 2}, {3, -1}, {-2, 4}}));
  const Tensor x = table(Tensor(of_loop)), y = zeros(x.shape());
  EXPECT_NEAR(MeanSquaredError{}(y, x).item<float>(), 5.8333335, 1e-5);
  EXPECT_NEAR(sum(mean_squared_error(y, x)).item<float>(), 2.5 + 5 + 10 + 3 * 62.5, 1e-4);
  const Metric metric = MeanAbsoluteError{};
  metric.update_state(y, x);
  EXPECT_NEAR(metric.result().item<float>(), 2.1666665, 1e-5);
  // What an op gives is another Tensor, without a mask.
  EXPECT_FALSE(step_mask_of(x + 0.0));
}

TEST(Masking, LeavesPaddingOutOfTheAverage) {
  const Symbol a = input({.shape = {4}, .dtype = DType::i32});
  const Network network(a, GlobalAveragePooling1D{}(embedded(a, true)));
  const Literal table = network.weights().at(0).literal(), got = network(Tensor(ids)).literal();
  for (int64_t row = 0; row < 3; ++row) {
    for (int64_t column = 0; column < 4; ++column) {
      double total = 0, count = 0;
      for (int64_t step = 0; step < 4; ++step) {
        const int64_t id = ids.integer_at(row * 4 + step);
        if (id == 0) continue;
        total += table.number_at(id * 4 + column);
        ++count;
      }
      EXPECT_NEAR(got.number_at(row * 4 + column), total / count, 1e-6) << row << " " << column;
    }
  }
  // Nothing but padding: no 0 / 0.
  const Literal nothing = network(zeros({1, 4}, DType::i32)).literal();
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(nothing.number_at(i), 0);
}

}  // namespace
}  // namespace systolic
