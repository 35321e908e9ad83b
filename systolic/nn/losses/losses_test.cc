// Losses against plain loops in double.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "systolic/base/error.h"
#include "systolic/base/test_log.h"
#include "systolic/nn/activation.h"
#include "systolic/nn/layers/activations/softmax.h"
#include "systolic/nn/losses/compute_average_loss.h"
#include "systolic/nn/losses/crossentropy/binary_crossentropy.h"
#include "systolic/nn/losses/crossentropy/categorical_crossentropy.h"
#include "systolic/nn/losses/crossentropy/sparse_categorical_crossentropy.h"
#include "systolic/nn/losses/huber.h"
#include "systolic/nn/losses/kl_divergence.h"
#include "systolic/nn/losses/mean_absolute_error.h"
#include "systolic/nn/losses/mean_squared_error.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/layer_scope.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic {
namespace {

using Row = std::vector<double>;

// Two examples of three classes.
const std::vector<Row> scores{{1.5, -0.5, 0.25}, {-2, 3, 0.5}};
const std::vector<Row> probabilities{{0.7, 0.1, 0.2}, {0.05, 0.9, 0.05}};
const std::vector<Row> one_hots{{0, 0, 1}, {0, 1, 0}};
const std::vector<int> classes{2, 1};

Tensor tensor(const std::vector<Row>& rows) {
  std::vector<float> values;
  for (const Row& row : rows) values.insert(values.end(), row.begin(), row.end());
  return constant(Literal::from(
      values, {static_cast<int64_t>(rows.size()), static_cast<int64_t>(rows[0].size())}));
}

Row softmax_of(const Row& row) {
  double total = 0;
  Row result;
  for (const double x : row) total += std::exp(x);
  for (const double x : row) result.push_back(std::exp(x) / total);
  return result;
}

struct Case {
  const char* name;
  LossFunction loss;
  std::vector<Row> labels, predictions;
  std::function<double(const Row& y, const Row& p)> of_example;
};

std::vector<Case> cases() {
  const auto mean_over = [](auto element) {
    return [element](const Row& y, const Row& p) {
      double total = 0;
      for (size_t i = 0; i < y.size(); ++i) total += element(y[i], p[i]);
      return total / static_cast<double>(y.size());
    };
  };
  const auto cross = [](const Row& y, const Row& p) {
    double total = 0;
    for (size_t i = 0; i < y.size(); ++i) total -= y[i] * std::log(p[i]);
    return total;
  };
  const auto binary = [](double y, double p) {
    return -y * std::log(p) - (1 - y) * std::log(1 - p);
  };
  const auto sigmoid_of = [](double x) { return 1 / (1 + std::exp(-x)); };
  return {
      {"mse", "mse", one_hots, scores,
       mean_over([](double y, double p) { return (y - p) * (y - p); })},
      {"mae", "mae", one_hots, scores,
       mean_over([](double y, double p) { return std::abs(y - p); })},
      {"huber", Huber{.delta = 0.6}, one_hots, scores, mean_over([](double y, double p) {
         const double d = std::abs(y - p);
         return d <= 0.6 ? 0.5 * d * d : 0.6 * d - 0.18;
       })},
      {"categorical", "categorical_crossentropy", one_hots, probabilities, cross},
      {"categorical from logits", CategoricalCrossentropy{.from_logits = true}, one_hots, scores,
       [=](const Row& y, const Row& p) { return cross(y, softmax_of(p)); }},
      {"categorical, smoothed",
       CategoricalCrossentropy{.from_logits = true, .label_smoothing = 0.3}, one_hots, scores,
       [=](const Row& y, const Row& p) {
         Row smooth = y;
         for (double& value : smooth) value = value * 0.7 + 0.1;
         return cross(smooth, softmax_of(p));
       }},
      {"binary", "binary_crossentropy", one_hots, probabilities, mean_over(binary)},
      {"binary from logits", BinaryCrossentropy{.from_logits = true, .label_smoothing = 0.2},
       one_hots, scores,
       mean_over([=](double y, double x) { return binary(0.8 * y + 0.1, sigmoid_of(x)); })},
      {"kl",
       "kl_divergence",
       {{0.2, 0.3, 0.5}, {0.6, 0.3, 0.1}},
       probabilities,
       [](const Row& y, const Row& p) {
         double total = 0;
         for (size_t i = 0; i < y.size(); ++i) total += y[i] * std::log(y[i] / p[i]);
         return total;
       }},
      {"own function", [](const Tensor& y, const Tensor& p) { return mean_squared_error(y, p); },
       one_hots, scores, mean_over([](double y, double p) { return (y - p) * (y - p); })},
  };
}

TEST(LossesTest, ValuesReductionsAndWeights) {
  const Row weights{0.5, 2};
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const Tensor y = tensor(one.labels), p = tensor(one.predictions);
    const double first = one.of_example(one.labels[0], one.predictions[0]);
    const double second = one.of_example(one.labels[1], one.predictions[1]);
    const Literal values = one.loss.values(y, p).literal();
    ASSERT_EQ(values.shape(), Shape{2});
    EXPECT_NEAR(values.number_at(0), first, 1e-5);
    EXPECT_NEAR(values.number_at(1), second, 1e-5);
    EXPECT_NEAR(one.loss(y, p).item<double>(), (first + second) / 2, 1e-5);
    const Tensor weight = constant({0.5f, 2.f});
    EXPECT_NEAR(one.loss(y, p, {.sample_weight = weight}).item<double>(),
                (0.5 * first + 2 * second) / 2, 1e-5);
    // A masked example does not count in the average.
    EXPECT_NEAR(one.loss(y, p, {.mask = constant({false, true})}).item<double>(), second, 1e-5);
  }
}

