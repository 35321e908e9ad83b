#include <gtest/gtest.h>

#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/torch/generator.h"
#include "systolic/torch/nn/linear.h"
#include "systolic/torch/nn/loss.h"
#include "systolic/torch/optim/sgd.h"
#include "systolic/torch_xla/xm.h"
#include "systolic/torch_xla/xmp.h"

namespace systolic {
namespace {

constexpr int64_t rows = 16, features = 3;

// Rows i * k sin-like numbers, the same on every machine.
Literal numbers(int64_t first, int64_t count, int64_t columns) {
  Literal result(DType::f32, {count, columns});
  auto values = result.mutable_data<float>();
  for (int64_t i = 0; i < count * columns; ++i) {
    values[static_cast<size_t>(i)] =
        static_cast<float>((first * columns + i) * 37 % 101) / 101.0f - 0.5f;
  }
  return result;
}

// The losses of some steps over the whole batch, as `ordinals` see it together.
std::vector<float> losses_on(int ordinals) {
  torch::manual_seed(7);
  const xmp::MpModelWrapper MX(torch::nn::Linear(features, 2));
  std::vector<float> result;
  xmp::spawn(
      [&](int index) {
        const torch::nn::Linear model = MX.to(xm::xla_device());
        torch::optim::SGD optimizer(model.parameters(), {.lr = 0.1, .momentum = 0.9});
        const int64_t share = rows / xm::xrt_world_size();
        for (int step = 0; step < 5; ++step) {
          const torch::Tensor x = numbers(index * share + step, share, features);
          const torch::Tensor y = numbers(index * share + step + 50, share, 2);
          optimizer.zero_grad();
          const torch::Tensor loss = torch::nn::MSELoss()(model(x), y);
          loss.backward();
          xm::optimizer_step(optimizer, {.barrier = true});
          const float mean = xm::mesh_reduce("loss", loss.item<float>(), [](const auto& all) {
            float sum = 0;
            for (float one : all) sum += one;
            return sum / static_cast<float>(all.size());
          });
          if (xm::is_master_ordinal()) result.push_back(mean);
        }
      },
      {.nprocs = ordinals, .start_method = "fork"});
  return result;
}

TEST(Spawn, AnyNumberOfOrdinalsLearnsTheSame) {
  const std::vector<float> one = losses_on(1);
  ASSERT_EQ(one.size(), 5u);
  for (int ordinals : {2, 8}) {
    const std::vector<float> more = losses_on(ordinals);
    ASSERT_EQ(more.size(), one.size());
    for (size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(more[i], one[i], 1e-6) << ordinals;
  }
}

}  // namespace
}  // namespace systolic
