// What optimizers declare to keep beside a variable is what their updates ask for.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "systolic/base/text.h"
#include "systolic/nn/nn.h"
#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic {
namespace {

Variable variable_w(const Shape& shape) {
  return {
      DType::f32, shape, [shape] { return Literal::filled(DType::f32, shape, 2); }, {.name = "w"}};
}

// "momentum f32(2, 3)" of those beside a variable, with what they start as where that is not 0.
std::vector<std::string> slots_of(const Optimizer& optimizer, bool with_values) {
  std::vector<std::string> texts;
  for (const auto& [name, variable] : optimizer.named_variables()) {
    if (!name.starts_with("w/")) continue;
    std::string text = str(name.substr(2), " ", variable.shape());
    const double first = variable.literal().number_at(0);
    if (with_values && first != 0) text += str(" of ", first);
    texts.push_back(text);
  }
  return texts;
}

TEST(DeclaredSlots, AreMadeByBuild) {
  struct Case {
    Optimizer (*make)();
    Shape shape;
    std::vector<std::string> wanted;
  };
  const Shape matrix{2, 3}, vector{3};
  const std::vector<std::string> both{"momentum (2, 3)", "velocity (2, 3)"};
  const Case cases[] = {
      {[]() -> Optimizer { return SGD{}; }, matrix, {}},
      {[]() -> Optimizer { return SGD{.momentum = 0.9}; }, matrix, {"momentum (2, 3)"}},
      {[]() -> Optimizer { return Adam{}; }, matrix, both},
      {[]() -> Optimizer { return Adam{.amsgrad = true}; },
       matrix,
       {"momentum (2, 3)", "velocity (2, 3)", "velocity_hat (2, 3)"}},
      {[]() -> Optimizer { return AdamW{.amsgrad = true}; },
       matrix,
       {"momentum (2, 3)", "velocity (2, 3)", "velocity_hat (2, 3)"}},
      {[]() -> Optimizer { return RMSprop{}; }, matrix, {"velocity (2, 3)"}},
      {[]() -> Optimizer { return RMSprop{.momentum = 0.5, .centered = true}; },
       matrix,
       {"velocity (2, 3)", "average_gradient (2, 3)", "momentum (2, 3)"}},
      {[]() -> Optimizer { return Adagrad{.initial_accumulator_value = 0.5}; },
       matrix,
       {"accumulator (2, 3) of 0.5"}},
      {[]() -> Optimizer { return Lamb{}; }, matrix, both},
      {[]() -> Optimizer { return Adadelta{}; },
       matrix,
       {"accumulated_grad (2, 3)", "accumulated_delta_var (2, 3)"}},
      {[]() -> Optimizer { return Adafactor{}; }, vector, {"velocity (3,)"}},
      {[]() -> Optimizer { return Adafactor{}; },
       {4, 2, 3},
       {"row_mean (4, 2)", "column_mean (4, 3)"}},
      {[]() -> Optimizer { return Adamax{}; }, matrix, {"momentum (2, 3)", "norm (2, 3)"}},
      {[]() -> Optimizer { return Ftrl{.initial_accumulator_value = 0.25}; },
       matrix,
       {"accumulator (2, 3) of 0.25", "linear (2, 3)"}},
      {[]() -> Optimizer { return Lion{}; }, matrix, {"momentum (2, 3)"}},
      {[]() -> Optimizer { return Muon{}; }, matrix, {"momentum (2, 3)"}},
      {[]() -> Optimizer { return Muon{}; }, vector, {"momentum (3,)", "velocity (3,)"}},
      {[]() -> Optimizer { return Nadam{}; },
       matrix,
       {"momentum_product () of 1", "momentum (2, 3)", "velocity (2, 3)"}},
      {[]() -> Optimizer { return ScheduleFreeAdamW{}; }, matrix, both},
      {[]() -> Optimizer { return Lion{.gradient_accumulation_steps = 2, .use_ema = true}; },
       matrix,
       {"accumulated_gradient (2, 3)", "momentum (2, 3)", "average (2, 3)"}},
  };
  for (const Case& one : cases) {
    const Optimizer built = one.make(), used = one.make();
    built.build({variable_w(one.shape)});
    EXPECT_EQ(slots_of(built, true), one.wanted) << built.name();
    EXPECT_EQ(built.iterations().item<int32_t>(), 0) << built.name();
    used.apply_gradients({zeros(one.shape)}, {variable_w(one.shape)});
    EXPECT_EQ(slots_of(used, false), slots_of(built, false)) << built.name();
  }
}

int updates = 0;

// An optimizer of a user's.
struct Undeclared {
  LearningRate learning_rate = 0.1;
  std::optional<double> weight_decay = {};
  GradientClipping clipping = {};
  std::string name = "own";
  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
    ++updates;
    const Slot sums = step.slot("sums", 3);
    sums.assign(sums.value() + gradient);
    return value - step.learning_rate() * sums.value();
  }
};
struct Declared : Undeclared {
  std::vector<OptimizerSlot> slots(const Variable&) const {
    return {{.name = "sums", .initial = 3}};
  }
};

TEST(DeclaredSlots, OfAUsersOptimizerAreAskedForOrTraced) {
  for (const auto& [optimizer, calls] :
       {std::pair(Optimizer(Declared{}), 0), std::pair(Optimizer(Undeclared{}), 1)}) {
    updates = 0;
    optimizer.build({variable_w({2})});
    EXPECT_EQ(updates, calls);
    EXPECT_EQ(slots_of(optimizer, true), std::vector<std::string>{"sums (2,) of 3"});
    EXPECT_EQ(optimizer.iterations().item<int32_t>(), 0);
  }
}

}  // namespace
}  // namespace systolic