TEST(LossesTest, SparseLabelsGiveTheCategoricalLoss) {
  const Tensor labels = constant({2, 1}), p = tensor(probabilities), x = tensor(scores);
  const Literal of_logits =
      sparse_categorical_crossentropy(labels, x, {.from_logits = true}).literal();
  const Literal of_probabilities = sparse_categorical_crossentropy(labels, p).literal();
  for (size_t i = 0; i < 2; ++i) {
    const auto at = static_cast<size_t>(classes[i]);
    EXPECT_NEAR(of_logits.number_at(static_cast<int64_t>(i)), -std::log(softmax_of(scores[i])[at]),
                1e-5);
    EXPECT_NEAR(of_probabilities.number_at(static_cast<int64_t>(i)),
                -std::log(probabilities[i][at]), 1e-5);
  }
  EXPECT_EQ(
      sparse_categorical_crossentropy(constant({{2}, {1}}), x, {.from_logits = true}).literal(),
      of_logits);
}

TEST(LossesTest, ALabelOutOfRangeGivesNaNAndAnIgnoredOneNothing) {
  const Tensor x = tensor(scores);
  const Literal losses =
      sparse_categorical_crossentropy(constant({3, -1}), x, {.from_logits = true}).literal();
  EXPECT_TRUE(std::isnan(losses.number_at(0)));
  EXPECT_TRUE(std::isnan(losses.number_at(1)));
  const SparseCategoricalCrossentropy ignoring{.from_logits = true, .ignore_class = -1};
  const Literal kept = ignoring.values(constant({2, -1}), x).literal();
  EXPECT_NEAR(kept.number_at(0), -std::log(softmax_of(scores[0])[2]), 1e-5);
  EXPECT_EQ(kept.number_at(1), 0);
}

