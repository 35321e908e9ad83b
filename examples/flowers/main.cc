// Trains a small convnet on folders of pictures, on eight TPU cores.
//
//   flowers --data flower_photos --epochs 10
//
// JPEG files in class folders -> TFRecords -> decoded, cropped and flipped at random -> batches ->
// Sequential -> TPUStrategy -> fit -> evaluate. Without --data it draws five kinds of flowers.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "examples/common/command_line.h"
#include "examples/common/pictures.h"
#include "systolic/systolic.h"

using namespace systolic;

namespace {

struct Arguments {
  std::string data, cache = ".cache/flowers";
  int64_t epochs = 4, batch = 64, size = 48, pictures = 150, smoke = 0;
  uint64_t seed = 1;
  double target = 0;
  bool skip_damaged = false;
};

void add_options(CLI::App& app, Arguments& arguments) {
  const CLI::Validator positive = examples::at_least(1);
  app.add_option("--data", arguments.data,
                 "folder with a folder of pictures for each class (default: drawn flowers)");
  app.add_option("--cache", arguments.cache, "where records and drawn pictures go")
      ->capture_default_str();
  app.add_option("--epochs", arguments.epochs, "passes over the training pictures")
      ->capture_default_str()
      ->check(positive);
  app.add_option("--batch", arguments.batch, "global batch: of all cores together")
      ->capture_default_str()
      ->check(positive);
  app.add_option("--size", arguments.size, "height and width that the network sees")
      ->capture_default_str()
      ->check(examples::at_least(16));
  app.add_option("--pictures", arguments.pictures, "drawn of each class")
      ->capture_default_str()
      ->check(examples::at_least(5));
  app.add_option("--seed", arguments.seed, "of weights, shuffling and augmentation")
      ->capture_default_str()
      ->check(examples::at_least(0));
  app.add_option("--target", arguments.target, "exit code 1 below this test accuracy")
      ->check(CLI::Range(0.0, 1.0));
  app.add_flag("--skip-damaged", arguments.skip_damaged,
               "leave damaged pictures out and say which, instead of ending at the first");
  app.add_option("--smoke", arguments.smoke, "only this many steps, for a quick check")
      ->check(positive);
}

// After the map that decodes.
data::Dataset without_damaged(const data::Dataset& decoded, const Arguments& arguments) {
  return arguments.skip_damaged ? decoded.ignore_errors() : decoded;
}

// Every picture of every epoch draws from a seed of its own: its running number.
data::Dataset training_batches(const std::string& path, const Arguments& arguments) {
  const int64_t size = arguments.size;
  const uint64_t seed = arguments.seed;
  return examples::read_records(path)
      .shuffle(10'000, {.seed = seed})
      .repeat()
      .enumerate()
      .map(examples::naming_the_file([size, seed](const Example& element) -> Example {
             const auto number = static_cast<uint64_t>(element["index"].integer_at(0));
             const uint64_t own = image::element_seed(seed, number);
             Literal picture = image::decode_image(element["image"].bytes(), {.channels = 3});
             picture = image::random_resized_crop(picture, size, size, own, {.scale_low = 0.5});
             picture = image::stateless_random_flip_left_right(picture, own);
             return {{"image", image::normalize(picture, {.mean = {0.5}, .std = {0.5}})},
                     {"label", element["label"]}};
           }),
           {.num_parallel_calls = data::autotune})
      .apply([&](const data::Dataset& decoded) { return without_damaged(decoded, arguments); })
      .batch(arguments.batch, {.drop_remainder = true})
      .prefetch(data::autotune);
}

data::Dataset test_batches(const std::string& path, const Arguments& arguments) {
  const int64_t size = arguments.size;
  return examples::read_records(path)
      .map(examples::naming_the_file([size](const Example& element) -> Example {
             return {{"image",
                      image::decode_and_resize(
                          element["image"].bytes(), size, size,
                          {.antialias = true, .normalization = {.mean = {0.5}, .std = {0.5}}})},
                     {"label", element["label"]}};
           }),
           {.num_parallel_calls = data::autotune})
      .apply([&](const data::Dataset& decoded) { return without_damaged(decoded, arguments); })
      .batch(arguments.batch)
      .prefetch(data::autotune);
}

Model make_model(int64_t size, int64_t classes) {
  Model model =
      Sequential({Input{.shape = {size, size, 3}},
                  Conv2D{.filters = 16, .kernel_size = 3, .activation = "relu"}, MaxPooling2D{},
                  Conv2D{.filters = 32, .kernel_size = 3, .activation = "relu"}, MaxPooling2D{},
                  Conv2D{.filters = 64, .kernel_size = 3, .activation = "relu"},
                  GlobalAveragePooling2D{}, Dense{.units = classes}});
  model.compile({.optimizer = Adam{.learning_rate = 0.004},
                 .loss = SparseCategoricalCrossentropy{.from_logits = true},
                 .metrics = {"sparse_categorical_accuracy"}});
  return model;
}

int run(const Arguments& arguments) {
  set_seed(arguments.seed);
  TPUClusterResolver resolver("v3-8");
  initialize_tpu_system(resolver);
  TPUStrategy strategy(resolver);
  const examples::FlowerRecords files = examples::flower_records(
      arguments.data, arguments.cache, arguments.pictures, arguments.skip_damaged);

  Model model = strategy.scope(
      [&] { return make_model(arguments.size, static_cast<int64_t>(files.classes.size())); });
  const int64_t steps = std::max<int64_t>(1, files.train_samples / arguments.batch);
  const int64_t test_steps = arguments.smoke > 0 ? 1 : -1;
  const data::Dataset test = test_batches(files.test, arguments);
  FitOptions options{.epochs = static_cast<int>(arguments.smoke > 0 ? 1 : arguments.epochs),
                     .steps_per_epoch = arguments.smoke > 0 ? arguments.smoke : steps,
                     .validation_steps = test_steps};
  if (examples::is_watched()) options.validation_data = test;
  model.fit(training_batches(files.train, arguments), options);
  const Evaluation result = model.evaluate(test, {.steps = test_steps});
  const double accuracy = result["sparse_categorical_accuracy"];
  std::cout << "test accuracy " << fixed(accuracy, 4) << " over " << result.samples
            << " pictures\n";
  return accuracy >= arguments.target ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Train a convnet on folders of pictures on TPU cores", "flowers");
  Arguments arguments;
  add_options(app, arguments);
  return examples::run_example(app, argc, argv, [&] { return run(arguments); });
}
