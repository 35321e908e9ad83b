// ended_fit FOLDER [steps]: trains a small model with every callback that knows something of its
// run, saves to FOLDER/backup after every third step, and goes on from there; with "steps" by
// TrainingCheckpoint, else by BackupAndRestore. Prints a line an epoch. At the end it writes to
// FOLDER/result what the run came to. Alone, or as one of several processes.
#include <iostream>
#include <memory>
#include <string>

#include "systolic/io/encoding/crc32c.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/systolic.h"

namespace systolic {
namespace {

// A callback of a user's.
struct Tally : Callback {
  double losses = 0;
  void on_epoch_end(int, const Logs& logs) override { losses += log_value(logs, "loss"); }
  Example save_state() const override { return {{"losses", losses}}; }
  void load_state(const Example& state) override { losses = state["losses"].item<double>(); }
};

void train(const std::string& folder, bool in_steps) {
  const TPUStrategy strategy(TPUClusterResolver("local", {.cores = 2}));
  set_seed(3);
  Model model = strategy.scope([] {
    return Sequential({Input{.shape = {3}}, Dense{.units = 4, .activation = "relu"},
                       Dropout{.rate = 0.3}, Dense{.units = 1}});
  });
  model.compile({.optimizer = Adam{.learning_rate = 0.05}, .loss = "mse", .metrics = {"mae"}});
  const data::Dataset rows = data::from_tensor_slices(
      std::pair(host_normal({60, 3}, 0, 1, 1), host_normal({60, 1}, 0, 1, 2)));
  const auto tally = std::make_shared<Tally>();
  CallbackPtr saver = BackupAndRestore{.backup_dir = folder + "/backup", .save_freq = 3};
  if (in_steps) saver = TrainingCheckpoint{.directory = folder + "/backup", .save_freq = 3};
  model.fit(
      rows.shuffle(60, {.seed = 5}).batch(4),
      {.epochs = 60,
       .validation_data = rows.batch(20),
       .validation_freq = 2,
       .callbacks = {saver, tally, EarlyStopping{.patience = 20, .restore_best_weights = true},
                     ReduceLROnPlateau{.monitor = "loss", .factor = 0.5, .patience = 3},
                     ModelCheckpoint{.filepath = folder + "/best.safetensors",
                                     .monitor = "loss",
                                     .save_best_only = true},
                     CSVLogger{.filename = folder + "/log.csv"}},
       .resume = in_steps ? "auto" : "",
       .verbose = 2});
  if (process_index() != 0) return;
  uint32_t checksum = 0;
  for (const Literal& weight : model.get_weights())
    checksum = io::crc32c(weight.raw(), weight.byte_size(), checksum);
  io::write_file(folder + "/result",
                 str("weights ", checksum, "\nlearning rate ",
                     model.optimizer().learning_rate().item<double>(), "\nlosses ", tally->losses,
                     "\nbest ", io::crc32c(io::read_file(folder + "/best.safetensors")), "\n",
                     io::read_file(folder + "/log.csv")));
}

}  // namespace
}  // namespace systolic

int main(int argc, char** argv) try {
  const bool in_steps = argc == 3 && std::string(argv[2]) == "steps";
  if (argc != 2 && !in_steps) return 2;
  systolic::train(argv[1], in_steps);
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
