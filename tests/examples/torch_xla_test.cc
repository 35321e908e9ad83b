// PyTorch/XLA's and accelerate's names, on the software TPU.
#include "systolic/torch_xla/torch_xla.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/systolic.h"
#include "tests/examples/matches.h"

namespace systolic {
namespace {

TEST(TorchXlaExamples, OutsideOfSpawnThereIsOneOrdinal) {
  EXPECT_EQ(xm::get_local_ordinal(), 0);
  EXPECT_EQ(xr::global_ordinal(), 0);
  EXPECT_EQ(xr::local_ordinal(), 0);
  EXPECT_EQ(xr::world_size(), 1);
  EXPECT_GE(xr::global_device_count(), 1);
  EXPECT_TRUE(torch_xla::device().is_xla());
}

TEST(TorchXlaExamples, EachOrdinalOfASpawn) {
  const xmp::SpawnOptions two{.nprocs = 2};
  xmp::MpSerialExecutor one_at_a_time;
  std::vector<double> sums, exchanged;
  xmp::spawn(
      [&](int ordinal) {
        const torch::Tensor mine = constant({static_cast<float>(ordinal + 1)});
        const xm::ReduceType adds = xm::ReduceType::sum;
        const torch::Tensor all = xm::all_reduce(adds, mine);
        xm::mark_step();
        xm::wait_device_ops();
        const double sum = numbers(all).front();
        const std::vector<int> both =
            torch_xla::exchange("example", ordinal, SourceLocation::current());
        one_at_a_time.run([&] {
          sums.push_back(sum);
          exchanged.push_back(both.at(1));
        });
      },
      two);
  EXPECT_EQ(sums, (std::vector<double>{3, 3}));
  EXPECT_EQ(exchanged, (std::vector<double>{1, 1}));
}

TEST(TorchXlaExamples, TheNewerSpelling) {
  const torch_xla::LaunchOptions alone{.debug_single_process = true};
  int calls = 0;
  torch_xla::launch([&](int) { ++calls; }, alone);
  EXPECT_EQ(calls, 1);
}

TEST(TorchXlaExamples, StepsAndWhatFollowsThem) {
  const torch::Parameter weight(Literal::of<float>({1}));
  torch::optim::SGD optimizer({weight}, {.lr = 0.5});
  const torch::Tensor loss = torch::Tensor(weight.value() * 3).sum();
  loss.backward();
  const xm::OptimizerStepOptions marks_a_step{.barrier = true};
  bool called = false;
  torch_xla::call_after_step([&] { called = true; });
  xm::optimizer_step(optimizer, marks_a_step);
  EXPECT_TRUE(called);
  expect_numbers(numbers(weight.literal()), {1 - 0.5 * 3});

  EXPECT_FALSE(met::counter_names().empty() && met::metric_names().empty());
  met::clear_all();
  EXPECT_TRUE(met::executed_fallback_ops().empty());
  const xm::SaveOptions by_the_master{.master_only = true};
  const std::string path = testing::TempDir() + "examples_of_xm.pt";
  xm::save(torch::StateDict({{"w", weight.literal()}}), path, by_the_master);
  EXPECT_EQ(torch::load(path).at("w"), weight.literal());
}

TEST(TorchXlaExamples, LoadersOfOneDevice) {
  const torch::utils::data::DataLoader loader(
      torch::utils::data::TensorDataset({{"x", Literal::of<float>({1, 2, 3})}}), {.batch_size = 2});
  const pl::ParallelLoaderOptions few{.loader_prefetch_size = 2};
  const torch::Device device = torch_xla::device();
  pl::ParallelLoader parallel(loader, {device}, few);
  const pl::PerDeviceLoader batches = parallel.per_device_loader(device);
  std::vector<double> found;
  for (const torch::utils::data::Batch& batch : batches)
    for (const double number : numbers(batch["x"])) found.push_back(number);
  EXPECT_EQ(found, (std::vector<double>{1, 2, 3}));
}

TEST(AccelerateExamples, GradientsOfTwoBatchesForOneUpdate) {
  const accelerate::AcceleratorOptions two{.gradient_accumulation_steps = 2};
  accelerate::Accelerator accelerator(two);
  const torch::Parameter weight(Literal::of<float>({0}));
  accelerate::AcceleratedOptimizer optimizer =
      accelerator.prepare(torch::optim::SGD({weight}, {.lr = 1}));
  const accelerate::PreparedLoader loader = accelerator.prepare(torch::utils::data::DataLoader(
      torch::utils::data::TensorDataset({{"x", Literal::of<float>({1, 3})}})));
  for (const torch::utils::data::Batch& batch : loader) {
    const torch::Tensor loss = torch::Tensor(weight.value() * batch["x"]).sum();
    accelerator.backward(loss);
    optimizer.step();
    optimizer.zero_grad();
  }
  expect_numbers(numbers(weight.literal()), {-(1 + 3) / 2.0});
  const accelerate::LoopState fresh;
  EXPECT_TRUE(fresh.sync_gradients);
}

}  // namespace
}  // namespace systolic
