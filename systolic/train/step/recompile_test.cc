// What belongs to one compile(): its optimizer, and the weights that were trainable.
#include <gtest/gtest.h>

#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/nn/layers/core/dense.h"
#include "systolic/nn/layers/core/input.h"
#include "systolic/nn/network/sequential.h"
#include "systolic/nn/optimizers/adam.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

Model two_layers() {
  return Sequential({Input{.shape = {2}}, Dense{.units = 2, .name = "first"},
                     Dense{.units = 1, .name = "second"}});
}
const Literal& four_inputs() {
  static const Literal value = Literal::filled(DType::f32, {4, 2}, 1.0);
  return value;
}
const Literal& four_labels() {
  static const Literal value = Literal::filled(DType::f32, {4, 1}, 3.0);
  return value;
}

TEST(Recompile, AnOptimizerIsOfOneModel) {
  const CompileOptions options{.optimizer = Adam{}, .loss = "mse"};
  Model first = two_layers(), second = two_layers();
  first.compile(options);
  const SourceLocation here{"user.cc", 7};
  expect_parts(message_of<InvalidArgument>([&] { second.compile(options, here); }),
               {"the optimizer adam is another model's", "one for each model", "user.cc:7"});
  first.compile(options);
  {
    Model gone = two_layers();
    const CompileOptions its{.optimizer = Adam{}, .loss = "mse"};
    gone.compile(its);
    EXPECT_THROW(second.compile(its), InvalidArgument);
  }
}

// A name says no more than which kind: each model gets one of its own.
TEST(Recompile, ANamedOptimizerIsMadeForEachModel) {
  const CompileOptions options{.optimizer = "adam", .loss = "mse"};
  Model first = two_layers(), second = two_layers();
  first.compile(options);
  second.compile(options);
  first.fit(four_inputs(), four_labels(), {.epochs = 3, .verbose = 0});
  EXPECT_EQ(first.optimizer().iterations().literal().item<int32_t>(), 3);
  EXPECT_EQ(second.optimizer().iterations().literal().item<int32_t>(), 0);
}

TEST(Recompile, LayersFrozenAfterAFitAreSaidToCountBehindCompile) {
  Model model = two_layers();
  const auto compile = [&] { model.compile({.optimizer = Adam{}, .loss = "mse"}); };
  const auto changed_and_log = [&] {
    const CaughtLog log;
    const std::vector<Literal> before = model.get_weights();
    model.fit(four_inputs(), four_labels(), {.verbose = 0});
    const std::vector<Literal> after = model.get_weights();
    int changed = 0;
    for (size_t i = 0; i < before.size(); ++i) changed += !(before[i] == after[i]);
    return std::pair(changed, log.lines());
  };
  compile();
  EXPECT_EQ(changed_and_log(), std::pair(4, std::string()));
  model.network().layer("first").set_trainable(false);
  const auto [changed, said] = changed_and_log();
  EXPECT_EQ(changed, 4);
  EXPECT_CONTAINS(said, "were frozen, or no longer, since its training step was made");
  compile();
  EXPECT_EQ(changed_and_log(), std::pair(2, std::string()));
  model.network().layer("second").set_trainable(false);
  compile();
  const auto [none, warning] = changed_and_log();
  EXPECT_EQ(none, 0);
  EXPECT_CONTAINS(warning, "no weight of the model is trainable");
}

TEST(Recompile, AMetricWhoseValuesAreNotOfSamplesIsNamed) {
  Model model = two_layers();
  const Metric of_pairs = Metric::from_function("mine", [](const Tensor&, const Tensor& y) {
    return mean(reshape(y, {2, 2}), {.axis = 1});
  });
  model.compile({.optimizer = Adam{}, .loss = "mse", .metrics = {of_pairs}});
  expect_parts(error_of([&] { model.fit(four_inputs(), four_labels(), {.verbose = 0}); }),
               {"metric 'mine': values of shape (2,)", "a value for each of 4 samples"});
}

}  // namespace
}  // namespace systolic
