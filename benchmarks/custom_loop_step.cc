// Steps of the custom training loop: strategy.run of a compiled function with a GradientTape, one
// function per core.
#include <CLI/CLI.hpp>

#include "benchmarks/convnet.h"
#include "benchmarks/measure.h"
#include "systolic/base/stopwatch.h"
#include "systolic/systolic.h"

namespace systolic {
namespace {

struct Arguments {
  int filters = 32;
  int64_t batch = 200;
  int64_t steps = 20;
  int64_t warm_up = 3;
  int cores = 8;
};

void run(const Arguments& arguments) {
  const TPUClusterResolver resolver("v3-8", {.cores = arguments.cores});
  initialize_tpu_system(resolver);
  const TPUStrategy strategy(resolver);
  Model model = strategy.scope([&] { return convnet(arguments.filters); });
  Optimizer optimizer = Adam{};

  auto train_step = function([&](const Batch& batch) {
    GradientTape tape;
    const Tensor logits = model(batch["image"], {.training = true});
    const Tensor losses =
        sparse_categorical_crossentropy(batch["label"], logits, {.from_logits = true});
    const Tensor loss = compute_average_loss(losses, {.global_batch_size = arguments.batch});
    optimizer.apply_gradients(tape.gradient(loss, model.trainable_variables()),
                              model.trainable_variables());
    return loss;
  });

  const auto batches = data::from_tensors(random_digits({arguments.batch, 28, 28, 1})).repeat();
  DistributedIterator iterator = iter(strategy.distribute_dataset(batches));
  History history;
  for (int64_t step = 0; step < arguments.warm_up + arguments.steps; ++step) {
    const Stopwatch watch;
    const PerReplica losses = strategy.run(train_step, next(iterator));
    const Tensor loss = strategy.reduce(ReduceOp::sum, losses);
    history.step_losses.push_back(loss.item<float>());
    history.step_milliseconds.push_back(watch.milliseconds());
  }
  print_result("custom_loop", history, arguments.warm_up, 0);
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) {
  CLI::App app("Measures steps of a custom training loop on the MNIST convnet.");
  systolic::Arguments arguments;
  app.add_option("--filters", arguments.filters, "filters of both convolutions")
      ->capture_default_str();
  app.add_option("--batch", arguments.batch, "global batch")->capture_default_str();
  app.add_option("--steps", arguments.steps, "steps that count")->capture_default_str();
  app.add_option("--warm-up", arguments.warm_up, "steps before them")->capture_default_str();
  app.add_option("--cores", arguments.cores, "cores of the TPU to use")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  systolic::run(arguments);
}
