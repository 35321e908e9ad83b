// Three steps of each optimizer against its formula, element by element in double.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/nn/optimizers/adagrad.h"
#include "systolic/nn/optimizers/adam.h"
#include "systolic/nn/optimizers/adamw.h"
#include "systolic/nn/optimizers/lamb.h"
#include "systolic/nn/optimizers/rmsprop.h"
#include "systolic/nn/optimizers/schedule_free_adamw.h"
#include "systolic/nn/optimizers/schedules/cosine_decay.h"
#include "systolic/nn/optimizers/schedules/exponential_decay.h"
#include "systolic/nn/optimizers/schedules/piecewise_constant_decay.h"
#include "systolic/nn/optimizers/schedules/polynomial_decay.h"
#include "systolic/nn/optimizers/schedules/scale_learning_rate.h"
#include "systolic/nn/optimizers/schedules/warm_up.h"
#include "systolic/nn/optimizers/sgd.h"
#include "systolic/trace/ops/creation.h"

namespace systolic {
namespace {

using Values = std::vector<double>;

const Values start{0.5, -1.25, 2};
const std::vector<Values> gradients{{0.1, -2, 0.5}, {-0.3, 1, 0.25}, {0.7, 0.5, -1}};

double norm(const Values& values) {
  double total = 0;
  for (const double x : values) total += x * x;
  return std::sqrt(total);
}

// slots[name] starts as zeros.
using Slots = std::map<std::string, Values>;
using Rule = std::function<void(Values& w, const Values& g, Slots& slots, int t)>;

Rule adam_rule(double decay, bool amsgrad) {
  return [=](Values& w, const Values& g, Slots& slots, int t) {
    const double alpha = 0.01 * std::sqrt(1 - std::pow(0.999, t)) / (1 - std::pow(0.9, t));
    for (size_t i = 0; i < w.size(); ++i) {
      w[i] -= w[i] * 0.01 * decay;
      double &m = slots["m"][i], &v = slots["v"][i], &largest = slots["largest"][i];
      m = 0.9 * m + 0.1 * g[i];
      v = 0.999 * v + 0.001 * g[i] * g[i];
      largest = std::max(largest, v);
      w[i] -= alpha * m / (std::sqrt(amsgrad ? largest : v) + 1e-7);
    }
  };
}

struct Case {
  const char* name;
  Optimizer optimizer;
  Rule rule;
};

std::vector<Case> cases() {
  const auto sgd = [](double momentum, bool nesterov) -> Rule {
    return [=](Values& w, const Values& g, Slots& slots, int) {
      for (size_t i = 0; i < w.size(); ++i) {
        double& m = slots["m"][i];
        m = momentum * m - 0.1 * g[i];
        w[i] += nesterov ? momentum * m - 0.1 * g[i] : m;
      }
    };
  };
  return {
      {"sgd", SGD{.learning_rate = 0.1}, sgd(0, false)},
      {"momentum", SGD{.learning_rate = 0.1, .momentum = 0.9}, sgd(0.9, false)},
      {"nesterov", SGD{.learning_rate = 0.1, .momentum = 0.9, .nesterov = true}, sgd(0.9, true)},
      {"adam", Adam{.learning_rate = 0.01}, adam_rule(0, false)},
      {"amsgrad", Adam{.learning_rate = 0.01, .amsgrad = true}, adam_rule(0, true)},
      {"adamw", AdamW{.learning_rate = 0.01}, adam_rule(0.004, false)},
      {"rmsprop", RMSprop{.learning_rate = 0.1, .momentum = 0.5, .centered = true},
       [](Values& w, const Values& g, Slots& slots, int) {
         for (size_t i = 0; i < w.size(); ++i) {
           double &v = slots["v"][i], &a = slots["a"][i], &m = slots["m"][i];
           v = 0.9 * v + 0.1 * g[i] * g[i];
           a = 0.9 * a + 0.1 * g[i];
           m = 0.5 * m + 0.1 * g[i] / std::sqrt(v - a * a + 1e-7);
           w[i] -= m;
         }
       }},
      {"adagrad", Adagrad{.learning_rate = 0.1},
       [](Values& w, const Values& g, Slots& slots, int) {
         for (size_t i = 0; i < w.size(); ++i) {
           double& sum = slots["sum"][i];
           sum += g[i] * g[i];
           w[i] -= 0.1 * g[i] / std::sqrt(0.1 + sum + 1e-7);
         }
       }},
      {"lamb", Lamb{.learning_rate = 0.1},
       [](Values& w, const Values& g, Slots& slots, int t) {
         Values update(w.size());
         for (size_t i = 0; i < w.size(); ++i) {
           double &m = slots["m"][i], &v = slots["v"][i];
           m = 0.9 * m + 0.1 * g[i];
           v = 0.999 * v + 0.001 * g[i] * g[i];
           update[i] =
               m / (1 - std::pow(0.9, t)) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-7);
         }
         const double ratio = norm(w) / norm(update);
         for (size_t i = 0; i < w.size(); ++i) w[i] -= 0.1 * ratio * update[i];
       }},
      {"clipnorm", SGD{.learning_rate = 0.1, .clipping = {.clipnorm = 1.0}},
       [](Values& w, const Values& g, Slots&, int) {
         for (size_t i = 0; i < w.size(); ++i) w[i] -= 0.1 * g[i] / std::max(1.0, norm(g));
       }},
      {"clipvalue", SGD{.learning_rate = 0.1, .clipping = {.clipvalue = 0.4}},
       [](Values& w, const Values& g, Slots&, int) {
         for (size_t i = 0; i < w.size(); ++i) w[i] -= 0.1 * std::clamp(g[i], -0.4, 0.4);
       }},
  };
}

Tensor tensor(const Values& values) {
  return constant(Literal::from(std::vector<float>(values.begin(), values.end()),
                                {static_cast<int64_t>(values.size())}));
}

std::vector<Case> cases_of_two_batches() {
  return {
      {"adamw", AdamW{.learning_rate = 0.01, .gradient_accumulation_steps = 2},
       adam_rule(0.004, false)},
      {"amsgrad", Adam{.learning_rate = 0.01, .amsgrad = true, .gradient_accumulation_steps = 2},
       adam_rule(0, true)},
      {"schedule free", ScheduleFreeAdamW{.learning_rate = 0.01, .gradient_accumulation_steps = 2},
       [](Values& w, const Values& g, Slots& s, int t) {
         for (size_t i = 0; i < w.size(); ++i) {
           double &z = s["m"][i], &v = s["v"][i];
           if (t == 1) z = w[i];
           const double x = (w[i] - 0.1 * z) / 0.9;
           v = 0.999 * v + 0.001 * g[i] * g[i];
           z -= 0.01 * g[i] / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
           w[i] = 0.1 * z + 0.9 * (x + (z - x) / t);
         }
       }},
      // The mean is limited, not what it is of.
      {"clipvalue",
       SGD{.learning_rate = 0.1, .clipping = {.clipvalue = 0.2}, .gradient_accumulation_steps = 2},
       [](Values& w, const Values& g, Slots&, int) {
         for (size_t i = 0; i < w.size(); ++i) w[i] -= 0.1 * std::clamp(g[i], -0.2, 0.2);
       }},
  };
}

void expect_near(const Variable& variable, const Values& wanted, const std::string& when) {
  const Literal got = variable.literal();
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_NEAR(got.number_at(static_cast<int64_t>(i)), wanted[i], 2e-5)
        << when << ", element " << i;
  }
}

