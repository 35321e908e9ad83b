// Trains the convnet of the TensorFlow guide "Use TPUs" on MNIST, on eight TPU cores.
//
//   mnist --data DIR --filters 32 --epochs 2
//
// TFRecords -> Dataset -> Sequential -> TPUStrategy -> fit -> evaluate -> weights saved, loaded,
// checked.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "examples/common/command_line.h"
#include "examples/common/mnist_data.h"
#include "examples/mnist/report.h"
#include "systolic/base/process/process.h"
#include "systolic/runtime/tpu_kind.h"
#include "systolic/systolic.h"

using namespace systolic;

namespace {

struct Arguments {
  std::string data, cache = ".cache/mnist", tpu = "v3-8", precision = "f32", json, shard = "auto";
  int64_t filters = 32, epochs = 2, steps_per_epoch = -1, batch = 200, steps_per_execution = 1,
          smoke = 0;
  int cores = 8;
  uint64_t seed = 1;
  double target = 0;
};

void add_options(CLI::App& app, Arguments& arguments) {
  const CLI::Validator positive = examples::at_least(1);
  app.add_option(
      "--data", arguments.data,
      "folder with MNIST's four IDX files, or `digits`: drawn by the program (default of "
      "the program; ./run mnist downloads MNIST where it can)");
  app.add_option("--cache", arguments.cache, "where records and weights go")->capture_default_str();
  app.add_option("--filters", arguments.filters, "of each of the two convolutions")
      ->capture_default_str()
      ->check(positive);
  app.add_option("--epochs", arguments.epochs)->capture_default_str()->check(positive);
  app.add_option("--steps-per-epoch", arguments.steps_per_epoch, "default: the whole training set")
      ->check(positive);
  app.add_option("--tpu", arguments.tpu, "kind of the software TPU: v3-8, v5e-8, v5e:2x4 ...")
      ->capture_default_str();
  app.add_option("--cores", arguments.cores, "of that TPU; 0: all of them")
      ->capture_default_str()
      ->check(examples::at_least(0));
  app.add_option("--batch", arguments.batch, "global batch: of all cores together")
      ->capture_default_str()
      ->check(positive);
  app.add_option("--precision", arguments.precision, "f32 or bf16")
      ->capture_default_str()
      ->check(CLI::IsMember({"f32", "bf16"}));
  app.add_option("--steps-per-execution", arguments.steps_per_execution,
                 "training steps in one execution on the device")
      ->capture_default_str()
      ->check(positive);
  app.add_option("--seed", arguments.seed, "of weights and shuffling")
      ->capture_default_str()
      ->check(examples::at_least(0));
  app.add_option("--shard", arguments.shard,
                 "how several processes share the records: by file, or by row (data), for the "
                 "batches of one process")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "file", "data"}));
  app.add_option("--json", arguments.json, "write the results to this file");
  app.add_option("--target", arguments.target, "exit code 1 below this test accuracy")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--smoke", arguments.smoke, "only this many steps, for a quick check")
      ->check(positive);
}

// Eight, or all of a TPU that has fewer.
int cores_by_default(const Arguments& arguments) {
  return std::min(arguments.cores,
                  parse_tpu_kind(TPUClusterResolver(arguments.tpu).kind()).cores());
}

// Said before training, not after it.
void check_folder_of(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (folder.empty() || std::filesystem::is_directory(folder)) return;
  raise<NotFound>({.what = str("--json ", file, ": there is no folder '", folder.string(), "'"),
                   .hint = str("mkdir -p ", folder.string())});
}

int64_t steps_of(const Arguments& arguments, int64_t train_samples) {
  if (arguments.smoke > 0) return arguments.smoke;
  if (arguments.steps_per_epoch > 0) return arguments.steps_per_epoch;
  return std::max<int64_t>(1, train_samples / arguments.batch);
}

Model make_model(const Arguments& arguments) {
  Model model =
      Sequential({Input{.shape = {28, 28, 1}}, Rescaling{.scale = 1.0 / 255},
                  Conv2D{.filters = arguments.filters, .kernel_size = 3, .activation = "relu"},
                  Conv2D{.filters = arguments.filters, .kernel_size = 3, .activation = "relu"},
                  Flatten{}, Dense{.units = 256, .activation = "relu"},
                  Dense{.units = 128, .activation = "relu"}, Dense{.units = 10}});
  model.compile({.optimizer = Adam{},
                 .loss = SparseCategoricalCrossentropy{.from_logits = true},
                 .metrics = {"sparse_categorical_accuracy"},
                 .steps_per_execution = arguments.steps_per_execution});
  return model;
}

