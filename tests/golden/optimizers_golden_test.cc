// Five steps of every optimizer, and every schedule, against Keras's.
#include <gtest/gtest.h>

#include <map>

#include "golden_file.h"
#include "systolic/base/text.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/creation.h"

namespace systolic {
namespace {

// Values near 2 after five steps, each with a rounding or two; a root and a quotient in each.
constexpr double tolerance = 2e-6;

// As in make_optimizers.py.
std::map<std::string, Optimizer> optimizers() {
  return {
      {"sgd", SGD{}},
      {"sgd, momentum", SGD{.learning_rate = 0.1, .momentum = 0.9}},
      {"sgd, nesterov", SGD{.learning_rate = 0.1, .momentum = 0.8, .nesterov = true}},
      {"sgd, weight decay", SGD{.learning_rate = 0.1, .momentum = 0.5, .weight_decay = 0.05}},
      {"adam", Adam{.learning_rate = 0.01}},
      {"adam, other betas",
       Adam{.learning_rate = 0.1, .beta_1 = 0.7, .beta_2 = 0.9, .epsilon = 1e-3}},
      {"adam, amsgrad", Adam{.learning_rate = 0.05, .beta_2 = 0.5, .amsgrad = true}},
      {"adam, weight decay", Adam{.learning_rate = 0.05, .weight_decay = 0.1}},
      {"adamw", AdamW{.learning_rate = 0.05}},
      {"adamw, more decay", AdamW{.learning_rate = 0.05, .weight_decay = 0.3}},
      {"rmsprop", RMSprop{.learning_rate = 0.01}},
      {"rmsprop, momentum", RMSprop{.learning_rate = 0.01, .rho = 0.8, .momentum = 0.6}},
      {"rmsprop, centered", RMSprop{.learning_rate = 0.01, .centered = true}},
      {"rmsprop, all", RMSprop{.learning_rate = 0.02,
                               .momentum = 0.5,
                               .epsilon = 1e-3,
                               .centered = true,
                               .weight_decay = 0.01}},
      {"adagrad", Adagrad{.learning_rate = 0.1}},
      {"adagrad, from 0.5",
       Adagrad{.learning_rate = 0.1, .initial_accumulator_value = 0.5, .weight_decay = 0.02}},
      {"lamb", Lamb{.learning_rate = 0.05}},
      {"lamb, weight decay", Lamb{.learning_rate = 0.05, .beta_1 = 0.8, .weight_decay = 0.1}},
      {"clipped by norm", SGD{.learning_rate = 0.1, .clipping = {.clipnorm = 1.5}}},
      {"clipped by value", SGD{.learning_rate = 0.1, .clipping = {.clipvalue = 0.75}}},
      {"clipped by the norm of all",
       SGD{.learning_rate = 0.1, .clipping = {.global_clipnorm = 2.0}}},
      {"norms too small to clip",
       SGD{.learning_rate = 0.1, .clipping = {.global_clipnorm = 100.0}}},
      {"adam, clipped by the norm of all",
       Adam{.learning_rate = 0.1, .clipping = {.global_clipnorm = 1.0}}},
      {"scheduled", Adam{.learning_rate = ExponentialDecay{.initial_learning_rate = 0.1,
                                                           .decay_steps = 2,
                                                           .decay_rate = 0.5}}},
      {"accumulated over 2",
       AdamW{
           .learning_rate = 0.05, .clipping = {.clipnorm = 1.5}, .gradient_accumulation_steps = 2}},
      {"accumulated over 2, scheduled",
       Adam{.learning_rate =
                ExponentialDecay{.initial_learning_rate = 0.1, .decay_steps = 2, .decay_rate = 0.5},
            .gradient_accumulation_steps = 2}},
  };
}

TEST(OptimizersGolden, TakeTheStepsThatKerasTakes) {
  const Json file = golden_file("optimizers");
  const std::map<std::string, Optimizer> known = optimizers();
  ASSERT_EQ(file.at("cases").size(), known.size());
  for (const Json& one : file.at("cases")) {
    const std::string name = one.at("optimizer");
    SCOPED_TRACE(name);
    std::vector<Variable> variables;
    for (const Tensor& start : tensors_of(file.at("start"))) variables.emplace_back(start);
    for (size_t step = 0; step < one.at("steps").size(); ++step) {
      known.at(name).apply_gradients(tensors_of(file.at("gradients").at(step)), variables);
      for (size_t i = 0; i < variables.size(); ++i) {
        expect_close(variables[i].literal(), one.at("steps").at(step).at(i), tolerance,
                     str("step ", step, ", variable ", i));
      }
    }
  }
}

// As in make_optimizers.py.
std::map<std::string, LearningRate> schedules() {
  return {
      {"exponential",
       ExponentialDecay{.initial_learning_rate = 0.1, .decay_steps = 10, .decay_rate = 0.5}},
      {"exponential, staircase",
       ExponentialDecay{
           .initial_learning_rate = 0.1, .decay_steps = 10, .decay_rate = 0.5, .staircase = true}},
      {"cosine", CosineDecay{.initial_learning_rate = 0.1, .decay_steps = 20}},
      {"cosine, alpha", CosineDecay{.initial_learning_rate = 0.1, .decay_steps = 20, .alpha = 0.2}},
      {"cosine, warm-up", CosineDecay{.initial_learning_rate = 0.01,
                                      .decay_steps = 20,
                                      .alpha = 0.1,
                                      .warmup_target = 0.2,
                                      .warmup_steps = 7}},
      {"cosine, no warm-up steps",
       CosineDecay{.initial_learning_rate = 0.01, .decay_steps = 20, .warmup_target = 0.2}},
      {"piecewise", PiecewiseConstantDecay{.boundaries = std::vector<int64_t>{3, 10, 25},
                                           .values = std::vector<double>{1.0, 0.5, 0.25, 0.01}}},
      {"polynomial", PolynomialDecay{.initial_learning_rate = 0.1, .decay_steps = 20}},
      {"polynomial, squared",
       PolynomialDecay{
           .initial_learning_rate = 0.1, .decay_steps = 20, .end_learning_rate = 0.02, .power = 2}},
      {"polynomial, cycling", PolynomialDecay{.initial_learning_rate = 0.1,
                                              .decay_steps = 8,
                                              .end_learning_rate = 0.01,
                                              .power = 0.5,
                                              .cycle = true}},
  };
}

TEST(SchedulesGolden, GiveTheRatesThatKerasGives) {
  const Json file = golden_file("schedules");
  const std::map<std::string, LearningRate> known = schedules();
  ASSERT_EQ(file.at("cases").size(), known.size());
  for (const Json& one : file.at("cases")) {
    const std::string name = one.at("schedule");
    for (size_t i = 0; i < file.at("steps").size(); ++i) {
      const double step = file.at("steps").at(i), wanted = one.at("rates").at(i);
      const double got = known.at(name).at(constant(static_cast<float>(step))).item<double>();
      EXPECT_NEAR(got, wanted, 1e-6 * (1e-2 + wanted)) << name << " at step " << step;
    }
  }
}

}  // namespace
}  // namespace systolic
