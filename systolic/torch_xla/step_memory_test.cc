// The memory of a step: variables' new values lie where the old ones were, unless somebody still
// needs these; what a failure leaves.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/runtime/failing_client.h"
#include "systolic/runtime/open_client.h"
#include "systolic/torch_xla/ordinals/host_arrays.h"
#include "systolic/torch_xla/torch_xla.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/variable.h"

namespace systolic {
namespace {

constexpr int64_t width = 256;
constexpr int64_t weight_bytes = width * width * 4;

torch::nn::Linear square_layer() { return {width, width, {.bias = false}}; }

Literal waves(int64_t rows, int shift) {
  Literal result(DType::f32, {rows, width});
  int64_t i = shift;
  for (float& value : result.mutable_data<float>())
    value = static_cast<float>(++i * 37 % 101) / 101.0f - 0.5f;
  return result;
}

// What a step ends with, for a loop that keeps something over it.
struct Loop {
  const char* name;
  bool holds_weight = false;  // as it was before the step
  bool holds_gradient = true;
};

struct Trained {
  Literal weight;
  int64_t peak = 0;  // of a core
};

// Some steps of SGD with momentum: a weight, its momentum and its gradient.
void train(const torch::nn::Linear& model, const Loop& loop, Trained& trained) {
  torch::optim::SGD optimizer(model.parameters(), {.lr = 0.1, .momentum = 0.9});
  for (int step = 0; step < 4; ++step) {
    Literal before;
    torch::Tensor held;
    if (loop.holds_weight) {
      before = model.weight.literal();
      held = model.weight.value();
    }
    optimizer.zero_grad();
    model(torch::Tensor(waves(8, 100 * step + xm::get_ordinal()))).mean().backward();
    xm::reduce_gradients(optimizer);
    optimizer.step();
    if (!loop.holds_gradient) optimizer.zero_grad();
    torch_xla::sync();
    if (loop.holds_weight) {
      EXPECT_EQ(held.literal(), before) << loop.name;
    }
  }
  if (!xm::is_master_ordinal()) return;
  trained = {model.weight.literal(), xm::get_memory_info().peak_bytes_used};
}

Trained trained_on(int ordinals, const Loop& loop) {
  set_default_client(nullptr);  // whose peak begins at nothing
  torch::manual_seed(3);
  const torch::nn::Linear model = square_layer();
  Trained trained;
  if (ordinals == 0) {
    train(model, loop, trained);
  } else {
    xmp::spawn([&](int) { train(model, loop, trained); }, {.nprocs = ordinals});
  }
  return trained;
}

// With new memory for the new values a step would need five times the weight's bytes or more: the
// weight and its momentum twice, and the gradient.
TEST(StepMemory, NewValuesLieWhereTheOldOnesWere) {
  for (const int ordinals : {0, 1, 2, 8}) {
    const Trained plain = trained_on(ordinals, {.name = "plain"});
    EXPECT_LT(plain.peak, 4.9 * weight_bytes) << ordinals;
    const Trained less = trained_on(ordinals, {.name = "no gradient", .holds_gradient = false});
    EXPECT_EQ(less.weight, plain.weight) << ordinals;
    const Trained held = trained_on(ordinals, {.name = "old weight", .holds_weight = true});
    EXPECT_EQ(held.weight, plain.weight) << ordinals;
    EXPECT_GE(held.peak, plain.peak) << ordinals;
  }
}

// What all ordinals share is a value of each: none may take it from the others.
TEST(StepMemory, AVariableOfAllOrdinalsChangesOnAll) {
  set_default_client(nullptr);
  const Variable steps(constant({0.f, 1.f}), {.name = "steps"});
  xmp::spawn(
      [&](int) {
        for (int step = 1; step <= 3; ++step) {
          steps.assign_add(1);
          torch_xla::sync();
          xm::rendezvous("stepped");
          const auto now = static_cast<float>(step);
          EXPECT_EQ(steps.literal(), Literal::of<float>({now, now + 1}));
          xm::rendezvous("read");
        }
      },
      {.nprocs = 2});
}

// Every ordinal reads what is left after a step that failed.
std::vector<std::string> left_after(const runtime::Failure& failure) {
  const auto client =
      std::make_shared<runtime::FailingClient>(runtime::open_client({.tpu = "v3-8", .cores = 2}));
  set_default_client(client);
  torch::manual_seed(3);
  const torch::nn::Linear model = square_layer();
  std::vector<std::string> texts(2);
  xmp::spawn(
      [&](int index) {
        const Literal before = model.weight.literal();
        torch::optim::SGD optimizer(model.parameters(), {.lr = 0.1});
        model(torch::Tensor(waves(8, index))).mean().backward();
        xm::rendezvous("all have traced");
        if (index == 0) client->fail(failure);
        const std::string error =
            error_of([&] { xm::optimizer_step(optimizer, {.barrier = true}); });
        EXPECT_CONTAINS(error, "the device stopped");
        std::string& text = texts[static_cast<size_t>(index)];
        text = error_of([&] { EXPECT_EQ(model.weight.literal(), before); });
        model.weight.copy_(before);
        EXPECT_EQ(model.weight.literal(), before);
      },
      {.nprocs = 2});
  set_default_client(nullptr);
  return texts;
}

TEST(StepMemory, AStepThatFailsLeavesVariablesOrSaysThatTheyAreLost) {
  for (const std::string& text : left_after({})) EXPECT_EQ(text, "no error");
  for (const std::string& text : left_after({.overwrites = true})) {
    EXPECT_CONTAINS(text, "variable 'weight' lost its value");
    EXPECT_CONTAINS(text, "the device stopped");
  }
}

TEST(HostArrays, EqualOnesShareMemory) {
  torch_xla::HostArrays arrays;
  const Shape shape{64, 64};
  const auto add = [&](int ordinal, double value) {
    return arrays.add(ordinal, Literal::filled(DType::f32, shape, value));
  };
  const auto a = add(0, 0), b = add(1, 0), other = add(1, 2);
  EXPECT_EQ(a->host()->raw(), b->host()->raw());
  EXPECT_NE(a->host()->raw(), other->host()->raw());
  EXPECT_EQ(other->to_literal(), Literal::filled(DType::f32, shape, 2));
  // What has gone to the device is not on the host any more.
  const auto client = runtime::open_client({.cores = 1});
  for (const auto& one : {a, b}) one->lies_in(client->from_host(*other->host()));
  const auto c = add(0, 0);
  EXPECT_EQ(c->to_literal(), Literal::zeros(DType::f32, shape));
}

}  // namespace
}  // namespace systolic
