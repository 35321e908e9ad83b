// The custom training loop of the TensorFlow guide "Use TPUs", line by line: GradientTape,
// strategy.run, metrics by hand, then several steps inside one function.
//
//   custom_loop --epochs 2 --steps 20
#include <CLI/CLI.hpp>
#include <iostream>

#include "examples/common/command_line.h"
#include "examples/common/mnist_data.h"
#include "systolic/systolic.h"
#include "systolic/train/state/model_facts.h"

using namespace systolic;

namespace {

struct Arguments {
  std::string data, cache = ".cache/mnist", strategy = "tpu";
  int64_t epochs = 2, steps = 60, batch = 200, filters = 8, smoke = 0;
  int cores = 8;
  double target = 0;
};

Model create_model(int64_t filters) {
  return Sequential({Input{.shape = {28, 28, 1}}, Rescaling{.scale = 1.0 / 255},
                     Conv2D{.filters = filters, .kernel_size = 3, .activation = "relu"},
                     Conv2D{.filters = filters, .kernel_size = 3, .activation = "relu"}, Flatten{},
                     Dense{.units = 64, .activation = "relu"}, Dense{.units = 10}});
}

Strategy make_strategy(const Arguments& arguments) {
  if (arguments.strategy == "none") return Strategy();
  if (arguments.strategy == "mirrored") return MirroredStrategy(arguments.cores);
  TPUClusterResolver resolver("local", {.cores = arguments.cores});
  initialize_tpu_system(resolver);
  return TPUStrategy(resolver);
}

// What an epoch adds up.
struct Totals {
  Metric loss = Mean{.name = "training_loss"};
  Metric accuracy = SparseCategoricalAccuracy{.name = "training_accuracy"};

  void reset_state() {
    loss.reset_state();
    accuracy.reset_state();
  }
  Logs logs() const {
    return {{"loss", loss.result().item<double>()}, {"accuracy", accuracy.result().item<double>()}};
  }
};

void report(int64_t step, const Logs& logs) {
  std::cout << "Current step: " << step << ", training loss: " << fixed(log_value(logs, "loss"), 4)
            << ", accuracy: " << fixed(100 * log_value(logs, "accuracy"), 2) << "%" << std::endl;
}

// What --monitor and --tensorboard show of the loop.
TrainingRunOptions told(const Arguments& arguments, int64_t steps, const Model& model,
                        const Optimizer& optimizer, const Totals& training) {
  return {.name = "custom_loop",
          .epochs = static_cast<int>(arguments.epochs) + 1,
          .steps = steps,
          .batch_size = arguments.batch,
          .read_logs = [&training] { return training.logs(); },
          .read_learning_rate = [&optimizer] { return optimizer.learning_rate().item<double>(); },
          .read_weights = [&model] { return named_values(model.network()); },
          .model_json = [&model] { return keras_json(model.network()); }};
}

double train(const Arguments& arguments) {
  set_seed(1);
  const examples::MnistFiles files = examples::mnist_files(arguments.data, arguments.cache);
  const Strategy strategy = make_strategy(arguments);
  const int64_t steps = arguments.smoke > 0 ? arguments.smoke : arguments.steps;

  Model model = strategy.scope([&] { return create_model(arguments.filters); });
  Optimizer optimizer = Adam{};
  Totals training;

  DistributedDataset dataset =
      strategy.distribute_datasets_from_function([&](const InputContext& context) {
        return examples::training_batches(files,
                                          context.get_per_replica_batch_size(arguments.batch), 1);
      });
  DistributedIterator iterator = iter(dataset);

  auto step_fn = [&](const Batch& inputs) {
    GradientTape tape;
    const Tensor logits = model(inputs["image"], {.training = true});
    const Tensor losses =
        sparse_categorical_crossentropy(inputs["label"], logits, {.from_logits = true});
    const Tensor loss = compute_average_loss(losses, {.global_batch_size = arguments.batch});
    optimizer.apply_gradients(tape.gradient(loss, model.trainable_variables()),
                              model.trainable_variables());
    training.loss.update_state(loss * strategy.num_replicas_in_sync());
    training.accuracy.update_state(inputs["label"], logits);
  };
  auto train_step =
      function([&] { strategy.run(step_fn, next(iterator)); }, {.name = "train_step"});
  auto train_multiple_steps = function(
      [&](const Tensor& count) {
        for_range(count, [&](const Tensor&) { strategy.run(step_fn, next(iterator)); });
      },
      {.name = "train_multiple_steps"});

  TrainingRun run(told(arguments, steps, model, optimizer, training));
  for (int64_t epoch = 0; epoch < arguments.epochs; ++epoch) {
    run.begin_epoch(static_cast<int>(epoch));
    std::cout << "Epoch: " << epoch << "/" << arguments.epochs << std::endl;
    training.reset_state();
    for (int64_t step = 0; step < steps; ++step) {
      train_step();
      run.end_step();
    }
    run.end_epoch(training.logs());
    report(optimizer.iterations().item<int64_t>(), training.logs());
  }
  // The step count is a Tensor, so that another count needs no new trace.
  training.reset_state();
  run.begin_epoch(static_cast<int>(arguments.epochs));
  train_multiple_steps(convert_to_tensor(static_cast<int32_t>(steps)));
  run.end_step({.steps = steps});
  run.end_epoch(training.logs());
  report(optimizer.iterations().item<int64_t>(), training.logs());
  return log_value(training.logs(), "accuracy");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("A custom training loop on TPU cores", "custom_loop");
  Arguments arguments;
  const CLI::Validator positive = examples::at_least(1);
  app.add_option("--data", arguments.data,
                 "folder with MNIST's four IDX files, or `digits`: drawn by the program (default)");
  app.add_option("--cache", arguments.cache, "where the records go")->capture_default_str();
  app.add_option("--strategy", arguments.strategy)
      ->capture_default_str()
      ->check(CLI::IsMember({"tpu", "mirrored", "none"}));
  app.add_option("--epochs", arguments.epochs)->capture_default_str()->check(positive);
  app.add_option("--steps", arguments.steps, "an epoch")->capture_default_str()->check(positive);
  app.add_option("--batch", arguments.batch, "global batch")
      ->capture_default_str()
      ->check(positive);
  app.add_option("--filters", arguments.filters)->capture_default_str()->check(positive);
  app.add_option("--cores", arguments.cores)->capture_default_str()->check(positive);
  app.add_option("--smoke", arguments.smoke, "only this many steps an epoch")->check(positive);
  app.add_option("--target", arguments.target, "exit code 1 below this training accuracy")
      ->check(CLI::Range(0.0, 1.0));
  return examples::run_example(app, argc, argv,
                               [&] { return train(arguments) >= arguments.target ? 0 : 1; });
}