data::Dataset shared_as_asked(const data::Dataset& train, const std::string& shard) {
  using Policy = data::AutoShardPolicy;
  data::Options options;
  options.experimental_distribute.auto_shard_policy = shard == "file"   ? Policy::file
                                                      : shard == "data" ? Policy::data
                                                                        : Policy::automatic;
  return train.with_options(options);
}

std::string weights_path(const Arguments& arguments) {
  return arguments.cache + "/weights.safetensors";
}

// Saves the weights, loads them into a new model and evaluates that. Other runs may use the same
// cache: the file has a name of its own until it has been read.
Evaluation evaluate_reloaded(const Model& model, const TPUStrategy& strategy,
                             const data::Dataset& test, int64_t steps, const Arguments& arguments) {
  const std::string own = weights_path(arguments) + "." + std::to_string(getpid());
  model.save_weights(own);
  Model fresh = strategy.scope([&] { return make_model(arguments); });
  fresh.load_weights(own);
  std::filesystem::rename(own, weights_path(arguments));
  return fresh.evaluate(test, {.steps = steps, .verbose = 0});
}

// When the first step was finished: it reads the logs of that one, and waits for no other.
struct FirstStepClock : Callback {
  double first_step = 0;
  void on_train_batch_end(int64_t, const Logs&) override {
    if (first_step > 0) return;
    model().current_logs();
    first_step = milliseconds_since_start();
  }
};

int run(const Arguments& arguments) {
  check_folder_of(arguments.json);
  set_seed(arguments.seed);
  set_dtype_policy(
      DTypePolicy::parse(arguments.precision == "bf16" ? "mixed_bfloat16" : "float32"));
  TPUClusterResolver resolver(arguments.tpu, {.cores = arguments.cores});
  initialize_tpu_system(resolver);
  TPUStrategy strategy(resolver);
  const examples::MnistFiles files = examples::mnist_files(arguments.data, arguments.cache);
  std::cout << "data: "
            << (files.kind == "mnist" ? "MNIST from " + arguments.data
                                      : "digits drawn by this program, not MNIST")
            << ", " << files.train_samples << " training and " << files.test_samples
            << " test images" << std::endl;
  const data::Dataset train = shared_as_asked(
      examples::training_batches(files, arguments.batch, arguments.seed), arguments.shard);
  const data::Dataset test = examples::test_batches(files, arguments.batch);

  Model model = strategy.scope([&] { return make_model(arguments); });
  model.summary();
  const auto clock = std::make_shared<FirstStepClock>();
  const int64_t test_steps = arguments.smoke > 0 ? arguments.smoke : -1;
  FitOptions options{.epochs = static_cast<int>(arguments.smoke > 0 ? 1 : arguments.epochs),
                     .steps_per_epoch = steps_of(arguments, files.train_samples),
                     .validation_steps = test_steps,
                     .callbacks = {clock}};
  if (examples::is_watched()) options.validation_data = test;
  const History history = model.fit(train, options);

  const Evaluation result = model.evaluate(test, {.steps = test_steps});
  std::cout << "test accuracy " << fixed(result["sparse_categorical_accuracy"], 4) << " over "
            << result.samples << " samples\n";

  const Evaluation again = evaluate_reloaded(model, strategy, test, test_steps, arguments);
  std::cout << "the same from " << weights_path(arguments) << ": "
            << fixed(again["sparse_categorical_accuracy"], 4) << "\n";

  if (!arguments.json.empty()) {
    examples::write_report(arguments.json,
                           {.data = files.kind,
                            .cores = strategy.num_replicas_in_sync(),
                            .history = history,
                            .test_accuracy = result["sparse_categorical_accuracy"],
                            .test_samples = result.samples,
                            .reloaded_test_accuracy = again["sparse_categorical_accuracy"],
                            .first_step_ms = clock->first_step,
                            .batch = arguments.batch});
  }
  return result["sparse_categorical_accuracy"] >= arguments.target ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Train a convnet on MNIST on TPU cores", "mnist");
  Arguments arguments;
  add_options(app, arguments);
  return examples::run_example(app, argc, argv, [&] {
    if (app.count("--cores") == 0) arguments.cores = cores_by_default(arguments);
    return run(arguments);
  });
}
