// gradient_accumulation_steps in fit: the same weights however many steps are one execution, on
// however many cores, as one update by the batches together.
#include <gtest/gtest.h>

#include "systolic/distribute/strategy.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/nn/nn.h"
#include "systolic/trace/ops/random.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

Literal weights_of(const Optimizer& optimizer, int cores, int64_t steps, int64_t batch) {
  set_seed(2);
  Model model = TPUStrategy(TPUClusterResolver("v3-8", {.cores = cores})).scope([] {
    return Sequential({Input{.shape = {3}}, Dense{.units = 1, .use_bias = false}});
  });
  model.set_weights({host_normal({3, 1}, 0, 1, 5)});
  model.compile({.optimizer = optimizer, .loss = "mse", .steps_per_execution = steps});
  model.fit(host_normal({64, 3}, 0, 1, 1), host_normal({64, 1}, 0, 1, 2),
            {.epochs = 2, .batch_size = batch, .shuffle = false, .verbose = 0});
  return model.get_weights().front();
}

TEST(GradientAccumulation, IsOneUpdateByTheBatchesTogether) {
  struct Row {
    const char* what;
    std::function<Optimizer(int64_t accumulated)> optimizer;
  };
  const Row table[] = {
      {"adamw",
       [](int64_t n) { return AdamW{.learning_rate = 0.05, .gradient_accumulation_steps = n}; }},
      {"sgd with momentum",
       [](int64_t n) {
         return SGD{.learning_rate = 0.05, .momentum = 0.9, .gradient_accumulation_steps = n};
       }},
  };
  for (const Row& row : table) {
    const Literal wanted = weights_of(row.optimizer(1), 1, 1, 32);
    for (const auto& [cores, steps] : {std::pair<int, int64_t>{1, 1}, {1, 8}, {8, 1}, {8, 8}}) {
      const Literal got = weights_of(row.optimizer(4), cores, steps, 8);
      for (int64_t i = 0; i < 3; ++i) {
        // Sums in another order.
        EXPECT_NEAR(got.number_at(i), wanted.number_at(i), 1e-5)
            << row.what << " on " << cores << " cores, " << steps << " steps an execution";
      }
    }
  }
}

}  // namespace
}  // namespace systolic
