// Embedding{.mask_zero = true}: the layers behind it know which steps only pad (Keras's implicit
// masks), and attention does as if the mask was given to it.
#include <gtest/gtest.h>

#include <vector>

#include "systolic/nn/layers/all.h"
#include "systolic/nn/network/network.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"

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
      {"behind other layers",
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
