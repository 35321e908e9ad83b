// use_ema, loss_scale_factor, LossScaleOptimizer and MultiOptimizer.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/nn/optimizers/adam.h"
#include "systolic/nn/optimizers/common/loss_scale_optimizer.h"
#include "systolic/nn/optimizers/common/multi_optimizer.h"
#include "systolic/nn/optimizers/sgd.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic {
namespace {

Variable moved_variable(const char* name = "v") {
  return Variable(Tensor(Literal::of<float>({1, -2, 0.5})), {.name = name});
}

// The gradient of step i, as the recipe below has it.
Tensor step_gradient(int i, double factor = 1) {
  const double share = (1 + 0.25 * i) * factor;
  return Tensor(Literal::of<float>({float(0.5 * share), float(-share), float(2 * share)}));
}

void expect_values(const Variable& variable, const std::vector<double>& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(variable.literal().number_at(static_cast<int64_t>(i)), wanted[i], 1e-6) << i;
}

struct AverageCase {
  Optimizer optimizer;
  std::vector<double> value, average;
};

// Keras 3.15: opt.apply([[0.5, -1, 2] * (1 + 0.25 i)], [v]) for i = 0 to 4, from [1, -2, 0.5].
TEST(Averages, AreThoseOfKeras) {
  const AverageCase cases[] = {
      {SGD{.learning_rate = 0.1, .use_ema = true, .ema_momentum = 0.9},
       {0.625, -1.25, -1.0},
       {0.8815561533, -1.7631123066, 0.0262249410}},
      {SGD{.learning_rate = 0.1,
           .use_ema = true,
           .ema_momentum = 0.9,
           .ema_overwrite_frequency = 2},
       {0.8207499385, -1.6414998770, -0.2170000225},
       {0.9107499719, -1.8214999437, 0.1429999769}},
      {Adam{.learning_rate = 0.1,
            .clipping = {.clipnorm = 1.0},
            .gradient_accumulation_steps = 2,
            .use_ema = true,
            .ema_momentum = 0.5,
            .ema_overwrite_frequency = 3},
       {0.8250036240, -1.8250025511, 0.3250020146},
       {0.8250036240, -1.8250025511, 0.3250020146}},
  };
  for (const AverageCase& one : cases) {
    const Variable v = moved_variable();
    for (int i = 0; i < 5; ++i) one.optimizer.apply_gradients({step_gradient(i)}, {v});
    expect_values(v, one.value);
    one.optimizer.swap_averages();
    expect_values(v, one.average);
    one.optimizer.swap_averages();
    expect_values(v, one.value);
    one.optimizer.finalize_variable_values({v});
    expect_values(v, one.average);
  }
}

TEST(LossScale, IsDividedOut) {
  const Optimizer optimizer = SGD{.learning_rate = 0.1, .loss_scale_factor = 4.0};
  EXPECT_EQ(optimizer.scale_loss(constant(2.f)).item<float>(), 8);
  const Variable v = moved_variable();
  for (int i = 0; i < 5; ++i) optimizer.apply_gradients({step_gradient(i)}, {v});
  expect_values(v, {0.90625, -1.8125, 0.125});
  EXPECT_FALSE(SGD{}.loss_scale_factor.has_value());
}

// By hand: five steps at scales 8, 8, 16, 8, 8; the third's gradients are not numbers.
TEST(LossScale, IsFoundWhileTraining) {
  const Optimizer optimizer = LossScaleOptimizer{
      .inner_optimizer = SGD{.learning_rate = 0.1}, .initial_scale = 8, .dynamic_growth_steps = 2};
  const Variable v = moved_variable();
  const float scales[] = {8, 8, 16, 8, 8};
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(optimizer.scale_loss(constant(1.f)).item<float>(), scales[i]);
    optimizer.apply_gradients({step_gradient(i, i == 2 ? NAN : 8)}, {v});
  }
  expect_values(v, {0.7, -1.4, -0.7});
  EXPECT_EQ(optimizer.iterations().item<int32_t>(), 4);
  EXPECT_EQ(optimizer.scale_loss(constant(1.f)).item<float>(), 16);
  EXPECT_EQ(optimizer.get_config()["config"]["inner_optimizer"]["class_name"], Config("SGD"));
  const Optimizer read = Optimizer::from_config(optimizer.get_config());
  EXPECT_EQ(read.get_config(), optimizer.get_config());
}

TEST(MultiOptimizer, SendsEachVariableToItsOwn) {
  const Optimizer optimizer = MultiOptimizer{
      .default_optimizer = SGD{.learning_rate = 0.1},
      .optimizers = {{"encoder/.*", SGD{.learning_rate = 1}}, {"head", SGD{.learning_rate = 10}}}};
  const Variable a = moved_variable("encoder/dense/kernel"), b = moved_variable("head"),
                 c = moved_variable("encoder");
  const std::vector<Variable> all{a, b, c};
  optimizer.apply_gradients({step_gradient(0), step_gradient(0), step_gradient(0)}, all);
  expect_values(a, {0.5, -1, -1.5});
  expect_values(b, {-4, 8, -19.5});
  expect_values(c, {0.95, -1.9, 0.3});
  EXPECT_EQ(Optimizer::from_config(optimizer.get_config()).get_config(), optimizer.get_config());
  const Optimizer twice = MultiOptimizer{.default_optimizer = SGD{},
                                         .optimizers = {{"enc.*", Adam{}}, {".*der", Adam{}}}};
  EXPECT_THROW(twice.apply_gradients({step_gradient(0)}, {c}), InvalidArgument);
}

TEST(OptimizerFields, AreChecked) {
  EXPECT_THROW(Optimizer(SGD{.use_ema = true, .ema_momentum = 2}), InvalidArgument);
  EXPECT_THROW(Optimizer(SGD{.use_ema = true, .ema_overwrite_frequency = 0}), InvalidArgument);
  EXPECT_THROW(Optimizer(SGD{.loss_scale_factor = 0.0}), InvalidArgument);
  EXPECT_THROW(Optimizer(Adam{.lazy_rows = true, .loss_scale_factor = 2.0}), InvalidArgument);
  EXPECT_THROW(Optimizer(MultiOptimizer{.default_optimizer = SGD{}, .optimizers = {{"(", SGD{}}}}),
               InvalidArgument);
  EXPECT_THROW(Optimizer(LossScaleOptimizer{.inner_optimizer = SGD{}, .initial_scale = 0}),
               InvalidArgument);
  EXPECT_THROW(Optimizer(LossScaleOptimizer{.inner_optimizer =
                                                LossScaleOptimizer{.inner_optimizer = SGD{}}}),
               InvalidArgument);
  EXPECT_THROW(Optimizer(SGD{}).swap_averages(), FailedPrecondition);
}

}  // namespace
}  // namespace systolic
