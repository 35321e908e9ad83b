// Losses, metrics, optimizers and activations refuse what they cannot use: what was got and wanted.
#include <gtest/gtest.h>

#include <functional>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/creation.h"

namespace systolic {
namespace {

struct RefusedCase {
  std::function<void()> make;
  std::vector<std::string> parts;
};

void expect_refused(const std::vector<RefusedCase>& cases) {
  for (const RefusedCase& one : cases) {
    SCOPED_TRACE(one.parts.front());
    expect_parts(error_of(one.make), one.parts);
    EXPECT_THROW(one.make(), InvalidArgument);
  }
}

TEST(WrongMeasures, LossesSayWhichLabelsAndNumbersTheyTake) {
  const Tensor rows = ones({4, 3}), classes = zeros({4}, DType::i32);
  expect_refused({
      {[=] {
         LossFunction("hinge")(ones({4, 2}), rows);
       },
       {"hinge: labels have shape (4, 2), predictions (4, 3)", "the same shape"}},
      {[=] { CosineSimilarity{.axis = 2}(rows, rows); }, {"axis", "2"}},
      {[=] {
         CategoricalFocalCrossentropy{.alpha = {0.5, 0.5}, .from_logits = true}(rows, rows);
       },
       {"alpha has 2 numbers for 3 classes", "one for each class"}},
      {[=] { CategoricalGeneralizedCrossEntropy{.q = 1}(classes, rows); },
       {"q is 1", "between 0 and 1"}},
      {[=] { CategoricalGeneralizedCrossEntropy{}(rows, rows); },
       {"labels have shape (4, 3), predictions (4, 3)", "class numbers"}},
      {[=] { CTC{}(classes, rows); }, {"CTC: labels have shape (4,), predictions (4, 3)"}},
      {[=] { Circle{}(rows, rows); }, {"Circle: labels have shape (4, 3)", "[batch, features]"}},
      {[=] { Dice{.axis = std::vector<int64_t>{3}}(rows, rows); }, {"axis", "3"}},
  });
}

TEST(WrongMeasures, MetricsSayWhichNumbersTheyTake) {
  const Tensor rows = ones({4, 3}), classes = zeros({4}, DType::i32);
  const auto update = [](Metric metric, const Tensor& y_true, const Tensor& y_pred) {
    metric.update_state(y_true, y_pred);
    metric.result();
  };
  expect_refused({
      {[=] { update(RecallAtPrecision{.precision = 1.5}, rows, rows); },
       {"recall_at_precision: precision is 1.5", "from 0 to 1"}},
      {[=] {
         update(SensitivityAtSpecificity{.specificity = 0.5, .num_thresholds = 0}, rows, rows);
       },
       {"num_thresholds is 0", "1 or more"}},
      {[=] { update(IoU{.num_classes = 3, .target_class_ids = {3}}, classes, classes); },
       {"target_class_ids has 3", "classes from 0 to 2"}},
      {[=] { update(MeanIoU{.num_classes = 3}, classes, rows); },
       {"labels have shape (4,), predictions (4, 3)", "sparse_y_pred = false"}},
      {[=] { update(R2Score{.num_regressors = -1}, rows, rows); }, {"num_regressors is -1"}},
      {[=] { update(R2Score{}, ones({4}), ones({4})); },
       {"predictions have shape (4,)", "[batch, n]"}},
  });
}

TEST(WrongMeasures, OptimizersAndSchedulesSayWhichNumbersTheyTake) {
  const auto step = [](const Optimizer& optimizer) {
    optimizer.apply_gradients({ones({2})}, {Variable(ones({2}))});
  };
  expect_refused({
      {[=] { step(Ftrl{.l1_regularization_strength = -1}); },
       {"ftrl: l1_regularization_strength is -1", "0 or more"}},
      {[=] { step(Lion{.beta_1 = 0}); }, {"lion: beta_1 is 0", "more than 0, up to 1"}},
      {[=] { step(Nadam{.beta_2 = 1}); }, {"nadam: beta_2 is 1"}},
      {[=] { step(Muon{.momentum = 2}); }, {"muon: momentum is 2", "from 0 to 1"}},
      {[] {
         CosineDecayRestarts{
             .initial_learning_rate = 0.1, .first_decay_steps = 2, .t_mul = 0}(constant(1.f));
       },
       {"t_mul is 0", "more than 0"}},
      {[] {
         InverseTimeDecay{
             .initial_learning_rate = 0.1, .decay_steps = 0, .decay_rate = 1}(constant(1.f));
       },
       {"decay_steps is 0"}},
      {[] {
         Activation("glu")(ones({2, 3}));
       },
       {"glu of shape (2, 3)", "even size"}},
      {[] { Regularizer{.orthogonal_rows = 1}(ones({2})); }, {"orthogonal", "(2,)", "a matrix"}},
  });
}

// A loss that looks at other rows must not see those that pad a batch.
TEST(WrongMeasures, LossesSayWhetherTheyLookAtOtherRows) {
  EXPECT_TRUE(LossFunction(Circle{}).joins_rows());
  EXPECT_TRUE(LossFunction("dice").joins_rows());
  EXPECT_FALSE(LossFunction(Dice{.axis = std::vector<int64_t>{1, 2}}).joins_rows());
  EXPECT_FALSE(LossFunction("mse").joins_rows());
}

// A matrix whose rows stand at right angles costs nothing; equal rows cost the factor.
TEST(WrongMeasures, AnOrthogonalRegularizerTakesRowsOrColumns) {
  const Tensor apart = constant({{1.f, 0.f, 0.f}, {0.f, 2.f, 0.f}});
  const Tensor alike = constant({{1.f, 2.f}, {2.f, 4.f}});
  EXPECT_NEAR(Regularizer{.orthogonal_rows = 0.5}(apart).item<double>(), 0, 1e-6);
  EXPECT_NEAR(Regularizer{.orthogonal_rows = 0.5}(alike).item<double>(), 0.5, 1e-6);
  EXPECT_NEAR(Regularizer{.orthogonal_columns = 0.5}(alike).item<double>(), 0.5, 1e-6);
}

}  // namespace
}  // namespace systolic
