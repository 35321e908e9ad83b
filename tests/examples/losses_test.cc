// Losses, with the values that Keras's documentation gives or that a page of arithmetic does.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/systolic.h"
#include "tests/examples/matches.h"

namespace systolic {
namespace {

// The example of Keras's pages for losses of one number beside another.
const Tensor& labels() {
  static const Tensor values = constant({{0.f, 1.f}, {0.f, 0.f}});
  return values;
}
const Tensor& near() {
  static const Tensor values = constant({{0.6f, 0.4f}, {0.4f, 0.6f}});
  return values;
}

TEST(LossExamples, ObjectsGiveTheMeanOfTheBatch) {
  const Hinge hinge_loss{.name = "margin"};
  const SquaredHinge squared_hinge_loss{};
  const CategoricalHinge categorical_hinge_loss{};
  const MeanAbsolutePercentageError percentage{};
  const MeanSquaredLogarithmicError logarithmic{};
  const LogCosh smooth{};
  const Poisson rate{};
  const Huber robust{.delta = 1.0};
  expect_numbers(hinge_loss(labels(), near()), {1.3});
  expect_numbers(squared_hinge_loss(labels(), near()), {1.86});
  expect_numbers(categorical_hinge_loss(labels(), near()), {1.4});
  expect_numbers(robust(labels(), near()), {0.155});

  const Tensor ones_and_zeros = constant({{1.f, 1.f}, {0.f, 0.f}});
  expect_numbers(smooth(labels(), ones_and_zeros), {std::log(std::cosh(1.0)) / 4});
  expect_numbers(rate(labels(), ones_and_zeros), {0.5});
  expect_numbers(logarithmic(labels(), constant({{1.f, 1.f}, {1.f, 0.f}})),
                 {std::pow(std::log(2.0), 2) / 2});
  expect_numbers(percentage(constant({{2.f, 1.f}, {2.f, 3.f}}), constant({{1.f, 1.f}, {1.f, 0.f}})),
                 {50});
}

TEST(LossExamples, FunctionsGiveOneNumberForEachRow) {
  const Tensor p = constant({{1.f, 3.f}, {0.f, 0.f}});
  const double log_cosh_of_2 = std::log(std::cosh(2.0)), log_cosh_of_1 = std::log(std::cosh(1.0));
  struct Case {
    const char* name;
    Tensor found;
    std::vector<double> wanted;
  };
  const Case cases[] = {
      {"mean_absolute_error", mean_absolute_error(labels(), p), {1.5, 0}},
      {"huber", huber(labels(), p, 1.0), {(0.5 + 1.5) / 2, 0}},
      {"log_cosh", log_cosh(labels(), p), {(log_cosh_of_1 + log_cosh_of_2) / 2, 0}},
      {"poisson", poisson(labels(), p), {(1 + 3 - std::log(3.0)) / 2, 0}},
      {"hinge", hinge(labels(), near()), {(1.6 + 0.6) / 2, (1.4 + 1.6) / 2}},
      {"squared_hinge", squared_hinge(labels(), near()), {(2.56 + 0.36) / 2, (1.96 + 2.56) / 2}},
      {"categorical_hinge", categorical_hinge(labels(), near()), {1.2, 1.6}},
      {"cosine_similarity",
       cosine_similarity(constant({{0.f, 1.f}, {1.f, 1.f}}), constant({{1.f, 0.f}, {1.f, 1.f}})),
       {0, -1}},
      {"mean_absolute_percentage_error",
       mean_absolute_percentage_error(constant({{2.f, 4.f}}), constant({{1.f, 5.f}})),
       {(50 + 25) / 2.0}},
      {"mean_squared_logarithmic_error",
       mean_squared_logarithmic_error(constant({{0.f, 1.f}}), constant({{1.f, 1.f}})),
       {std::pow(std::log(2.0), 2) / 2}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    expect_numbers(c.found, c.wanted);
  }
}

TEST(LossExamples, WhatIsEasyCountsLittleInFocalLosses) {
  const BinaryFocalCrossentropy focal{.gamma = 2, .from_logits = true};
  expect_numbers(focal(constant({0.f, 1.f, 0.f, 0.f}), constant({-18.6f, 0.51f, 2.94f, -12.8f})),
                 {0.691},
                 5e-4);  // Keras's page gives three digits

  const ClassFactors rarer_counts_more = {0.2, 0.8};
  const CategoricalFocalCrossentropy weighted{.alpha = rarer_counts_more, .gamma = 2};
  expect_numbers(weighted(constant({{0.f, 1.f}}), constant({{0.25f, 0.75f}})),
                 {0.8 * 0.25 * 0.25 * -std::log(0.75)});
}

TEST(LossExamples, TverskyWeighsWhatIsMissedAndWhatIsSaidInError) {
  const Tversky loss{.alpha = 0.3, .beta = 0.7};
  // The overlap is 1.5; 0.5 was missed, and 0.5 said in error.
  const Tensor y = constant({{1.f, 1.f, 0.f, 0.f}}), p = constant({{1.f, 0.5f, 0.5f, 0.f}});
  expect_numbers(loss(y, p), {1 - 1.5 / (1.5 + 0.3 * 0.5 + 0.7 * 0.5)});
}

TEST(LossExamples, OptionsOfTheCrossEntropyFunctions) {
  const CrossentropyOptions logits{.from_logits = true};
  const Tensor scores = constant({{0.f, std::log(3.f)}});
  expect_numbers(sparse_categorical_crossentropy(constant({1}), scores, logits), {-std::log(0.75)});
  // A probability of 0 for the right class is taken for epsilon.
  expect_numbers(sparse_categorical_crossentropy(constant({1}), constant({{1.f, 0.f}})),
                 {-std::log(crossentropy_epsilon)}, 1e-3);
}

TEST(LossExamples, AveragesOverTheGlobalBatch) {
  const AverageLossOptions of_six{.sample_weight = constant({1.f, 1.f, 2.f}),
                                  .global_batch_size = 6};
  expect_numbers(compute_average_loss(constant({1.f, 2.f, 3.f}), of_six), {9.0 / 6});
}

// A loss of one's own: an object with `values` and `reduction`.
struct CubicError {
  Reduction reduction = "sum";
  Tensor values(const Tensor& y_true, const Tensor& y_pred) const {
    return mean(pow(abs(y_true - y_pred), 3.0), {.axis = -1});
  }
};

TEST(LossExamples, AnyObjectOrFunctionOfLabelsAndPredictionsIsALoss) {
  static_assert(LossSpec<CubicError> && LossSpec<Hinge>);
  const auto difference = [](const Tensor& y, const Tensor& p) { return abs(y - p); };
  static_assert(LossCallable<decltype(difference)>);

  const LossFunction own = CubicError{};
  expect_numbers(own(constant({{0.f}, {1.f}}), constant({{2.f}, {2.f}})), {8 + 1});
  EXPECT_FALSE(own.is_function());
  EXPECT_TRUE(LossFunction(difference).is_function());

  const std::optional<ClassLabels> classes =
      LossFunction(SparseCategoricalCrossentropy{.ignore_class = 7}).class_labels();
  ASSERT_TRUE(classes.has_value());
  EXPECT_EQ(classes->axis, -1);
  EXPECT_EQ(classes->ignored, 7);
}

}  // namespace
}  // namespace systolic