TEST(OptimizersTest, FollowTheirFormulas) {
  for (const Case& one : cases()) {
    SCOPED_TRACE(one.name);
    const Variable variable(tensor(start));
    Values wanted = start;
    Slots slots;
    for (const char* name : {"m", "v", "a", "sum", "largest"})
      slots[name].assign(start.size(), 0.0);
    for (int t = 1; t <= 3; ++t) {
      const Values& gradient = gradients[static_cast<size_t>(t - 1)];
      one.optimizer.apply_gradients({tensor(gradient)}, {variable});
      one.rule(wanted, gradient, slots, t);
      expect_near(variable, wanted, str("step ", t));
    }
    EXPECT_EQ(one.optimizer.iterations().item<int32_t>(), 3);
  }
}

TEST(OptimizersTest, OfSeveralBatchesTheLastOneUpdatesByTheMean) {
  const Values mean{(0.1 - 0.3) / 2, (-2 + 1) / 2.0, (0.5 + 0.25) / 2};
  for (const Case& one : cases_of_two_batches()) {
    SCOPED_TRACE(one.name);
    const Variable variable(tensor(start), {.name = "w"});
    Values wanted = start;
    Slots slots;
    for (const char* name : {"m", "v", "largest"}) slots[name].assign(start.size(), 0.0);
    for (int t = 1; t <= 3; ++t) {
      one.optimizer.apply_gradients({tensor(gradients[0])}, {variable});
      expect_near(variable, wanted, "the first batch");
      one.optimizer.apply_gradients({tensor(gradients[1])}, {variable});
      one.rule(wanted, mean, slots, t);
      expect_near(variable, wanted, "the second batch");
    }
    EXPECT_EQ(one.optimizer.iterations().item<int32_t>(), 6);
  }
}

