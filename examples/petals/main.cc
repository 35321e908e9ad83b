// Petals to the Metal: a convnet that was trained on other pictures learns to tell flowers, on
// eight TPU cores, and writes what the competition takes.
//
//   petals --data gs://…/flower-classification-with-tpus --model Xception --size 192
//
// TFRecords -> decoded, cropped and flipped at random -> a convnet of keras.applications, frozen at
// first, then trained whole with a learning rate that warms up -> macro F1 -> petals.keras ->
// loaded again as on another machine -> submission.csv. Without --data it draws five kinds of
// flowers; ImageNet's weights are --weights imagenet, or a file.
#include <CLI/CLI.hpp>
#include <cmath>
#include <fstream>
#include <iostream>

#include "examples/common/command_line.h"
#include "examples/petals/macro_f1.h"
#include "examples/petals/petals_data.h"
#include "systolic/applications/applications.h"
#include "systolic/systolic.h"

using namespace systolic;

namespace {

struct Arguments {
  std::string data, cache = ".cache/petals", application = "MobileNetV3Small", weights,
                    output = ".";
  int64_t size = 192, classes = 104, batch = 128, frozen_epochs = 2, epochs = 6, pictures = 400;
  int64_t smoke = 0;
  uint64_t seed = 1;
  double learning_rate = 4e-4, target = 0;
};

void add_options(CLI::App& app, Arguments& arguments) {
  const CLI::Validator positive = examples::at_least(1);
  app.add_option("--data", arguments.data,
                 "folder or gs:// address that holds tfrecords-jpeg-192x192 (default: drawn)");
  app.add_option("--cache", arguments.cache, "where drawn pictures go")->capture_default_str();
  app.add_option("--model", arguments.application, "of keras.applications: Xception, …")
      ->capture_default_str();
  app.add_option("--weights", arguments.weights, "imagenet, or a file (default: random)");
  app.add_option("--output", arguments.output, "folder of petals.keras and submission.csv")
      ->capture_default_str();
  app.add_option("--size", arguments.size, "of the pictures: 192, 224, 331 or 512")
      ->capture_default_str()
      ->check(examples::at_least(32));
  app.add_option("--classes", arguments.classes, "of --data")
      ->capture_default_str()
      ->check(examples::at_least(2));
  app.add_option("--batch", arguments.batch, "global batch: of all cores together")
      ->capture_default_str()
      ->check(positive);
  app.add_option("--frozen-epochs", arguments.frozen_epochs, "of the classifier alone")
      ->capture_default_str()
      ->check(examples::at_least(0));
  app.add_option("--epochs", arguments.epochs, "of the whole network, after that")
      ->capture_default_str()
      ->check(positive);
  app.add_option("--learning-rate", arguments.learning_rate, "the highest, of the whole network")
      ->capture_default_str();
  app.add_option("--pictures", arguments.pictures, "drawn for training")
      ->capture_default_str()
      ->check(examples::at_least(20));
  app.add_option("--seed", arguments.seed, "of weights, shuffling and augmentation")
      ->capture_default_str()
      ->check(examples::at_least(0));
  app.add_option("--target", arguments.target, "exit code 1 below this macro F1")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--smoke", arguments.smoke, "only this many steps an epoch, one epoch of each")
      ->check(positive);
}

// A body without its classifier, and a new classifier.
struct Transfer {
  Model body, whole;
};

Transfer make_model(const Arguments& arguments, int64_t classes) {
  const Shape shape{arguments.size, arguments.size, 3};
  Model body = applications::application(
      arguments.application,
      {.include_top = false, .weights = arguments.weights, .input_shape = shape, .pooling = "avg"});
  const Symbol picture = input({.shape = shape, .name = "image"});
  const Symbol logits = Dense{.units = classes, .name = "class"}(body.network()(picture));
  return {body, Model(picture, logits, {.name = "petals"})};
}

void compile(Model& model, double learning_rate) {
  model.compile({.optimizer = Adam{.learning_rate = learning_rate},
                 .loss = SparseCategoricalCrossentropy{.from_logits = true},
                 .metrics = {"sparse_categorical_accuracy"}});
}

// Up in a third of the epochs, then down by 20 % each: what a pretrained body knows is kept.
CallbackPtr warm_up(double highest, int64_t epochs) {
  const int rising = static_cast<int>(std::max<int64_t>(1, epochs / 3));
  return LearningRateScheduler{[=](int epoch, double) {
    if (epoch < rising) return highest * (epoch + 1) / (rising + 1);
    return highest * std::pow(0.8, epoch - rising);
  }};
}

void train(Transfer& transfer, const data::Dataset& training, const data::Dataset& validation,
           int64_t steps, const Arguments& arguments) {
  const bool smoke = arguments.smoke > 0;
  const auto fit = [&](int64_t epochs, std::vector<CallbackPtr> callbacks) {
    transfer.whole.fit(training, {.epochs = static_cast<int>(smoke ? 1 : epochs),
                                  .steps_per_epoch = smoke ? arguments.smoke : steps,
                                  .validation_data = validation,
                                  .callbacks = std::move(callbacks)});
  };
  if (arguments.frozen_epochs > 0) {
    transfer.body.network().set_trainable(false);
    compile(transfer.whole, 1e-3);
    fit(arguments.frozen_epochs, {});
    transfer.body.network().set_trainable(true);
  }
  compile(transfer.whole, arguments.learning_rate);
  fit(arguments.epochs, {warm_up(arguments.learning_rate, arguments.epochs)});
}

double validate(const Model& model, const data::Dataset& validation) {
  std::vector<int64_t> labels;
  for (const Example& batch : validation) {
    const Literal& classes = batch["class"];
    for (int64_t i = 0; i < classes.shape().elements(); ++i)
      labels.push_back(classes.integer_at(i));
  }
  return examples::macro_f1(labels, examples::best_classes(model.predict(validation)));
}

void write_submission(const std::string& path, const std::vector<std::string>& ids,
                      const std::vector<int64_t>& classes) {
  std::ofstream file(path);
  file << "id,label\n";
  for (size_t i = 0; i < ids.size(); ++i) file << ids[i] << "," << classes[i] << "\n";
  if (!file.flush()) raise<Unavailable>({.what = str("'", path, "' cannot be written")});
  std::cout << ids.size() << " answers in " << path << "\n";
}

int run(const Arguments& arguments) {
  set_seed(arguments.seed);
  TPUClusterResolver resolver("v3-8");
  initialize_tpu_system(resolver);
  TPUStrategy strategy(resolver);
  const examples::PetalFiles files =
      arguments.data.empty()
          ? examples::draw_petals(arguments.cache, arguments.size, arguments.pictures)
          : examples::find_petals(arguments.data, arguments.size, arguments.classes);
  const examples::PetalBatches batches{.batch = arguments.batch,
                                       .size = arguments.size,
                                       .application = arguments.application,
                                       .seed = arguments.seed};
  const int64_t pictures = examples::count_petals(files.train);
  std::cout << "data: "
            << (arguments.data.empty() ? "flowers drawn by this program" : arguments.data) << ", "
            << files.classes << " classes, " << pictures << " training pictures\n";

  Transfer transfer = strategy.scope([&] { return make_model(arguments, files.classes); });
  const data::Dataset validation = examples::validation_petals(files.validation, batches);
  train(transfer, examples::training_petals(files.train, batches), validation,
        std::max<int64_t>(1, pictures / arguments.batch), arguments);
  const double f1 = validate(transfer.whole, validation);
  std::cout << "validation macro F1 " << fixed(f1, 4) << "\n";

  const std::string saved = arguments.output + "/petals.keras";
  transfer.whole.save(saved);
  const Model inference = load_model(saved, {.compile = false});
  write_submission(
      arguments.output + "/submission.csv", examples::petal_ids(files.test),
      examples::best_classes(inference.predict(examples::test_petals(files.test, batches))));
  return f1 >= arguments.target ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Train a pretrained convnet on pictures of flowers on TPU cores", "petals");
  Arguments arguments;
  add_options(app, arguments);
  return examples::run_example(app, argc, argv, [&] { return run(arguments); });
}
