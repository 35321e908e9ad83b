// Models whose layers are computed again for gradients (RematScope) train to the same weights, on
// all backends, in less memory.
#include <gtest/gtest.h>

#include <cmath>

#include "systolic/base/text.h"
#include "systolic/distribute/strategy.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/nn/nn.h"
#include "systolic/runtime/open_client.h"
#include "systolic/trace/device/default_client.h"
#include "systolic/trace/ops/random.h"
#include "systolic/train/model/model.h"

namespace systolic {
namespace {

struct RematCase {
  const char* name;
  Shape input;  // without the batch
  std::vector<Layer> (*layers)();
};

// Layers with all that could go wrong: random numbers, variables that they assign, loops on the
// device, losses of their own.
const RematCase remat_cases[] = {
    {"dense",
     {12},
     [] {
       return std::vector<Layer>{
           Dense{.units = 32, .activation = "gelu"},
           Dropout{.rate = 0.3},
           BatchNormalization{},
           Dense{.units = 16, .activation = "tanh", .kernel_regularizer = {.l2 = 0.01}},
           ActivityRegularization{.l2 = 0.1},
           Dense{.units = 3}};
     }},
    {"recurrent",
     {7, 6},
     [] {
       return std::vector<Layer>{LSTM{.units = 8, .dropout = 0.2, .return_sequences = true},
                                 GRU{.units = 8}, Dense{.units = 3}};
     }},
    {"convolutional",
     {8, 8, 2},
     [] {
       return std::vector<Layer>{
           Conv2D{.filters = 8, .kernel_size = 3, .padding = "same", .activation = "relu"},
           BatchNormalization{},
           MaxPooling2D{.pool_size = 2},
           SpatialDropout2D{.rate = 0.2},
           Conv2D{.filters = 4, .kernel_size = 3},
           Flatten{},
           Dense{.units = 3}};
     }},
    {"transformer",
     {6, 16},
     [] {
       return std::vector<Layer>{
           TransformerEncoder{.intermediate_dim = 32, .num_heads = 4, .dropout = 0.1},
           TransformerEncoder{.intermediate_dim = 32, .num_heads = 4, .normalize_first = true},
           GlobalAveragePooling1D{}, Dense{.units = 3}};
     }},
};

struct RematRun {
  const char* what;
  int cores = 1;
  int64_t steps_per_execution = 1;
  const char* policy = "float32";
  bool interpreted = false;
};

Model made(const RematCase& one, const RematRun& run, const RematOptions& options) {
  set_seed(3);
  const auto make = [&] {
    const RematScope scope(options);
    const DTypePolicyScope policy(DTypePolicy::parse(run.policy));
    std::vector<Layer> layers{Input{.shape = one.input}};
    for (const Layer& layer : one.layers()) layers.push_back(layer);
    return Sequential(layers);
  };
  if (run.interpreted) return make();
  return TPUStrategy(TPUClusterResolver("v3-8", {.cores = run.cores})).scope(make);
}

struct RematTrained {
  std::vector<Literal> before, after;  // weights
};

RematTrained trained(const RematCase& one, const RematRun& run, const RematOptions& options) {
  set_default_client(run.interpreted ? runtime::open_client({.backend = "interpreter"}) : nullptr);
  Model model = made(one, run, options);
  model.compile({.optimizer = SGD{.learning_rate = 0.05, .momentum = 0.9},
                 .loss = "mse",
                 .steps_per_execution = run.steps_per_execution});
  const Shape batch = one.input.with_inserted(0, 16);
  RematTrained result{.before = model.get_weights(), .after = {}};
  model.fit(host_normal(batch, 0, 1, 1), host_normal({16, 3}, 0, 1, 2),
            {.epochs = 2, .batch_size = 8, .shuffle = false, .verbose = 0});
  result.after = model.get_weights();
  set_default_client(nullptr);
  return result;
}

// The largest of any two numbers.
double difference(const std::vector<Literal>& a, const std::vector<Literal>& b) {
  double largest = a.size() == b.size() ? 0 : HUGE_VAL;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i].shape() != b[i].shape()) return HUGE_VAL;
    for (int64_t k = 0; k < a[i].size(); ++k)
      largest = std::max(largest, std::abs(a[i].number_at(k) - b[i].number_at(k)));
  }
  return largest;
}

// The interpreter computes each op as it stands: to the bit. The software TPU fuses ops, in other
// ways where some are computed again, so that values may differ by a rounding: gradients by as many
// as there are ops on the way, here up to 16, and with them how far weights move.
double allowed(const RematRun& run, const RematTrained& wanted) {
  if (run.interpreted) return 0;
  const double rounding = std::string(run.policy) == "float32" ? 0x1p-23 : 0x1p-8;
  return 16 * rounding * difference(wanted.before, wanted.after);
}

TEST(Rematerialization, TrainsToTheSameWeights) {
  const RematRun runs[] = {
      {.what = "one core"},
      {.what = "eight cores", .cores = 8},
      {.what = "steps in a loop on the device", .steps_per_execution = 2},
      {.what = "bf16", .policy = "mixed_bfloat16"},
      {.what = "the interpreter", .interpreted = true},
  };
  const RematOptions options[] = {
      {}, {.mode = "activations"}, {.mode = "larger_than", .output_size_threshold = 150}};
  for (const RematCase& one : remat_cases) {
    for (const RematRun& run : runs) {
      const RematTrained wanted = trained(one, run, {.mode = "none"});
      EXPECT_GT(difference(wanted.before, wanted.after), 0.01) << one.name;
      for (const RematOptions& option : options) {
        const RematTrained got = trained(one, run, option);
        EXPECT_EQ(difference(got.before, wanted.before), 0);
        EXPECT_LE(difference(got.after, wanted.after), allowed(run, wanted))
            << one.name << ", " << run.what << ", " << option.mode.name();
      }
    }
  }
}

// The memory that training plans to have for `blocks` layers of a Transformer.
int64_t planned_bytes(int blocks, const RematOptions& options) {
  set_default_client(runtime::open_client({.tpu = "v3-8", .cores = 1}));
  Symbol x = input({.shape = {64, 32}}), y = x;
  {
    const RematScope scope(options);
    for (int i = 0; i < blocks; ++i)
      y = TransformerEncoder{.intermediate_dim = 128, .num_heads = 4}(y);
  }
  Model model(x, Dense{.units = 1}(y));
  model.compile({.optimizer = SGD{.learning_rate = 0.01}, .loss = "mse"});
  default_client()->reset_counters();
  model.train_on_batch(Literal::zeros(DType::f32, {16, 64, 32}),
                       Literal::zeros(DType::f32, {16, 64, 1}));
  const int64_t bytes = default_client()->counters(0).peak_memory_bytes;
  set_default_client(nullptr);
  return bytes;
}

// Each further layer takes its weights and what enters it, and not what it computes inside: 8
// arrays of hidden_size at least, of which 4 are those of its dense network.
TEST(Rematerialization, FurtherLayersTakeWhatEntersThem) {
  const auto each = [](const RematOptions& options) {
    return (planned_bytes(12, options) - planned_bytes(4, options)) / 8;
  };
  constexpr int64_t entering = 16 * 64 * 32 * 4, weights = (12 * 32 * 32 + 13 * 32) * 4;
  EXPECT_GT(each({.mode = "none"}), 8 * entering);
  EXPECT_LT(each({}), entering + 2 * weights);
}

}  // namespace
}  // namespace systolic
