#include "systolic/train/callbacks/backup_and_restore.h"

#include <utility>

#include "systolic/base/error.h"
#include "systolic/events/event_stream.h"
#include "systolic/io/files/file.h"
#include "systolic/train/callbacks/step_count.h"
#include "systolic/train/options/fit_options.h"
#include "systolic/train/saving/training_file.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {
namespace {

class Backup : public Callback {
 public:
  explicit Backup(BackupAndRestore options)
      : options_(std::move(options)),
        path_(options_.backup_dir + "/state.safetensors"),
        steps_(options_.save_freq, options_.location) {
    if (!options_.backup_dir.empty()) return;
    raise<InvalidArgument>({.what = "a BackupAndRestore without a backup_dir",
                            .hint = "BackupAndRestore{.backup_dir = \"run\"}",
                            .location = options_.location});
  }

  bool wants_input_state() const override { return true; }

  void before_fit(Model& model, FitOptions& options) override {
    if (io::exists(path_, options_.location)) {
      TrainingPlace place = load_training(model, path_, options_.location);
      const std::string where = place.epoch < options.epochs
                                    ? str("goes on in epoch ", place.epoch + 1, ", from ")
                                    : str("all epochs were done, by ");
      publish(events::Notice{{.text = str("BackupAndRestore: ", where, path_)}});
      options.initial_epoch = place.epoch;
      options.input_state = std::move(place.input);
    }
    epoch_ = options.initial_epoch;
  }
  void on_epoch_begin(int epoch) override { epoch_ = epoch; }
  void on_train_batch_begin(int64_t step) override { steps_.begin(step); }
  void on_train_batch_end(int64_t step, const Logs&) override {
    if (steps_.at(step)) save(epoch_);
  }
  void on_epoch_end(int epoch, const Logs&) override {
    epoch_ = epoch + 1;
    if (!steps_.counts()) save(epoch_);
  }
  void on_train_end(const Logs&) override {
    const bool is_done = epoch_ >= parameters().epochs || model().state()->run().is_stopped();
    if (!is_done || !options_.delete_checkpoint || !io::exists(path_, options_.location)) return;
    io::file_system(path_, options_.location).remove(path_, options_.location);
  }

 private:
  void save(int epoch) {
    save_training(model(), path_, {.epoch = epoch, .input = model().input_state()},
                  options_.location);
    publish(events::CheckpointWritten{.path = path_});
  }

  BackupAndRestore options_;
  std::string path_;
  StepCount steps_;
  int epoch_ = 0;
};

}  // namespace

BackupAndRestore::operator CallbackPtr() const { return std::make_shared<Backup>(*this); }

}  // namespace systolic::inline v0
