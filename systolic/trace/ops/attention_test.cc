// Attention against loops in double precision.
#include "systolic/trace/ops/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic {
namespace {

constexpr int64_t batch = 2, target = 3, source = 4, heads = 2, size = 5, value_size = 3;

// Numbers from -2 to 2, other ones for each `turn`.
Literal numbers(const Shape& shape, int turn) {
  Literal literal(DType::f32, shape);
  auto data = literal.mutable_data<float>();
  for (size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<float>((i * 37 + static_cast<size_t>(turn) * 17) % 41) / 10 - 2;
  }
  return literal;
}

Literal truths(const Shape& shape, int turn) {
  Literal literal(DType::pred, shape);
  auto data = literal.mutable_data<bool>();
  for (size_t i = 0; i < data.size(); ++i) data[i] = (i * 7 + static_cast<size_t>(turn)) % 3 != 0;
  return literal;
}

struct Place {
  int64_t example, head, from, to;
};

struct Expected {
  std::vector<double> output, weights;
};

Expected by_loops(const Literal& q, const Literal& k, const Literal& v, double scale,
                  const std::function<double(Place)>& bias) {
  Expected result;
  result.output.resize(batch * target * heads * value_size);
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t t = 0; t < target; ++t) {
        std::vector<double> scores(source);
        double total = 0;
        for (int64_t s = 0; s < source; ++s) {
          double product = 0;
          for (int64_t d = 0; d < size; ++d) {
            product += q.number_at(((b * target + t) * heads + h) * size + d) *
                       k.number_at(((b * source + s) * heads + h) * size + d);
          }
          scores[static_cast<size_t>(s)] = std::exp(product * scale + bias({b, h, t, s}));
          total += scores[static_cast<size_t>(s)];
        }
        for (int64_t s = 0; s < source; ++s) {
          const double weight = scores[static_cast<size_t>(s)] / total;
          result.weights.push_back(weight);
          for (int64_t d = 0; d < value_size; ++d) {
            result.output[static_cast<size_t>(((b * target + t) * heads + h) * value_size + d)] +=
                weight * v.number_at(((b * source + s) * heads + h) * value_size + d);
          }
        }
      }
    }
  }
  return result;
}

void expect_near(const Literal& got, const std::vector<double>& wanted, double within) {
  ASSERT_EQ(got.size(), static_cast<int64_t>(wanted.size()));
  for (int64_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(got.number_at(i), wanted[static_cast<size_t>(i)], within) << i;
  }
}

struct Case {
  std::string name;
  AttentionOptions options;
  std::function<double(Place)> bias;
};

constexpr double hidden = -1e4;  // exp() of it is 0

std::vector<Case> cases() {
  const Literal padding = truths({batch, source}, 1), each = truths({batch, target, source}, 2);
  const Literal full = truths({batch, heads, target, source}, 1);
  const Literal shared = truths({1, 1, target, source}, 0);
  const Literal added = numbers({1, heads, target, source}, 3);
  const auto hides = [](const Literal& mask, int64_t at) {
    return mask.number_at(at) != 0 ? 0 : hidden;
  };
  return {
      {"plain", {}, [](Place) { return 0.0; }},
      {"scale", {.scale = 0.25}, [](Place) { return 0.0; }},
      {"padding",
       {.mask = Tensor(padding)},
       [=](Place p) { return hides(padding, p.example * source + p.to); }},
      {"a mask for all heads",
       {.mask = Tensor(each)},
       [=](Place p) { return hides(each, (p.example * target + p.from) * source + p.to); }},
      {"a mask for each head",
       {.mask = Tensor(full)},
       [=](Place p) {
         return hides(full, ((p.example * heads + p.head) * target + p.from) * source + p.to);
       }},
      {"a mask for all examples",
       {.mask = Tensor(shared)},
       [=](Place p) { return hides(shared, p.from * source + p.to); }},
      {"causal", {.causal = true}, [](Place p) { return p.to > p.from ? hidden : 0; }},
      {"causal, padding and bias",
       {.mask = Tensor(padding), .bias = Tensor(added), .causal = true},
       [=](Place p) {
         return (p.to > p.from ? hidden : hides(padding, p.example * source + p.to)) +
                added.number_at((p.head * target + p.from) * source + p.to);
       }},
  };
}

TEST(Attention, IsTheSoftmaxOfTheScoresTimesTheValues) {
  const Literal q = numbers({batch, target, heads, size}, 0);
  const Literal k = numbers({batch, source, heads, size}, 1);
  const Literal v = numbers({batch, source, heads, value_size}, 2);
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const double scale = one.options.scale.value_or(1 / std::sqrt(static_cast<double>(size)));
    const Expected wanted = by_loops(q, k, v, scale, one.bias);
    AttentionOptions options = one.options;
    Tensor weights;
    options.weights = &weights;
    const Tensor y = scaled_dot_product_attention(q, k, v, options);
    EXPECT_EQ(y.shape(), Shape({batch, target, heads, value_size}));
    EXPECT_EQ(weights.shape(), Shape({batch, heads, target, source}));
    // Scores below 10 keep 10 * 2^-24 of error, which exp() makes relative; sums of 4.
    expect_near(y.literal(), wanted.output, 1e-5);
    expect_near(weights.literal(), wanted.weights, 1e-5);
  }
}