TEST(OptimizersTest, SeveralBatchesAreOfTheSameVariables) {
  const Variable a(constant({1.f})), b(constant({1.f}));
  const Optimizer optimizer = SGD{.gradient_accumulation_steps = 2};
  optimizer.apply_gradients({constant({1.f})}, {a});
  EXPECT_THROW(optimizer.apply_gradients({constant({1.f})}, {b}), InvalidArgument);
  EXPECT_THROW(optimizer.apply_gradients({constant({1.f}), constant({1.f})}, {a, b}),
               InvalidArgument);
  optimizer.apply_gradients({constant({1.f})}, {a});
  EXPECT_NEAR(a.literal().number_at(0), 0.99, 1e-6);
}

TEST(OptimizersTest, OnBuildSumsOfBatchesAreSlots) {
  const Variable w(constant({1.f}), {.name = "w"});
  const Optimizer optimizer = SGD{.gradient_accumulation_steps = 3};
  optimizer.build({w});
  EXPECT_EQ(optimizer.named_variables().back().first, "w/accumulated_gradient");
}

// As in Keras, where a schedule counts batches.
TEST(OptimizersTest, ASchedulesStepsAreBatches) {
  const Variable w(constant({0.f}));
  const Optimizer optimizer =
      SGD{.learning_rate = PiecewiseConstantDecay{.boundaries = std::vector<int64_t>{1},
                                                  .values = std::vector<double>{1.0, 0.5}},
          .gradient_accumulation_steps = 3};
  for (int batch = 0; batch < 3; ++batch) optimizer.apply_gradients({constant({1.f})}, {w});
  EXPECT_EQ(w.literal().number_at(0), -0.5);
}

TEST(OptimizersTest, VariablesAreExcludedFromWeightDecayByTheirNames) {
  const Optimizer optimizer = SGD{.learning_rate = 0.5,
                                  .weight_decay = 0.5,
                                  .exclude_from_weight_decay = {"bias", "LayerNorm"}};
  const std::pair<const char*, double> rows[] = {
      {"dense/kernel", 0.75}, {"dense/bias", 1}, {"output.LayerNorm/gamma", 1}, {"Bias", 0.75}};
  for (const auto& [name, wanted] : rows) {
    const Variable variable(constant({1.f}), {.name = name}), other(constant({1.f}));
    optimizer.apply_gradients({constant({0.f}), constant({0.f})}, {variable, other});
    EXPECT_EQ(variable.literal().number_at(0), wanted) << name;
    EXPECT_EQ(other.literal().number_at(0), 0.75);
  }
}

