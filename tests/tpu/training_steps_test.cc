// Training steps as fit and strategy.run trace them, compiled by a TPU's own compiler for v3-8 and
// v5e:2x4, which no TPU is needed for.
#include <gtest/gtest.h>

#include <functional>
#include <iostream>

#include "systolic/base/test_errors.h"
#include "systolic/runtime/tpu_compiler.h"
#include "systolic/systolic.h"
#include "systolic/trace/default_client.h"
#include "tests/tpu/recording_client.h"

namespace systolic {
namespace {

constexpr int64_t batch = 16;

// The modules that `train` compiles on eight cores.
std::map<std::string, ir::Module> modules_of(const std::function<void(const TPUStrategy&)>& train) {
  TPUClusterResolver resolver("v3-8");
  initialize_tpu_system(resolver);
  const auto recorder = std::make_shared<RecordingClient>(default_client());
  set_default_client(recorder);
  train(TPUStrategy(resolver));
  set_default_client(nullptr);
  return recorder->modules();
}

void fit(const TPUStrategy& strategy, const std::function<Network()>& network, Shape image,
         int64_t steps_per_execution = 1) {
  Model model = strategy.scope([&] { return Model(network()); });
  model.compile({.optimizer = Adam{},
                 .loss = SparseCategoricalCrossentropy{.from_logits = true},
                 .metrics = {"sparse_categorical_accuracy"},
                 .steps_per_execution = steps_per_execution});
  const int64_t rows = 2 * batch;
  model.fit(Literal::zeros(DType::f32, image.with_inserted(0, rows)),
            Literal::zeros(DType::i32, {rows}), {.batch_size = batch, .verbose = 0});
}

void fit_convnet(const TPUStrategy& strategy) {
  fit(strategy,
      [] {
        return Sequential({Input{.shape = {12, 12, 1}},
                           Conv2D{.filters = 8, .kernel_size = 3, .activation = "relu"},
                           Conv2D{.filters = 8, .kernel_size = 3, .activation = "relu"}, Flatten{},
                           Dense{.units = 16, .activation = "relu"}, Dense{.units = 10}});
      },
      {12, 12, 1});
}

void fit_mlp(const TPUStrategy& strategy) {
  fit(
      strategy,
      [] {
        return Sequential({Input{.shape = {64}}, Dense{.units = 32, .activation = "relu"},
                           Dropout{.rate = 0.5}, Dense{.units = 10}});
      },
      {64}, 2);
}

void fit_batch_normalization(const TPUStrategy& strategy) {
  fit(strategy,
      [] {
        return Sequential({Input{.shape = {8, 8, 3}}, Conv2D{.filters = 8, .kernel_size = 3},
                           BatchNormalization{}, ReLU{}, MaxPooling2D{}, GlobalAveragePooling2D{},
                           Dense{.units = 10}});
      },
      {8, 8, 3});
}

// The custom loop: a function of each core, with collectives.
void run_custom_loop(const TPUStrategy& strategy) {
  Model model = strategy.scope([] {
    return Model(Sequential(
        {Input{.shape = {64}}, Dense{.units = 32, .activation = "relu"}, Dense{.units = 10}}));
  });
  Optimizer optimizer = SGD{.learning_rate = 0.1};
  DistributedDataset dataset = strategy.distribute_dataset(
      data::from_tensor_slices(Literal::zeros(DType::f32, {batch, 64})).batch(batch));
  DistributedIterator iterator = iter(dataset);
  auto step = function(
      [&](const Batch& inputs) {
        GradientTape tape;
        const Tensor losses = mean(square(model(inputs[0], {.training = true})), {.axes = {1}});
        const Tensor loss = compute_average_loss(losses, {.global_batch_size = batch});
        optimizer.apply_gradients(tape.gradient(loss, model.trainable_variables()),
                                  model.trainable_variables());
        return loss;
      },
      {.name = "train_step"});
  strategy.run(step, next(iterator));
}

struct Row {
  const char* name;
  std::function<void(const TPUStrategy&)> train;
  bool per_core = false;
};
const std::vector<Row> rows = {
    {"convnet", fit_convnet},
    {"mlp, two steps in an execution", fit_mlp},
    {"batch normalization", fit_batch_normalization},
    {"custom loop", run_custom_loop, true},
};

bool skipped() {
  if (!runtime::find_libtpu().empty()) return false;
  std::cerr << "NOT CHECKED BY THE TPU'S COMPILER: there is no libtpu.so; `./run fetch` gets it\n";
  return true;
}

TEST(TrainingSteps, CompileForTpus) {
  if (skipped()) GTEST_SKIP() << "no libtpu.so";
  for (const Row& row : rows) {
    const auto modules = modules_of(row.train);
    const auto step = modules.find("train_step");
    ASSERT_NE(step, modules.end()) << row.name;
    EXPECT_EQ(row.per_core ? step->second.num_replicas : step->second.num_partitions, 8)
        << row.name;
    for (const char* topology : {"v3-8", "v5e:2x4"}) {
      const runtime::TpuProgram program = runtime::compile_for_tpu(
          step->second, {.topology = topology, .effort = runtime::CompileEffort::o0});
      EXPECT_EQ(program.cores, 8) << row.name;
      EXPECT_GT(program.memory.arguments, 0) << row.name;
      EXPECT_GT(program.memory.aliased, 0) << row.name;  // variables stay where they are
      EXPECT_LT(program.memory.peak, program.memory.limit) << row.name;
      std::cout << row.name << ", " << program.kind << ": " << bytes_text(program.memory.peak)
                << " a core, compiled in " << fixed(program.seconds, 1) << " s\n";
    }
  }
}

// The compiler ends its process over a group of cores that one replica does not have; ours stays,
// and says why.
TEST(TpuCompiler, MayDieWithoutUs) {
  if (skipped()) GTEST_SKIP() << "no libtpu.so";
  const std::string text = R"(module @step {
    func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>} : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
  })";
  const std::string message = message_of<InvalidArgument>(
      [&] { runtime::compile_for_tpu(text, {.topology = "v5e:2x2", .name = "bad groups"}); });
  EXPECT_NE(message.find("the TPU's compiler died of 'bad groups' (signal 6"), std::string::npos)
      << message;
  EXPECT_NE(message.find("Check failed"), std::string::npos) << message;
}

TEST(TpuCompiler, SaysWhereAProgramIsWrongAndWhatDoesNotFit) {
  if (skipped()) GTEST_SKIP() << "no libtpu.so";
  EXPECT_THROW(runtime::compile_for_tpu("module { func.func @main() { stablehlo.foo } }"),
               InvalidArgument);
  EXPECT_THROW(runtime::compile_for_tpu(R"(module @big {
    func.func public @main(%x: tensor<65536x65536xf32>) -> tensor<65536x65536xf32> {
      %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<65536x65536xf32>, tensor<65536x65536xf32>) -> tensor<65536x65536xf32>
      return %0 : tensor<65536x65536xf32>
    }
  })"),
               ResourceExhausted);
}

}  // namespace
}  // namespace systolic
