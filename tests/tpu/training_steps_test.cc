// Training steps as fit and strategy.run trace them, compiled by a TPU's own compiler for v3-8 and
// v5e:2x4, which no TPU is needed for.
#include <gtest/gtest.h>

#include <functional>
#include <iostream>

#include "backends/pjrt/tpu_compiler.h"
#include "systolic/base/test_errors.h"
#include "systolic/runtime/tpu_compiler.h"
#include "systolic/runtime/tpu_kind.h"
#include "systolic/systolic.h"
#include "systolic/trace/device/default_client.h"
#include "tests/tpu/recording_client.h"
#include "tests/tpu/transformer_block.h"

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

// A network, and one sample that it takes.
struct Example {
  const char* name;
  std::function<Network()> network;
  Shape sample;
  int64_t steps_per_execution = 1;
  DType dtype = DType::f32;
};
const std::vector<Example> examples = {
    {"convnet",
     [] {
       return Sequential({Input{.shape = {12, 12, 1}},
                          Conv2D{.filters = 8, .kernel_size = 3, .activation = "relu"},
                          Conv2D{.filters = 8, .kernel_size = 3, .activation = "relu"}, Flatten{},
                          Dense{.units = 16, .activation = "relu"}, Dense{.units = 10}});
     },
     {12, 12, 1}},
    {"mlp, two steps in an execution",
     [] {
       return Sequential({Input{.shape = {64}}, Dense{.units = 32, .activation = "relu"},
                          Dropout{.rate = 0.5}, Dense{.units = 10}});
     },
     {64},
     2},
    {"batch normalization",
     [] {
       return Sequential({Input{.shape = {8, 8, 3}}, Conv2D{.filters = 8, .kernel_size = 3},
                          BatchNormalization{}, ReLU{}, MaxPooling2D{}, GlobalAveragePooling2D{},
                          Dense{.units = 10}});
     },
     {8, 8, 3}},
    {"transformer block", [] { return transformer_block(16, 100, 32, 10); }, {16}, 1, DType::i32},
};

// The global form: one step over the whole batch, which the compiler splits over the cores.
void fit(const TPUStrategy& strategy, const Example& example) {
  Model model = strategy.scope([&] { return Model(example.network()); });
  model.compile({.optimizer = Adam{},
                 .loss = SparseCategoricalCrossentropy{.from_logits = true},
                 .metrics = {"sparse_categorical_accuracy"},
                 .steps_per_execution = example.steps_per_execution});
  const int64_t rows = 2 * batch;
  model.fit(Literal::zeros(example.dtype, example.sample.with_inserted(0, rows)),
            Literal::zeros(DType::i32, {rows}), {.batch_size = batch, .verbose = 0});
}

// The per-core form, the custom loop: a function of each core, with collectives.
void run_custom_loop(const TPUStrategy& strategy, const Example& example) {
  Model model = strategy.scope([&] { return Model(example.network()); });
  Optimizer optimizer = Adam{};
  DistributedDataset dataset = strategy.distribute_dataset(
      data::from_tensor_slices(
          std::pair(Literal::zeros(example.dtype, example.sample.with_inserted(0, batch)),
                    Literal::zeros(DType::i32, {batch})))
          .batch(batch));
  DistributedIterator iterator = iter(dataset);
  auto step = function(
      [&](const Batch& inputs) {
        GradientTape tape;
        const Tensor losses = sparse_categorical_crossentropy(
            inputs[1], model(inputs[0], {.training = true}), {.from_logits = true});
        const Tensor loss = compute_average_loss(losses, {.global_batch_size = batch});
        optimizer.apply_gradients(tape.gradient(loss, model.trainable_variables()),
                                  model.trainable_variables());
        return loss;
      },
      {.name = "train_step"});
  strategy.run(step, next(iterator));
}

ir::Module step_of(const Example& example, bool per_core) {
  const auto modules = modules_of([&](const TPUStrategy& strategy) {
    per_core ? run_custom_loop(strategy, example) : fit(strategy, example);
  });
  const auto step = modules.find("train_step");
  if (step != modules.end()) return step->second;
  ADD_FAILURE() << example.name << " has no train_step";
  return {};
}

bool skipped() {
  if (!runtime::find_libtpu().empty()) return false;
  std::cerr << "NOT CHECKED BY THE TPU'S COMPILER: there is no libtpu.so; `./run fetch` gets it\n";
  return true;
}

