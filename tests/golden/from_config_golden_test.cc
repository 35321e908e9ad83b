// Losses, metrics, optimizers, schedules and activations against Keras's, each made from the class
// and the configuration that make_more_losses.py gives.
#include <gtest/gtest.h>

#include "golden_file.h"
#include "systolic/base/text.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic {
namespace {

// Sums of a dozen terms, a logarithm or a root in each.
constexpr double within_of_losses = 1e-5, within_of_metrics = 2e-6, within_of_steps = 5e-6;

Config config_of_case(const Json& one) {
  const Json config{{"class_name", one.at("class_name")}, {"config", one.at("config")}};
  return Config::parse(config.dump());
}

std::string name_of_case(const Json& one) {
  return str(one.at("class_name").get<std::string>(), " ", one.at("config").dump(), " of ",
             one.value("data", ""));
}

void check_loss_case(const Json& one, const Json& pair) {
  const LossFunction loss = LossFunction::from_config(config_of_case(one));
  const Tensor labels = literal_of(pair.at(0)), predictions = literal_of(pair.at(1));
  LossOptions options;
  if (one.contains("sample_weight")) options.sample_weight = literal_of(one.at("sample_weight"));
  GradientTape tape;
  tape.watch(predictions);
  const Tensor value = loss(labels, predictions, options);
  const Tensor gradient = tape.gradient(sum(value), predictions);
  expect_close(value.literal(), one.at("value"), within_of_losses, "value");
  if (one.contains("gradient"))
    expect_close(gradient.literal(), one.at("gradient"), within_of_losses, "gradient");
}

TEST(FromConfigGolden, LossesGiveWhatKerasGives) {
  const Json file = golden_file("more_losses");
  for (const Json& one : file.at("cases")) {
    SCOPED_TRACE(name_of_case(one));
    EXPECT_NO_THROW(check_loss_case(one, file.at("data").at(one.at("data").get<std::string>())));
  }
}

void check_metric_case(const Json& one, const Json& stream) {
  const Metric metric = Metric::from_config(config_of_case(one));
  for (size_t i = 0; i < stream.size(); ++i) {
    const Json& arrays = stream.at(i);
    MetricOptions options;
    if (!arrays.at(2).is_null()) options.sample_weight = literal_of(arrays.at(2));
    metric.update_state(literal_of(arrays.at(0)), literal_of(arrays.at(1)), options);
    expect_close(metric.result().literal(), one.at("results").at(i), within_of_metrics,
                 str("after update ", i + 1));
  }
}

TEST(FromConfigGolden, MetricsGiveWhatKerasGives) {
  const Json file = golden_file("more_metrics");
  for (const Json& one : file.at("cases")) {
    SCOPED_TRACE(name_of_case(one));
    EXPECT_NO_THROW(check_metric_case(one, file.at("data").at(one.at("data").get<std::string>())));
  }
}

// Keras writes "int32" for the totals of metrics that count places, unless told otherwise.
TEST(FromConfigGolden, MetricsThatCountPlacesTakeKerasIntegers) {
  for (const char* kind : {"IoU", "MeanIoU", "BinaryIoU", "OneHotIoU", "OneHotMeanIoU"}) {
    SCOPED_TRACE(kind);
    const bool has_classes = std::string_view(kind) != "BinaryIoU";
    const bool has_targets = std::string_view(kind).find("Mean") == std::string_view::npos;
    Json fields{{"name", "places"}, {"dtype", "int32"}};
    if (has_classes) fields["num_classes"] = 2;
    if (has_targets) fields["target_class_ids"] = {0, 1};
    const Metric metric =
        Metric::from_config(Config::parse(Json{{"class_name", kind}, {"config", fields}}.dump()));
    const bool one_hot = std::string_view(kind).find("OneHot") == 0;
    const auto places = [&](std::vector<float> classes, std::vector<float> rows) {
      return one_hot ? constant(Literal::from(rows, {3, 2}))
                     : constant(Literal::from(classes, {3}));
    };
    metric.update_state(places({0, 1, 1}, {1, 0, 0, 1, 0, 1}),
                        places({0, 0, 1}, {1, 0, 1, 0, 0, 1}));
    EXPECT_FLOAT_EQ(metric.result().item<float>(), 0.5f);  // 1 / 2 of either class
  }
}

void check_optimizer_case(const Json& file, const Json& one) {
  const Optimizer optimizer = Optimizer::from_config(config_of_case(one));
  std::vector<Variable> variables;
  for (const Tensor& start : tensors_of(file.at("start"))) variables.emplace_back(start);
  for (size_t step = 0; step < one.at("steps").size(); ++step) {
    optimizer.apply_gradients(tensors_of(file.at("gradients").at(step)), variables);
    for (size_t i = 0; i < variables.size(); ++i) {
      expect_close(variables[i].literal(), one.at("steps").at(step).at(i), within_of_steps,
                   str("step ", step, ", variable ", i));
    }
  }
}

TEST(FromConfigGolden, OptimizersTakeTheStepsThatKerasTakes) {
  const Json file = golden_file("more_optimizers");
  for (const Json& one : file.at("cases")) {
    SCOPED_TRACE(name_of_case(one));
    EXPECT_NO_THROW(check_optimizer_case(file, one));
  }
}

TEST(FromConfigGolden, SchedulesGiveTheRatesThatKerasGives) {
  const Json file = golden_file("more_schedules");
  for (const Json& one : file.at("cases")) {
    SCOPED_TRACE(name_of_case(one));
    const LearningRate rate = LearningRate::from_config(config_of_case(one));
    for (size_t i = 0; i < file.at("steps").size(); ++i) {
      const double step = file.at("steps").at(i), wanted = one.at("rates").at(i);
      const double got = rate.at(constant(static_cast<float>(step))).item<double>();
      EXPECT_NEAR(got, wanted, 1e-5 * (1e-2 + wanted)) << "at step " << step;
    }
  }
}

TEST(FromConfigGolden, ActivationsGiveWhatKerasGives) {
  const Json file = golden_file("activations");
  for (const Json& one : file.at("cases")) {
    const std::string name = one.at("activation");
    SCOPED_TRACE(name);
    const Tensor x = literal_of(one.at("input"));
    GradientTape tape;
    tape.watch(x);
    const Tensor y = Activation::parse(name)(x);
    const Tensor gradient = tape.gradient(sum(y * Tensor(literal_of(one.at("cotangent")))), x);
    expect_close(y.literal(), one.at("output"), within_of_losses, "output");
    expect_close(gradient.literal(), one.at("gradient"), within_of_losses, "gradient");
  }
}

}  // namespace
}  // namespace systolic