TEST(OptimizersTest, AnExclusionThatMeetsNoVariableIsSaid) {
  std::string lines;
  const LogSink before =
      set_log_sink([&](LogLevel, std::string_view text) { lines += str(text, "\n"); });
  const Variable kernel(constant({1.f}), {.name = "dense/kernel"});
  const Optimizer none = AdamW{.exclude_from_weight_decay = {"biases"}},
                  without_decay = Adam{.exclude_from_weight_decay = {"biases_of_adam"}};
  none.apply_gradients({constant({0.f})}, {kernel});
  without_decay.apply_gradients({constant({0.f})}, {kernel});
  set_log_sink(before);
  EXPECT_EQ(lines,
            "adamw: exclude_from_weight_decay has 'biases', which is in no variable's name; they "
            "are such as 'dense/kernel'\n");
}

TEST(OptimizersTest, TheGlobalNormIsOverAllGradients) {
  const Variable a(constant({0.f})), b(constant({0.f}));
  const Optimizer optimizer = SGD{.learning_rate = 1, .clipping = {.global_clipnorm = 1.0}};
  optimizer.apply_gradients({constant({3.f}), constant({4.f})}, {a, b});
  EXPECT_NEAR(a.literal().number_at(0), -0.6, 1e-6);
  EXPECT_NEAR(b.literal().number_at(0), -0.8, 1e-6);
}

TEST(OptimizersTest, TheLearningRateIsAVariable) {
  const Variable w(constant({1.f}));
  const Optimizer optimizer = "sgd";
  EXPECT_NEAR(optimizer.learning_rate().item<float>(), 0.01, 1e-8);
  optimizer.set_learning_rate(0.5);
  optimizer.apply_gradients({constant({1.f})}, {w});
  EXPECT_EQ(w.literal().number_at(0), 0.5);
  const Optimizer scheduled =
      SGD{.learning_rate =
              ExponentialDecay{.initial_learning_rate = 0.1, .decay_steps = 1, .decay_rate = 0.5}};
  EXPECT_THROW(scheduled.set_learning_rate(1), FailedPrecondition);
  scheduled.apply_gradients({constant({1.f})}, {w});
  EXPECT_NEAR(scheduled.learning_rate().item<float>(), 0.05, 1e-7);
}

TEST(OptimizersTest, CopiesAreTheSameOptimizerAndSlotsHaveNames) {
  const Variable w(constant({1.f}), {.name = "dense/kernel"});
  const Optimizer optimizer = "adam";
  const Optimizer copy = optimizer;
  copy.build({w});
  EXPECT_EQ(w.literal().number_at(0), 1);
  std::vector<std::string> names;
  for (const auto& entry : optimizer.named_variables()) names.push_back(entry.first);
  EXPECT_EQ(join(names), "iterations, learning_rate, dense/kernel/momentum, dense/kernel/velocity");
  EXPECT_EQ(optimizer.iterations().item<int32_t>(), 0);
}

TEST(OptimizersTest, WrongGradientsAreErrors) {
  const Variable w(constant({1.f, 2.f}));
  const Optimizer optimizer = SGD{};
  EXPECT_THROW(optimizer.apply_gradients({constant({1.f})}, {w}), InvalidArgument);
  EXPECT_THROW(optimizer.apply_gradients({}, {w}), InvalidArgument);
}