// A product is not a probability, and a softmax over one number says nothing.
TEST(LossesTest, WhatNothingIsLearntFromIsSaid) {
  using Make = Tensor (*)(const Tensor& x, const Tensor& y);
  const struct {
    Make make;
    const char* said;  // nullptr: nothing
  } table[] = {
      {[](const Tensor& x, const Tensor& y) { return binary_crossentropy(y, matmul(x, x)); },
       "without an activation, of layer 'row_0' ("},
      {[](const Tensor& x, const Tensor& y) {
         return categorical_crossentropy(y, matmul(x, x) + constant({1.f, 2.f}));
       },
       ".activation = \"softmax\", or from_logits = true"},
      {[](const Tensor& x, const Tensor&) {
         return sparse_categorical_crossentropy(constant({0, 1}), cast(matmul(x, x), DType::bf16));
       },
       "sparse_categorical_crossentropy takes probabilities"},
      {[](const Tensor& x, const Tensor& y) { return kl_divergence(y, matmul(x, x)); },
       "kl_divergence takes probabilities"},
      {[](const Tensor& x, const Tensor& y) {
         return binary_crossentropy(y, matmul(x, x), {.from_logits = true});
       },
       nullptr},
      {[](const Tensor& x, const Tensor& y) {
         return binary_crossentropy(y, sigmoid(matmul(x, x)));
       },
       nullptr},
      {[](const Tensor& x, const Tensor& y) { return binary_crossentropy(y, x); }, nullptr},
      {[](const Tensor& x, const Tensor& y) {
         return categorical_crossentropy(sum(y, {.axis = 1, .keepdims = true}),
                                         sigmoid(sum(x, {.axis = 1, .keepdims = true})));
       },
       "categorical_crossentropy of layer 'row_7' over an axis of size 1 ((2, 1), axis 1)"},
      {[](const Tensor& x, const Tensor&) {
         return sparse_categorical_crossentropy(
             constant({0, 0}), sum(x, {.axis = 1, .keepdims = true}), {.from_logits = true});
       },
       "binary_crossentropy is for one number"},
      {[](const Tensor& x, const Tensor&) {
         return Activation("softmax")(sum(x, {.axis = 1, .keepdims = true}));
       },
       "softmax of layer 'row_9' over an axis of size 1"},
      {[](const Tensor& x, const Tensor&) {
         return Activation("log_softmax")(sum(x, {.axis = 1, .keepdims = true}));
       },
       "log_sigmoid is for one number"},
      {[](const Tensor& x, const Tensor&) {
         return Softmax{.axis = 1}(sum(x, {.axis = 1, .keepdims = true}));
       },
       "sigmoid is for one number"},
      {[](const Tensor& x, const Tensor&) { return Softmax{}(x); }, nullptr},
  };
  const Tensor x = constant({{1.f, 2.f}, {3.f, 5.f}});
  int row = 0;
  for (const auto& [make, said] : table) {
    const CaughtLog log;
    const LayerScope layer(str("row_", row++));  // each line is said once
    const Make made = make;
    function([&](const Tensor& given) { return made(given, given); })(x);
    if (said == nullptr) {
      EXPECT_EQ(log.lines(), "") << row;
    } else {
      EXPECT_NE(log.lines().find(said), std::string::npos) << row << log.lines();
    }
  }
}

// Infinities and NaN count nothing where a mask leaves them out, and are seen where it does not.
// Logits, taken from a compiled step: what a sigmoid or a softmax gave is said.
TEST(LossesTest, ProbabilitiesThatAreTakenForLogitsAreSaid) {
  using Make = Tensor (*)(const Tensor&);
  const struct {
    const char* loss;
    Make make;
    const char* said;  // nullptr: nothing
  } table[] = {
      {"sparse", [](const Tensor& x) { return softmax(x); }, "output of a softmax"},
      {"sparse", [](const Tensor& x) { return cast(softmax(x), DType::bf16); }, "a softmax"},
      {"sparse", [](const Tensor& x) { return x * 2; }, nullptr},
      {"categorical", [](const Tensor& x) { return softmax(x, 1); }, "output of a softmax"},
      {"binary", [](const Tensor& x) { return sigmoid(x); }, "output of a sigmoid"},
      {"binary", [](const Tensor& x) { return exp(x) / 3; }, nullptr},
      {"binary", [](const Tensor& x) { return tanh(x); }, nullptr},
  };
  const Tensor x = constant({{1.f, 2.f}, {3.f, 5.f}});
  int row = 0;
  for (const auto& [loss, make, said] : table) {
    const CaughtLog log;
    const LayerScope layer(str("layer_", row++));  // each line is said once
    const std::string name = loss;
    const Make made = make;
    auto step = function([&](const Tensor& given) {
      const Tensor scores = made(given);
      if (name == "sparse")
        return sparse_categorical_crossentropy(constant({0, 1}), scores, {.from_logits = true});
      if (name == "binary") return binary_crossentropy(given, scores, {.from_logits = true});
      return categorical_crossentropy(given, scores, {.from_logits = true});
    });
    step(x);
    if (said == nullptr) {
      EXPECT_EQ(log.lines(), "") << row;
    } else {
      EXPECT_NE(log.lines().find(said), std::string::npos) << row << log.lines();
      EXPECT_NE(log.lines().find("leave the activation out"), std::string::npos);
    }
  }
}

