// compile({.run_eagerly = true}): the same numbers as compiled, in code that can be looked into.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/distribute/strategy.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

struct Result {
  std::vector<float> step_losses;
  std::vector<Literal> weights;
  Logs logs;
  Literal predictions;
};

Result trained(int cores, const CompileOptions& options) {
  TPUClusterResolver resolver("v3-8", {.cores = cores});
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  set_seed(5);
  Model model = strategy.scope([&]() -> Model {
    Model made = Sequential({Input{.shape = {6}}, Dense{.units = 8, .activation = "relu"},
                             BatchNormalization{}, Dropout{.rate = 0.25}, Dense{.units = 3}});
    made.compile(options);
    return made;
  });
  const Literal x = host_normal({22, 6}, 0, 1, 3), y = host_normal({22, 3}, 0, 1, 4);
  Result result;
  result.step_losses =
      model.fit(x, y, {.epochs = 2, .batch_size = 8, .shuffle = false, .verbose = 0}).step_losses;
  result.weights = model.get_weights();
  result.logs = model.evaluate(x, y, {.batch_size = 8, .verbose = 0}).logs;
  result.predictions = model.predict(x, {.batch_size = 8});
  return result;
}

void expect_close(const Literal& a, const Literal& b) {
  ASSERT_EQ(a.shape(), b.shape());
  for (int64_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a.number_at(i), b.number_at(i), 1e-5) << i;
}