TEST(TrainingSteps, CompileForTpus) {
  if (skipped()) GTEST_SKIP() << "no libtpu.so";
  for (const Example& example : examples) {
    for (bool per_core : {false, true}) {
      const ir::Module step = step_of(example, per_core);
      const std::string name = str(example.name, per_core ? ", per core" : ", global");
      EXPECT_EQ(per_core ? step.num_replicas : step.num_partitions, 8) << name;
      for (const char* topology : {"v3-8", "v5e:2x4"}) {
        const runtime::TpuProgram program = runtime::compile_for_tpu(
            step, {.topology = topology, .effort = runtime::CompileEffort::o0});
        EXPECT_EQ(program.cores, 8) << name;
        EXPECT_GT(program.memory.arguments, 0) << name;
        EXPECT_GT(program.memory.aliased, 0) << name;  // variables stay where they are
        EXPECT_LT(program.memory.peak, program.memory.limit) << name;
        std::cout << name << ", " << program.kind << ": " << bytes_text(program.memory.peak)
                  << " a core, compiled in " << fixed(program.seconds, 1) << " s\n";
      }
    }
  }
}

// A slice of each generation with at least eight cores, as many as our table says.
TEST(TrainingSteps, CompileForEveryGeneration) {
  if (skipped()) GTEST_SKIP() << "no libtpu.so";
  const ir::Module step = step_of(examples[1], false);
  for (const char* topology :
       {"v2-8", "v3-8", "v4:2x2x2", "v5e:2x4", "v5p:2x2x2", "v6e:2x4", "tpu7x:2x2x1"}) {
    const TpuKind kind = parse_tpu_kind(topology);
    const runtime::TpuProgram program = runtime::compile_for_tpu(
        step, {.topology = topology, .effort = runtime::CompileEffort::o0});
    EXPECT_EQ(program.kind, kind.generation.device_kind) << topology;
    EXPECT_EQ(program.cores, kind.cores()) << topology;
    EXPECT_GT(program.cost.count("flops"), 0u) << topology;
    // Published memory, rounded, less what the compiler keeps for itself.
    const auto published = static_cast<double>(kind.generation.memory_bytes_per_core);
    EXPECT_NEAR(static_cast<double>(program.memory.limit), published, published / 10) << topology;
  }
}

// The program of more effort is another.
TEST(TrainingSteps, CompileAtTheEffortAskedFor) {
  if (skipped()) GTEST_SKIP() << "no libtpu.so";
  const ir::Module step = step_of(examples[1], false);
  const auto code_at = [&](runtime::CompileEffort effort) {
    return runtime::compile_for_tpu(step, {.topology = "v5e:2x4", .effort = effort}).memory.code;
  };
  EXPECT_NE(code_at(runtime::CompileEffort::o0), code_at(runtime::CompileEffort::o2));
}

// The compiler ends its process over a group of cores that one replica does not have.
const std::string bad_groups = R"(module @step {
    func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.all_reduce"(%x) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>} : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
  })";

TEST(TpuCompiler, IsNotAskedWhatWouldEndIt) {
  const std::string message = message_of<InvalidArgument>(
      [&] { runtime::compile_for_tpu(bad_groups, {.library = "nowhere.so", .name = "bad.mlir"}); });
  EXPECT_NE(message.find("bad.mlir:3:"), std::string::npos) << message;
  EXPECT_NE(message.find("core 1, expected cores in [0, 1)"), std::string::npos) << message;
}

// Asked all the same, it ends its own process; ours stays, and says why.
TEST(TpuCompiler, MayDieWithoutUs) {
  if (skipped()) GTEST_SKIP() << "no libtpu.so";
  const std::string message = message_of<InvalidArgument>([&] {
    pjrt::compile_text_for_tpu(bad_groups, {.topology = "v5e:2x2", .name = "bad groups"});
  });
  EXPECT_NE(message.find("the TPU's compiler crashed on 'bad groups' (signal 6"), std::string::npos)
      << message;
  EXPECT_NE(message.find("Check failed"), std::string::npos) << message;
}

TEST(TpuCompiler, SaysWhereAProgramIsWrongAndWhatDoesNotFit) {
  if (skipped()) GTEST_SKIP() << "no libtpu.so";
  const std::string message = message_of<InvalidArgument>([] {
    runtime::compile_for_tpu("module { func.func @main() { stablehlo.foo } }",
                             {.name = "foo.mlir"});
  });
  EXPECT_NE(message.find("foo.mlir:1:30: op stablehlo.foo"), std::string::npos) << message;
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