TEST(LossesTest, WhatIsMaskedMayBeAnything) {
  const Tensor losses = constant({1.f, INFINITY, NAN});
  const LossOptions first{.mask = constant({true, false, false})};
  const LossOptions weighted{.sample_weight = constant({2.f, 0.f, 1.f}), .mask = first.mask};
  for (const Reduction reduction : {Reduction("sum_over_batch_size"), Reduction("sum")}) {
    EXPECT_EQ(reduce_losses(losses, reduction, first).item<float>(), 1);
    EXPECT_EQ(reduce_losses(losses, reduction, weighted).item<float>(), 2);
    const LossOptions two{.mask = constant({true, true, false})};
    EXPECT_TRUE(std::isinf(reduce_losses(losses, reduction, two).item<float>()));
    const LossOptions all{.mask = constant({true, true, true})};
    EXPECT_TRUE(std::isnan(reduce_losses(losses, reduction, all).item<float>()));
    const LossOptions none{.mask = constant({false, false, false})};
    EXPECT_EQ(reduce_losses(losses, reduction, none).item<float>(), 0);
  }
}

TEST(LossesTest, TheClassesMayLieAlongAnotherAxis) {
  const std::vector<float> values{1.5f, -2, -0.5f, 3, 0.25f, 0.5f, 2, 1, 0, -1, 1, 0};
  const Tensor x = constant(Literal::from(values, {2, 3, 2}));  // [batch, classes, time]
  const Tensor labels = constant({{2, 0}, {0, 1}});
  const SparseCategoricalCrossentropy second{.from_logits = true, .ignore_class = 1, .axis = 1};
  const SparseCategoricalCrossentropy last{.from_logits = true, .ignore_class = 1};
  EXPECT_EQ(second(labels, x).literal(), last(labels, transpose(x, {0, 2, 1})).literal());
  EXPECT_EQ(second.values(labels, x).literal(),
            last.values(labels, transpose(x, {0, 2, 1})).literal());
}

TEST(LossesTest, ProbabilitiesOfZeroStayFinite) {
  const Tensor p = tensor({{0, 1}});
  EXPECT_NEAR(sparse_categorical_crossentropy(constant({0}), p).item<double>(), -std::log(1e-7),
              1e-3);
  EXPECT_NEAR(binary_crossentropy(tensor({{1, 0}}), p).item<double>(), -std::log(1e-7), 1e-1);
}

TEST(LossesTest, AverageLossDividesByTheGlobalBatch) {
  const Tensor losses = constant({1.f, 2.f, 3.f, 6.f});
  EXPECT_EQ(compute_average_loss(losses).item<float>(), 3);
  EXPECT_EQ(compute_average_loss(losses, {.global_batch_size = 8}).item<float>(), 1.5f);
  const Tensor weight = constant({1.f, 0.f, 1.f, 0.f});
  EXPECT_EQ(compute_average_loss(losses, {.sample_weight = weight}).item<float>(), 1);
  EXPECT_THROW(compute_average_loss(constant(1.f)), InvalidArgument);
}

TEST(LossesTest, WrongShapesAndNamesSayWhatIsWanted) {
  try {
    LossFunction("mse")(constant({1.f, 2.f, 3.f}), constant({1.f, 2.f}));
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.kind().c_str(), "InvalidArgument");
    EXPECT_NE(std::string(error.what()).find("labels have shape (3,), predictions (2,)"),
              std::string::npos);
  }
  try {
    LossFunction::parse("binary_crossentrop");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'binary_crossentropy'"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace systolic
