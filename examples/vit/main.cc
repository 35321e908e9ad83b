// Fine-tunes a vision transformer on folders of pictures, on eight TPU cores.
//
//   vit --model vit-base-patch16-224 --data flower_photos --epochs 3 --picture rose.jpg
//
// Class folders -> TFRecords -> image processor -> batches -> AutoModelForImageClassification ->
// fit -> accuracy on a fifth that was held back -> saved, loaded, asked. Without --data it draws
// five kinds of flowers, without --model it makes a small ViT of random weights.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>

#include "examples/common/command_line.h"
#include "examples/common/pictures.h"
#include "examples/vit/small_vit.h"
#include "systolic/systolic.h"

using namespace systolic;

namespace {

struct Arguments {
  std::string model, data, cache = ".cache/vit";
  std::vector<std::string> pictures_to_name;
  int64_t epochs = 0, batch = 64, pictures = 150, smoke = 0;
  double learning_rate = 0, target = 0;
  uint64_t seed = 1;
  bool freeze = false;
};

void add_options(CLI::App& app, Arguments& arguments) {
  const CLI::Validator positive = examples::at_least(1);
  app.add_option("--model", arguments.model,
                 "folder of a pretrained ViT or DeiT and its image processor (default: a small "
                 "one, made here)");
  app.add_option("--data", arguments.data,
                 "folder with a folder of pictures for each class (default: drawn flowers)");
  app.add_option("--cache", arguments.cache, "where records, drawn pictures and models go")
      ->capture_default_str();
  app.add_option("--epochs", arguments.epochs, "3 of a pretrained model, 16 of the small one")
      ->check(positive);
  app.add_option("--batch", arguments.batch, "global batch: of all cores together")
      ->capture_default_str()
      ->check(positive);
  app.add_option("--learning-rate", arguments.learning_rate,
                 "5e-5 of a pretrained model, 1e-3 of the small one");
  app.add_flag("--freeze", arguments.freeze, "train the new head alone");
  app.add_option("--pictures", arguments.pictures, "drawn of each class")
      ->capture_default_str()
      ->check(examples::at_least(5));
  app.add_option("--picture", arguments.pictures_to_name,
                 "file to name the class of in the end; may be repeated");
  app.add_option("--seed", arguments.seed, "of the new head, shuffling and flipping")
      ->capture_default_str()
      ->check(examples::at_least(0));
  app.add_option("--target", arguments.target, "exit code 1 below this test accuracy")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--smoke", arguments.smoke, "only this many steps, for a quick check")
      ->check(positive);
}

// Every picture of every epoch is flipped, or not, by a seed of its own: its running number.
data::Dataset training_batches(const std::string& path, const ImageProcessor& processor,
                               const Arguments& arguments) {
  const uint64_t seed = arguments.seed;
  return examples::read_records(path)
      .shuffle(10'000, {.seed = seed})
      .repeat()
      .enumerate()
      .map(examples::naming_the_file([processor, seed](const Example& element) -> Example {
             const auto number = static_cast<uint64_t>(element["index"].integer_at(0));
             const Literal picture = image::stateless_random_flip_left_right(
                 image::decode_image(element["image"].bytes(), {.channels = 3}),
                 image::element_seed(seed, number));
             return {{"pixel_values", processor(picture)}, {"labels", element["label"]}};
           }),
           {.num_parallel_calls = data::autotune})
      .batch(arguments.batch, {.drop_remainder = true})
      .prefetch(data::autotune);
}

data::Dataset test_batches(const std::string& path, const ImageProcessor& processor,
                           const Arguments& arguments) {
  return examples::read_records(path)
      .map(examples::naming_the_file([processor](const Example& element) -> Example {
             return {{"pixel_values", processor(element["image"])}, {"labels", element["label"]}};
           }),
           {.num_parallel_calls = data::autotune})
      .batch(arguments.batch)
      .prefetch(data::autotune);
}

void train(PretrainedModel& model, const ImageProcessor& processor, const Arguments& arguments,
           const examples::FlowerRecords& files) {
  const bool small = arguments.model.empty();
  if (arguments.freeze) model.freeze();
  const double rate = arguments.learning_rate > 0 ? arguments.learning_rate : small ? 1e-3 : 5e-5;
  model.compile({.optimizer = AdamW{.learning_rate = rate, .epsilon = 1e-8, .weight_decay = 0.01},
                 .metrics = {"accuracy"}});
  const int64_t epochs = arguments.epochs > 0 ? arguments.epochs : small ? 16 : 3;
  const int64_t steps = std::max<int64_t>(1, files.train_samples / arguments.batch);
  model.fit(training_batches(files.train, processor, arguments),
            {.epochs = static_cast<int>(arguments.smoke > 0 ? 1 : epochs),
             .steps_per_epoch = arguments.smoke > 0 ? arguments.smoke : steps});
}

double test_accuracy(PretrainedModel& model, const ImageProcessor& processor,
                     const Arguments& arguments, const examples::FlowerRecords& files) {
  model.compile({.metrics = {"accuracy"}});
  return model.evaluate(test_batches(files.test, processor, arguments), {.verbose = 0})["accuracy"];
}

// The pictures to name, as the model takes them: read before the training, so that one that is
// missing or damaged does not end a long run.
std::vector<Literal> read_pictures(const ImageProcessor& processor,
                                   const std::vector<std::string>& paths) {
  std::vector<Literal> pictures;
  for (const std::string& path : paths) {
    const std::string file = io::read_file(path);
    pictures.push_back(examples::within_file(path, [&] { return processor(file); }));
  }
  return pictures;
}

// The class that the model takes the picture for, and how sure it is.
void name_picture(const PretrainedModel& model, const std::string& path, const Literal& pixels) {
  const Shape& shape = pixels.shape();
  const Literal logits = model.predict(pixels.reshape({1, shape[0], shape[1], shape[2]}));
  int64_t best = 0;
  double sum = 0;
  for (int64_t i = 0; i < logits.size(); ++i) {
    if (logits.number_at(i) > logits.number_at(best)) best = i;
  }
  for (int64_t i = 0; i < logits.size(); ++i)
    sum += std::exp(logits.number_at(i) - logits.number_at(best));
  std::cout << path << ": " << model.config().labels().names.at(static_cast<size_t>(best)) << ", "
            << fixed(100 / sum, 1) << " %\n";
}

// The folder of the model to start with.
std::string starting_model(const Arguments& arguments) {
  if (!arguments.model.empty()) return arguments.model;
  const std::string folder = arguments.cache + "/small_vit";
  examples::make_small_vit(folder);
  std::cout << "model: a small ViT of random weights, not a pretrained one (--model DIR)\n";
  return folder;
}

int run(const Arguments& arguments) {
  set_seed(arguments.seed);
  TPUClusterResolver resolver("v3-8");
  initialize_tpu_system(resolver);
  TPUStrategy strategy(resolver);
  const examples::FlowerRecords files =
      examples::flower_records(arguments.data, arguments.cache, arguments.pictures);
  const std::string start = starting_model(arguments);
  const auto processor = AutoImageProcessor::from_pretrained(start);
  const std::vector<Literal> pictures = read_pictures(processor, arguments.pictures_to_name);
  PretrainedModel model = strategy.scope([&] {
    return AutoModelForImageClassification::from_pretrained(
        start, {.id2label = files.classes, .ignore_mismatched_sizes = true});
  });
  train(model, processor, arguments, files);
  const double accuracy = test_accuracy(model, processor, arguments, files);
  std::cout << "test accuracy " << fixed(accuracy, 4) << " over " << files.test_samples
            << " pictures\n";

  const std::string tuned = arguments.cache + "/tuned";
  model.save_pretrained(tuned);
  processor.save_pretrained(tuned);
  const auto saved_processor = AutoImageProcessor::from_pretrained(tuned);
  PretrainedModel saved =
      strategy.scope([&] { return AutoModelForImageClassification::from_pretrained(tuned); });
  const double again = test_accuracy(saved, saved_processor, arguments, files);
  std::cout << "the same from " << tuned << ": " << fixed(again, 4) << "\n";
  for (size_t i = 0; i < pictures.size(); ++i)
    name_picture(saved, arguments.pictures_to_name[i], pictures[i]);
  return accuracy >= arguments.target && again == accuracy ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Fine-tune a vision transformer on folders of pictures on TPU cores", "vit");
  Arguments arguments;
  add_options(app, arguments);
  return examples::run_example(app, argc, argv, [&] { return run(arguments); });
}
