#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/nn/constraints/constraint.h"
#include "systolic/nn/constraints/max_norm.h"
#include "systolic/nn/constraints/min_max_norm.h"
#include "systolic/nn/constraints/unit_norm.h"
#include "systolic/nn/layers/core/dense.h"
#include "systolic/nn/layers/core/input.h"
#include "systolic/nn/network/sequential.h"
#include "systolic/nn/optimizers/sgd.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic {
namespace {

// What Keras 3.15 makes of [[3, -1, 0], [4, 0.5, 0]].
TEST(Constraint, GivesWhatKerasDoes) {
  const Literal weight = Literal::of<float>({{3, -1, 0}, {4, 0.5, 0}});
  const std::pair<Constraint, std::vector<double>> rows[] = {
      {"max_norm", {1.2, -1.0, 0, 1.6, 0.5, 0}},
      {MaxNorm{.max_value = 1, .axis = {1}},
       {0.9486832619, -0.3162277639, 0, 0.9922778606, 0.1240347326, 0}},
      {"non_neg", {3, 0, 0, 4, 0.5, 0}},
      {UnitNorm{}, {0.6, -0.8944270611, 0, 0.8, 0.4472135305, 0}},
      {MinMaxNorm{.min_value = 0.5, .max_value = 1.5, .rate = 0.25},
       {2.4749999046, -1, 0, 3.2999999523, 0.5, 0}},
      {MinMaxNorm{.min_value = 1, .max_value = 2, .axis = {0, -1}},
       {1.1710801125, -0.3903600276, 0, 1.5614401102, 0.1951800138, 0}},
      {[](const Tensor& w) { return w * 2.0; }, {6, -2, 0, 8, 1, 0}},
      {{}, {3, -1, 0, 4, 0.5, 0}},
  };
  for (const auto& [constraint, wanted] : rows) {
    const Literal found = constraint(Tensor(weight)).literal();
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_NEAR(found.number_at(static_cast<int64_t>(i)), wanted[i], 1e-6) << i;
  }
}

TEST(Constraint, HasAConfiguration) {
  const Constraint read = Constraint::from_config(
      Config::parse(R"({"class_name": "MaxNorm", "config": {"max_value": 3, "axis": 1}})"));
  EXPECT_EQ(read.config().text(), Constraint(MaxNorm{.max_value = 3, .axis = {1}}).config().text());
  EXPECT_EQ(Constraint("unit_norm").config()["class_name"], Config("UnitNorm"));
  EXPECT_TRUE(Constraint::from_config({}).is_none());
  EXPECT_TRUE(Constraint().config().is_null());
  const Constraint own = [](const Tensor& w) { return w; };
  EXPECT_THROW(own.config(), Unimplemented);
  EXPECT_THROW(Constraint::parse("max_nrm"), InvalidArgument);
}

// In a step of the user's own, and in a copy of the layer.
TEST(Constraint, HoldsAfterAStep) {
  const Network network =
      Sequential({Input{.shape = {2}},
                  Dense{.units = 1, .kernel_initializer = "ones", .kernel_constraint = "non_neg"}});
  for (const Network& one : {network, network.clone()}) {
    const Variable kernel = one.weights().at(0), bias = one.weights().at(1);
    const Optimizer optimizer = SGD{.learning_rate = 0.5};
    optimizer.apply_gradients(
        {Tensor(Literal::of<float>({{1}, {4}})), Tensor(Literal::of<float>({4}))}, {kernel, bias});
    EXPECT_EQ(kernel.literal().number_at(0), 0.5);
    EXPECT_EQ(kernel.literal().number_at(1), 0);
    EXPECT_EQ(bias.literal().number_at(0), -2);  // it has none
  }
}

TEST(Constraint, SaysWhatDoesNotFit) {
  EXPECT_THROW(MaxNorm{.axis = {2}}(Tensor(Literal(DType::f32, {2, 3}))), InvalidArgument);
  const Network network =
      Sequential({Input{.shape = {2}}, Dense{.units = 1, .bias_constraint = [](const Tensor& w) {
                                               return concat({w, w}, 0);
                                             }}});
  const Optimizer optimizer = SGD{};
  const Variable bias = network.weights().at(1);
  EXPECT_THROW(optimizer.apply_gradients({Tensor(Literal::of<float>({1}))}, {bias}),
               InvalidArgument);
}

}  // namespace
}  // namespace systolic
