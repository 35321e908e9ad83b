#include "systolic/torch_xla/accelerate.h"

#include <gtest/gtest.h>

#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/torch_xla/torch_xla.h"

namespace systolic {
namespace {

using torch::utils::data::DataLoader;
using torch::utils::data::TensorDataset;

TensorDataset ten_numbers() {
  Literal values(DType::f32, {10, 1});
  for (int64_t i = 0; i < 10; ++i) values.mutable_data<float>()[static_cast<size_t>(i)] = float(i);
  return TensorDataset({{"x", values}});
}

TEST(Accelerate, MetricsSeeEverySampleOnce) {
  std::vector<float> seen;
  xmp::spawn(
      [&](int index) {
        const accelerate::Accelerator accelerator;
        const auto loader = accelerator.prepare(DataLoader(ten_numbers(), {.batch_size = 2}));
        EXPECT_EQ(loader.size(), 3);
        for (const auto& batch : loader) {
          const torch::Tensor all = accelerator.gather_for_metrics(batch["x"] * 1.0);
          torch_xla::sync();
          if (index != 0) continue;
          const Literal values = all.literal();
          for (const float value : values.data<float>()) seen.push_back(value);
        }
      },
      {.nprocs = 2});
  EXPECT_EQ(seen, (std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

// The weight after each of four batches.
std::vector<float> weights_with(int64_t accumulation_steps) {
  std::vector<float> result;
  torch::manual_seed(1);
  const torch::nn::Linear model(1, 1, {.bias = false});
  model.weight.copy_(Literal::filled(DType::f32, {1, 1}, 1));
  xmp::spawn(
      [&](int index) {
        accelerate::Accelerator accelerator({.gradient_accumulation_steps = accumulation_steps});
        auto optimizer = accelerator.prepare(torch::optim::SGD(model.parameters(), {.lr = 0.1}));
        const auto loader = accelerator.prepare(DataLoader(ten_numbers(), {.batch_size = 1}));
        for (const auto& batch : loader) {
          accelerator.backward(torch::Tensor(model(batch["x"])).mean());
          optimizer.step();
          optimizer.zero_grad();
          torch_xla::sync();
          if (index == 0) result.push_back(model.weight.literal().item<float>());
        }
      },
      {.nprocs = 2});
  return result;
}

TEST(Accelerate, GradientsAddUpBeforeAnUpdate) {
  // Batches of two: means 0.5, 2.5, 4.5, 6.5, 8.5; the gradient is the mean of x.
  const std::vector<float> each = weights_with(1), second = weights_with(2);
  ASSERT_EQ(each.size(), 5u);
  ASSERT_EQ(second.size(), 5u);
  EXPECT_NEAR(each[4], 1 - 0.1 * (0.5 + 2.5 + 4.5 + 6.5 + 8.5), 1e-5);
  EXPECT_NEAR(second[0], 1, 1e-6);
  EXPECT_NEAR(second[1], 1 - 0.1 * (0.5 + 2.5) / 2, 1e-5);
  EXPECT_NEAR(second[4], 1 - 0.1 * (0.5 + 2.5 + 4.5 + 6.5 + 8.5) / 2, 1e-5);
}

TEST(Accelerate, WrongOptions) {
  EXPECT_CONTAINS(
      error_of([] { accelerate::Accelerator accelerator({.gradient_accumulation_steps = 0}); }),
      "gradient_accumulation_steps is 0");
}

}  // namespace
}  // namespace systolic