TEST(OptimizersTest, NumbersThatCannotBeAreNamed) {
  struct Row {
    std::function<void()> make;
    std::string wanted;
  };
  const double nan = std::nan("");
  const Row table[] = {
      {[] { Optimizer(SGD{.learning_rate = -1.0}); }, "SGD: learning_rate is -1"},
      {[=] { Optimizer(Adam{.learning_rate = nan}); }, "adam: learning_rate is nan"},
      {[=] { Optimizer(SGD{}).set_learning_rate(nan); }, "SGD: learning_rate is nan"},
      {[] { Optimizer(SGD{.clipping = {.clipnorm = 0.0}}); }, "SGD: clipnorm is 0"},
      {[=] { Optimizer(SGD{.clipping = {.clipvalue = nan}}); }, "SGD: clipvalue is nan"},
      {[] { Optimizer(SGD{.clipping = {.clipnorm = 1.0, .global_clipnorm = 1.0}}); },
       "SGD is given clipnorm, global_clipnorm"},
      {[] {
         Optimizer(AdamW{.exclude_from_weight_decay = {"bias", ""}});
       },
       "adamw: exclude_from_weight_decay has \"\", which is in every name"},
      {[] { Optimizer(SGD{.gradient_accumulation_steps = int64_t{1} << 31}); },
       "gradient_accumulation_steps is 2147483648, expected 1 to 2147483647"},
      {[] { Optimizer(AdamW{.weight_decay = -1.0}); }, "adamw: weight_decay is -1"},
      {[=] { Optimizer(SGD{.weight_decay = nan}); }, "SGD: weight_decay is nan"},
      {[] { Optimizer(AdamW{.gradient_accumulation_steps = 0}); },
       "adamw: gradient_accumulation_steps is 0, expected 1 to"},
      {[] { Optimizer(Adam{.lazy_rows = true, .gradient_accumulation_steps = 2}); },
       "adam is given gradient_accumulation_steps = 2 and lazy_rows"},
      {[=] { scale_learning_rate(nan, 1, 2); }, "scale_learning_rate: rate is nan"},
      {[] { scale_learning_rate(-0.1, 1, 2); }, "scale_learning_rate: rate is -0.1"},
  };
  for (const Row& row : table) {
    try {
      row.make();
      ADD_FAILURE() << row.wanted;
    } catch (const InvalidArgument& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(row.wanted), std::string::npos) << message;
      EXPECT_NE(message.find("optimizers_test.cc:"), std::string::npos) << message;
    }
  }
}

TEST(OptimizersTest, NumbersThatNoStepCanUseAreNamed) {
  const double nan = std::nan("");
  const ExponentialDecay no_steps{
      .initial_learning_rate = 0.1, .decay_steps = 0, .decay_rate = 0.5};
  const std::pair<Optimizer, std::string> table[] = {
      {SGD{.momentum = 2}, "SGD: momentum is 2, expected from 0 to 1"},
      {SGD{.momentum = std::nan("")}, "SGD: momentum is nan"},
      {Adam{.beta_1 = 1}, "adam: beta_1 is 1, expected from 0 to just below 1"},
      {AdamW{.beta_2 = -0.5}, "adamw: beta_2 is -0.5"},
      {Lamb{.beta_2 = 1.5}, "lamb: beta_2 is 1.5"},
      {RMSprop{.rho = 1.5}, "rmsprop: rho is 1.5"},
      {RMSprop{.momentum = -1}, "rmsprop: momentum is -1"},
      {SGD{.learning_rate = no_steps}, "ExponentialDecay: decay_steps is 0, expected 1 or more"},
      {SGD{.learning_rate = ExponentialDecay{nan, 1, 0.5}},
       "ExponentialDecay: initial_learning_rate is nan, expected a finite number, 0 or more"},
      {SGD{.learning_rate = CosineDecay{.initial_learning_rate = -0.1, .decay_steps = 1}},
       "CosineDecay: initial_learning_rate is -0.1"},
      {SGD{.learning_rate =
               CosineDecay{.initial_learning_rate = 0, .decay_steps = 1, .warmup_target = nan}},
       "CosineDecay: warmup_target is nan"},
      {SGD{.learning_rate =
               PolynomialDecay{
                   .initial_learning_rate = 0.1, .decay_steps = 1, .end_learning_rate = -1}},
       "PolynomialDecay: end_learning_rate is -1"},
      {SGD{.learning_rate = PiecewiseConstantDecay{.boundaries = {1}, .values = {0.1, nan}}},
       "PiecewiseConstantDecay: a value is nan"},
  };
  const Variable w(constant({1.f, 2.f}));
  for (const auto& [optimizer, wanted] : table) {
    try {
      optimizer.apply_gradients({constant({1.f, 1.f})}, {w});
      ADD_FAILURE() << wanted;
    } catch (const InvalidArgument& error) {
      EXPECT_NE(std::string(error.what()).find(wanted), std::string::npos) << error.what();
    }
  }
}

