// random_resume FOLDER [CUT]: trains the model of FOLDER/case.txt with all callbacks, is ended as
// by a kill after CUT steps of this process, and goes on from there when it is started again.
// Writes what another library needs to do the same to FOLDER/data.npz, and what the run came to to
// FOLDER/weights.npz and FOLDER/result.txt. random_resume_test.py draws the cases.
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "systolic/nn/initializers/host_random.h"
#include "systolic/systolic.h"

namespace systolic {
namespace {

struct Case {
  std::vector<Layer> layers;
  std::string optimizer;
  double learning_rate = 0.01;
  bool shuffle = false, scheduled = false;
  int64_t rows = 40, features = 3, batch = 8, save_freq = -1;
  int epochs = 1, validation_freq = 1, patience = 1, plateau = 1;
};

Layer dense(std::istringstream& words) {
  int64_t units = 0;
  std::string activation, bias;
  words >> units >> activation >> bias;
  if (activation == "relu") return Dense{.units = units, .activation = "relu"};
  if (activation == "tanh") return Dense{.units = units, .activation = "tanh"};
  return Dense{.units = units, .use_bias = bias != "no_bias"};
}

Layer layer_of(const std::string& kind, std::istringstream& words) {
  if (kind == "dense") return dense(words);
  if (kind == "batch_normalization") return BatchNormalization{};
  if (kind == "layer_normalization") return LayerNormalization{};
  float rate = 0;
  words >> rate;
  return Dropout{.rate = rate};
}

void read_option(const std::string& name, std::istringstream& words, Case& one) {
  if (name == "optimizer") words >> one.optimizer >> one.learning_rate;
  if (name == "shuffle") words >> one.shuffle;
  if (name == "scheduled") words >> one.scheduled;
  if (name == "rows") words >> one.rows;
  if (name == "features") words >> one.features;
  if (name == "batch") words >> one.batch;
  if (name == "save_freq") words >> one.save_freq;
  if (name == "epochs") words >> one.epochs;
  if (name == "validation_freq") words >> one.validation_freq;
  if (name == "patience") words >> one.patience;
  if (name == "plateau") words >> one.plateau;
}

// A line is a layer, or an option and its value.
Case read_case(const std::string& folder) {
  Case one;
  std::ifstream file(folder + "/case.txt");
  std::string line, kind, name;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    words >> kind >> name;
    if (kind == "layer") one.layers.push_back(layer_of(name, words));
    if (kind == "option") read_option(name, words, one);
  }
  one.layers.insert(one.layers.begin(), Input{.shape = {one.features}});
  return one;
}

// Labels that have to do with the first feature, and noise.
Example samples(int64_t rows, int64_t features, uint64_t seed) {
  const Literal x = host_normal({rows, features}, 0, 1, seed);
  Literal y = host_normal({rows, 1}, 0, 0.3, seed + 1);
  for (size_t i = 0; i < static_cast<size_t>(rows); ++i)
    y.mutable_data<float>()[i] += std::sin(x.data<float>()[i * static_cast<size_t>(features)]);
  return {{"x", x}, {"y", y}};
}

void compile(Model& model, const Case& one) {
  const double rate = one.learning_rate;
  CompileOptions options{.loss = "mse", .metrics = {"mae"}};
  if (one.optimizer == "sgd") options.optimizer = SGD{.learning_rate = rate, .momentum = 0.9};
  if (one.optimizer == "adam") options.optimizer = Adam{.learning_rate = rate};
  if (one.optimizer == "rmsprop") options.optimizer = RMSprop{.learning_rate = rate};
  if (one.optimizer == "adamw") options.optimizer = AdamW{.learning_rate = rate};
  model.compile(options);
}

// A user's own, with what it knows.
struct Tally : Callback {
  double losses = 0;
  void on_epoch_end(int, const Logs& logs) override { losses += log_value(logs, "loss"); }
  Example save_state() const override { return {{"losses", losses}}; }
  void load_state(const Example& state) override { losses = state["losses"].item<double>(); }
};

struct Kill : Callback {
  explicit Kill(int64_t after) : steps_left(after) {}
  int64_t steps_left;
  bool comes_last() const override { return true; }
  void on_train_batch_end(int64_t, const Logs&) override {
    if (--steps_left == 0) ::_exit(9);
  }
};

std::vector<CallbackPtr> callbacks_of(const Case& one, const std::string& folder, int64_t cut,
                                      const CallbackPtr& tally) {
  std::vector<CallbackPtr> all{
      tally,
      EarlyStopping{.patience = one.patience, .restore_best_weights = true},
      ReduceLROnPlateau{.monitor = "loss", .factor = 0.5, .patience = one.plateau},
      ModelCheckpoint{.filepath = folder + "/best.safetensors",
                      .monitor = "loss",
                      .save_best_only = true,
                      .save_weights_only = true},
      CSVLogger{.filename = folder + "/log.csv"},
      TerminateOnNaN{},
      TensorBoard{.log_dir = folder + "/board"}};
  if (one.scheduled)
    all.push_back(LearningRateScheduler{[](int, double rate) { return 0.95 * rate; }});
  BackupAndRestore backup{.backup_dir = folder + "/backup"};
  if (one.save_freq > 0) backup.save_freq = one.save_freq;
  all.push_back(backup);
  all.push_back(std::make_shared<Kill>(cut));
  return all;
}

void add_weights(const Model& model, Example& arrays) {
  const std::vector<Literal> values = model.get_weights();
  for (size_t i = 0; i < values.size(); ++i) arrays.set(str("w", i), values[i]);
}

void write_data(const std::string& folder, const Model& model, const Example& training,
                const Example& validation) {
  if (std::filesystem::exists(folder + "/data.npz")) return;
  Example arrays{
      {"x", training["x"]}, {"y", training["y"]}, {"vx", validation["x"]}, {"vy", validation["y"]}};
  add_weights(model, arrays);
  io::write_npz(folder + "/data.npz", arrays);
}

void write_result(const std::string& folder, const Model& model, double losses) {
  Example weights;
  add_weights(model, weights);
  io::write_npz(folder + "/weights.npz", weights);
  io::write_file(folder + "/result.txt",
                 str("learning rate ", model.optimizer().learning_rate().item<double>(),
                     "\nlosses ", losses, "\n"));
}

void train(const std::string& folder, int64_t cut) {
  const Case one = read_case(folder);
  const Example training = samples(one.rows, one.features, 1),
                validation = samples(2 * one.batch, one.features, 3);
  set_seed(3);
  Model model = Sequential(one.layers);
  compile(model, one);
  write_data(folder, model, training, validation);
  const data::Dataset rows = data::from_tensor_slices(std::pair(training["x"], training["y"]));
  const auto tally = std::make_shared<Tally>();
  model.fit(
      (one.shuffle ? rows.shuffle(32, {.seed = 5}) : rows).batch(one.batch),
      {.epochs = one.epochs,
       .validation_data =
           data::from_tensor_slices(std::pair(validation["x"], validation["y"])).batch(one.batch),
       .validation_freq = one.validation_freq,
       .callbacks = callbacks_of(one, folder, cut, tally),
       .verbose = 0});
  write_result(folder, model, tally->losses);
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) try {
  if (argc < 2) return 2;
  systolic::train(argv[1], argc > 2 ? std::atoll(argv[2]) : -1);
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