TEST(RunEagerly, GivesWhatTheCompiledStepGives) {
  for (const int cores : {1, 8}) {
    const auto options = [](bool eagerly) {
      return CompileOptions{.optimizer = Adam{.learning_rate = 0.02},
                            .loss = "mse",
                            .metrics = {"mae"},
                            .run_eagerly = eagerly};
    };
    const Result compiled = trained(cores, options(false)), eager = trained(cores, options(true));
    ASSERT_EQ(compiled.step_losses.size(), 6u);
    ASSERT_EQ(eager.step_losses.size(), 6u);
    for (size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(compiled.step_losses[i], eager.step_losses[i], 1e-5) << i;
    for (size_t i = 0; i < compiled.weights.size(); ++i)
      expect_close(compiled.weights[i], eager.weights[i]);
    ASSERT_EQ(compiled.logs.size(), eager.logs.size());
    for (size_t i = 0; i < compiled.logs.size(); ++i) {
      EXPECT_EQ(compiled.logs[i].first, eager.logs[i].first);
      EXPECT_NEAR(compiled.logs[i].second, eager.logs[i].second, 1e-5);
    }
    expect_close(compiled.predictions, eager.predictions);
  }
}

// Looks into its batch: what a compiled step cannot.
struct Peek {
  static constexpr const char* kind = "Peek";
  std::vector<double>* seen;
  Tensor call(const Tensor& x, CallContext& context) const {
    if (!context.training()) return x;
    seen->push_back(sum(x).item<double>());
    return seen->back() > 5 ? x * 0.5 : x;
  }
};

TEST(RunEagerly, ALayerMayReadItsValues) {
  std::vector<double> seen;
  Model model = Sequential({Peek{&seen}, Dense{.units = 1}});
  const Literal x = Literal::of<float>({{1}, {2}, {3}, {4}});
  model.compile({.optimizer = "sgd", .loss = "mse", .run_eagerly = true});
  model.fit(x, x, {.epochs = 2, .batch_size = 2, .shuffle = false, .verbose = 0});
  EXPECT_EQ(seen, (std::vector<double>{3, 7, 3, 7}));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const std::string message = message_of([&] { model.fit(x, x, {.verbose = 0}); });
  EXPECT_NE(message.find("compile({.run_eagerly = true})"), std::string::npos) << message;
}

TEST(Retrace, FitNamesEachInputThatChangesItsShape) {
  Model model = Sequential({Input{.shape = {-1, 2}}, Dense{.units = 1}});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto fit = [&](int64_t rows, int64_t length) {
    const CaughtLog log;
    model.fit(Literal::zeros(DType::f32, {rows, length, 2}),
              Literal::zeros(DType::f32, {rows, length, 1}), {.verbose = 0},
              SourceLocation{"main.cc", 12});
    return log.lines();
  };
  EXPECT_EQ(fit(4, 32), "");
  const std::string batch = fit(6, 32);
  EXPECT_CONTAINS(batch, "2 programs so far: 'x' was f32[4,32,2], is f32[6,32,2]; 'y' was");
  const std::string text = fit(4, 37);
  for (const char* part :
       {"train_step of model 'sequential' is compiled again at main.cc:12", "3 programs so far",
        "'x' was f32[", ",32,2], is f32[4,37,2]", "multiple of 32 or 64"})
    EXPECT_CONTAINS(text, part);
  EXPECT_EQ(fit(4, 37) + fit(4, 32), "");
}

TEST(Retrace, NamesTheLastOfThoseThatAreAsNear) {
  Model model = Sequential({Input{.shape = {-1, 2}}, Dense{.units = 1}});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  for (const int64_t length : {3, 5, 7, 9, 11, 13}) {
    const CaughtLog log;
    model.fit(Literal::zeros(DType::f32, {4, length, 2}),
              Literal::zeros(DType::f32, {4, length, 1}), {.verbose = 0});
    if (length == 3) continue;
    EXPECT_CONTAINS(log.lines(),
                    str("'x' was f32[4,", length - 2, ",2], is f32[4,", length, ",2]"));
  }
}

TEST(Retrace, SampleWeightsThatComeAndGoAreNoSlip) {
  Model model = Sequential({Input{.shape = {2}}, Dense{.units = 1}});
  model.compile({.optimizer = "sgd", .loss = "mse", .strict_shapes = true});
  const CaughtLog log;
  const Literal x = Literal::zeros(DType::f32, {4, 2}), y = Literal::zeros(DType::f32, {4, 1});
  const Literal weights = Literal::filled(DType::f32, {4}, 2);
  for (const bool weighted : {false, true, false}) {
    FitOptions options{.verbose = 0};
    if (weighted) options.sample_weight = weights;
    model.fit(x, y, options);
    model.evaluate(x, y, {.verbose = 0});
  }
  EXPECT_EQ(log.warnings(), "");
}

TEST(Retrace, SaysThatABatchIsPadded) {
  Model model = Sequential({Input{.shape = {2}}, Dense{.units = 1}});
  model.compile({.optimizer = "sgd", .loss = "mse", .strict_shapes = true});
  const CaughtLog log;
  const Literal x = Literal::zeros(DType::f32, {6, 2}), y = Literal::zeros(DType::f32, {6, 1});
  model.fit(x, y, {.batch_size = 4, .verbose = 0});
  EXPECT_CONTAINS(log.lines(), "a batch has 2 of 4 samples, and is padded");
}

TEST(StrictShapes, MakesAnotherCompilationAnError) {
  Model model = Sequential({Input{.shape = {-1, 2}}, Dense{.units = 1}});
  const auto fit = [&](int64_t rows, int64_t length) {
    model.fit(Literal::zeros(DType::f32, {rows, length, 2}),
              Literal::zeros(DType::f32, {rows, length, 1}), {.verbose = 0},
              SourceLocation{"main.cc", 12});
  };
  const CaughtLog log;
  for (const bool process : {false, true}) {
    model.compile({.optimizer = "sgd", .loss = "mse", .strict_shapes = !process});
    set_strict_shapes(process);
    fit(4, 32);
    const std::string text = error_of([&] { fit(4, 37); });
    set_strict_shapes(false);
    for (const char* part :
         {"FailedPrecondition", "train_step of model 'sequential'", "the 2nd program",
          "strict_shapes", "'x' was f32[4,32,2], is f32[4,37,2]", "main.cc:12"})
      EXPECT_CONTAINS(text, part);
    EXPECT_NO_THROW(fit(4, 32));
    EXPECT_NO_THROW(model.evaluate(Literal::zeros(DType::f32, {4, 37, 2}),
                                   Literal::zeros(DType::f32, {4, 37, 1}), {.verbose = 0}));
  }
}

TEST(JitCompile, FalseIsAnsweredByALine) {
  Model model = Sequential({Input{.shape = {1}}, Dense{.units = 1}});
  const CaughtLog log;
  model.compile({.jit_compile = true});
  model.compile({.jit_compile = "auto"});
  model.compile({.run_eagerly = true, .jit_compile = false});
  EXPECT_EQ(log.lines(), "");
  model.compile({.jit_compile = false});
  EXPECT_NE(log.lines().find("jit_compile = false"), std::string::npos) << log.lines();
  EXPECT_NE(log.lines().find("run_eagerly"), std::string::npos) << log.lines();
}

}  // namespace
}  // namespace systolic
