// Steps of Model::fit on the MLP 784-128-10, the whole of a step: input, step, metrics. Its peer is
// benchmarks/peers/jax_mlp.py.
#include <CLI/CLI.hpp>

#include "benchmarks/measure.h"
#include "systolic/base/process/process.h"
#include "systolic/systolic.h"

namespace systolic {
namespace {

struct Arguments {
  int64_t batch = 32;
  int64_t steps = 2000;
  int64_t warm_up = 200;
  int64_t steps_per_execution = 1;
  std::string profile;
};

// The steps that count.
ProfileOptions profiled_steps(const Arguments& arguments) {
  if (arguments.profile.empty()) return {};
  return {.steps = {arguments.warm_up + 1, arguments.warm_up + arguments.steps},
          .folder = arguments.profile};
}

void run(const Arguments& arguments) {
  const TPUClusterResolver resolver;
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  Model model = strategy.scope([&] {
    Model made = Sequential(
        {Input{.shape = {784}}, Dense{.units = 128, .activation = "relu"}, Dense{.units = 10}});
    made.compile({.optimizer = Adam{},
                  .loss = SparseCategoricalCrossentropy{.from_logits = true},
                  .metrics = {"sparse_categorical_accuracy"},
                  .steps_per_execution = arguments.steps_per_execution});
    return made;
  });
  const auto batches = data::from_tensor_slices(random_digits({64 * arguments.batch, 784}))
                           .batch(arguments.batch)
                           .cache()
                           .repeat();
  double first_step_ms = 0;
  const auto note_first_step = [&](int64_t, const Logs&) {
    if (first_step_ms == 0) first_step_ms = milliseconds_since_start();
  };
  const int64_t steps = arguments.warm_up + arguments.steps;
  const int64_t executions =
      (steps + arguments.steps_per_execution - 1) / arguments.steps_per_execution;
  const History history =
      model.fit(batches, {.epochs = 1,
                          .steps_per_epoch = executions * arguments.steps_per_execution,
                          .callbacks = {LambdaCallback({.on_train_batch_end = note_first_step})},
                          .profile = profiled_steps(arguments),
                          .verbose = 0});
  print_result("mlp", history, arguments.warm_up / arguments.steps_per_execution, first_step_ms);
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  CLI::App app("Measures steps of fit on an MLP.");
  systolic::Arguments arguments;
  app.add_option("--batch", arguments.batch, "global batch")->capture_default_str();
  app.add_option("--steps", arguments.steps, "steps that count")->capture_default_str();
  app.add_option("--warm-up", arguments.warm_up, "steps before them")->capture_default_str();
  app.add_option("--profile", arguments.profile, "record the steps that count, to this folder");
  app.add_option("--steps-per-execution", arguments.steps_per_execution, "steps of one execution")
      ->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  systolic::run(arguments);
}