TEST(OptimizersTest, TheLearningRateGrowsWithTheBatch) {
  EXPECT_DOUBLE_EQ(scale_learning_rate(0.001, 200, 1024), 0.00512);
  EXPECT_THROW(scale_learning_rate(0.001, 0, 1024), InvalidArgument);
  EXPECT_THROW(scale_learning_rate(0.001, 200, -8), InvalidArgument);
}

TEST(SchedulesTest, FollowTheirFormulas) {
  struct Schedule {
    const char* name;
    LearningRate rate;
    std::function<double(double step)> wanted;
  };
  const double pi = std::numbers::pi;
  const std::vector<Schedule> schedules{
      {"exponential",
       ExponentialDecay{.initial_learning_rate = 0.1, .decay_steps = 4, .decay_rate = 0.5},
       [](double s) { return 0.1 * std::pow(0.5, s / 4); }},
      {"staircase",
       ExponentialDecay{
           .initial_learning_rate = 0.1, .decay_steps = 4, .decay_rate = 0.5, .staircase = true},
       [](double s) { return 0.1 * std::pow(0.5, std::floor(s / 4)); }},
      {"cosine", CosineDecay{.initial_learning_rate = 0.1, .decay_steps = 8, .alpha = 0.1},
       [=](double s) {
         return 0.1 * (0.9 * 0.5 * (1 + std::cos(pi * std::min(s, 8.0) / 8)) + 0.1);
       }},
      {"cosine after a warm-up",
       CosineDecay{
           .initial_learning_rate = 0.0, .decay_steps = 8, .warmup_target = 0.2, .warmup_steps = 4},
       [=](double s) {
         return s < 4 ? 0.2 * s / 4 : 0.1 * (1 + std::cos(pi * std::min(s - 4, 8.0) / 8));
       }},
      {"piecewise",
       PiecewiseConstantDecay{.boundaries = std::vector<int64_t>{2, 5},
                              .values = std::vector<double>{1.0, 0.5, 0.1}},
       [](double s) { return s <= 2   ? 1.0
                             : s <= 5 ? 0.5
                                      : 0.1; }},
      {"polynomial",
       PolynomialDecay{
           .initial_learning_rate = 0.1, .decay_steps = 8, .end_learning_rate = 0.01, .power = 2},
       [](double s) { return 0.09 * std::pow(1 - std::min(s, 8.0) / 8, 2) + 0.01; }},
      {"polynomial, again and again",
       PolynomialDecay{
           .initial_learning_rate = 0.1, .decay_steps = 4, .end_learning_rate = 0.0, .cycle = true},
       [](double s) { return 0.1 * (1 - s / (4 * std::max(1.0, std::ceil(s / 4)))); }},
      {"warm-up", WarmUp{.warmup_steps = 4, .after = 0.2},
       [](double s) { return s < 4 ? 0.05 * s : 0.2; }},
  };
  for (const Schedule& one : schedules) {
    for (int step = 0; step < 14; ++step) {
      EXPECT_NEAR(one.rate.at(constant(static_cast<float>(step))).item<double>(), one.wanted(step),
                  1e-6)
          << one.name << " at step " << step;
    }
  }
}

}  // namespace
}  // namespace systolic