TEST(Attention, OfNarrowFloatsKeepsTheirTypeAndItsSoftmaxInF32) {
  const auto narrow = [](const Literal& x) { return x.convert(DType::bf16); };
  const Literal q = narrow(numbers({batch, target, heads, size}, 0));
  const Literal k = narrow(numbers({batch, source, heads, size}, 1));
  const Literal v = narrow(numbers({batch, source, heads, value_size}, 2));
  const Tensor y = scaled_dot_product_attention(q, k, v, {.scale = 0.5});
  EXPECT_EQ(y.dtype(), DType::bf16);
  // The scale is exact and the scores are not rounded. The probabilities are, by 2^-9 of each, and
  // so is the result: values up to 2, so 2 * (2^-9 + 2^-9).
  const Expected wanted = by_loops(q, k, v, 0.5, [](Place) { return 0.0; });
  expect_near(y.literal(), wanted.output, 4 * 0x1p-9);
}

TEST(Attention, OfNothingIsNothing) {
  struct Row {
    int64_t batch, target, heads;
  };
  for (const Row& row : {Row{0, target, heads}, Row{batch, 0, heads}, Row{batch, target, 0}}) {
    const Shape keys{row.batch, source, row.heads, size};
    const Tensor y = scaled_dot_product_attention(zeros({row.batch, row.target, row.heads, size}),
                                                  zeros(keys), zeros(keys));
    EXPECT_EQ(y.literal().shape(), (Shape{row.batch, row.target, row.heads, size}));
  }
}

TEST(Attention, ThatMayAttendToNothingAttendsToAllAlike) {
  const Literal nothing = Literal::filled(DType::pred, {batch, source}, 0);
  Tensor weights;
  scaled_dot_product_attention(numbers({batch, target, heads, size}, 0),
                               numbers({batch, source, heads, size}, 1),
                               numbers({batch, source, heads, value_size}, 2),
                               {.mask = Tensor(nothing), .weights = &weights});
  expect_near(weights.literal(), std::vector<double>(batch * heads * target * source, 0.25), 1e-6);
}

// With the unit matrix as the values the output is the probabilities after dropout.
TEST(Attention, DropsProbabilitiesAndScalesTheOthers) {
  const int64_t wide = 64;
  const Literal key = numbers({1, wide, 1, size}, 1);
  const Tensor values = reshape(eye(wide), {1, wide, 1, wide});
  const Tensor dropout_key = Tensor(Literal::of<uint64_t>({7, 0}));
  Tensor weights;
  AttentionOptions options{.dropout_rate = 0.25, .dropout_key = dropout_key, .weights = &weights};
  const Literal got = scaled_dot_product_attention(key, key, values, options).literal();
  const Literal kept = weights.literal();
  int64_t dropped = 0;
  for (int64_t i = 0; i < got.size(); ++i) {
    if (got.number_at(i) == 0) {
      ++dropped;
    } else {
      EXPECT_NEAR(got.number_at(i), kept.number_at(i) / 0.75, 1e-6) << i;
    }
  }
  // 4096 draws: a deviation of 27.7; five of them.
  EXPECT_NEAR(static_cast<double>(dropped), 0.25 * 4096, 139);
  const Literal again = scaled_dot_product_attention(key, key, values, options).literal();
  for (int64_t i = 0; i < got.size(); ++i) EXPECT_EQ(got.number_at(i), again.number_at(i));
}

TEST(Attention, SaysWhatDoesNotFit) {
  struct Wrong {
    Shape query, key, value;
    AttentionOptions options;
    std::string part;
  };
  const Shape q{2, 3, 2, 5}, k{2, 4, 2, 5}, v{2, 4, 2, 3};
  const auto mask = [](const Shape& shape) {
    return Tensor(Literal::filled(DType::pred, shape, 1));
  };
  const Wrong wrongs[] = {
      {{2, 3, 5}, k, v, {}, "(2, 3, 5)"},
      {q, {2, 4, 2, 6}, v, {}, "(2, 4, 2, 6)"},
      {q, k, {2, 5, 2, 3}, {}, "(2, 5, 2, 3)"},
      {q, k, v, {.mask = mask({2, 5})}, "mask of shape (2, 1, 1, 5)"},
      {q, k, v, {.mask = mask({2, 4, 3})}, "mask of shape (2, 1, 4, 3)"},
      {q, k, v, {.mask = zeros({2, 4})}, "pred"},
      {q, k, v, {.bias = zeros({2, 3, 3, 4})}, "bias of shape (2, 3, 3, 4)"},
      {q, k, v, {.dropout_rate = 1.5}, "dropout_rate is 1.5"},
  };
  for (const Wrong& one : wrongs) {
    try {
      scaled_dot_product_attention(zeros(one.query), zeros(one.key), zeros(one.value), one.options);
      ADD_FAILURE() << "nothing thrown, wanted " << one.part;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(one.part), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace systolic
