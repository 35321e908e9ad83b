#include "systolic/train/callbacks/saving/backup_and_restore.h"

#include <optional>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/events/event_stream.h"
#include "systolic/io/files/file.h"
#include "systolic/train/callbacks/saving/run_saver.h"

namespace systolic::inline v0 {
namespace {

class Backup : public RunSaver {
 public:
  explicit Backup(const BackupAndRestore& options)
      : RunSaver("BackupAndRestore", options.backup_dir, options.save_freq, options.location),
        path_(options.backup_dir + "/state.safetensors"),
        previous_(options.backup_dir + "/previous.safetensors"),
        is_deleted_(options.delete_checkpoint) {
    if (!options.backup_dir.empty()) return;
    raise<InvalidArgument>({.what = "a BackupAndRestore without a backup_dir",
                            .hint = "BackupAndRestore{.backup_dir = \"run\"}",
                            .location = options.location});
  }

 protected:
  // The last file, or the one before where that is damaged; nothing where there is none.
  std::optional<Found> load(Model& model, FitOptions&) override {
    state_is_damaged_ = false;
    const bool has_previous = io::exists(previous_, location());
    try {
      if (io::exists(path_, location()))
        return Found{load_training(model, path_, location()), path_};
    } catch (const DataLoss& error) {
      if (!has_previous) throw;
      say(LogLevel::warning,
          str("the file before is taken, as the last one cannot be: ", error.report().what));
      state_is_damaged_ = true;
    }
    if (!has_previous) return std::nullopt;
    return Found{load_training(model, previous_, location()), previous_};
  }

  void write(const TrainingPlace& place, const Logs&) override {
    // A file that is damaged must not take the place of the good one before it.
    if (std::exchange(state_is_damaged_, false)) {
      save_training(model(), path_, place, location());
    } else {
      save_training_generation(model(), path_, previous_, place, location());
    }
    publish(events::CheckpointWritten{.path = path_});
  }

  bool keeps_last() const override { return false; }

  // Where another callback fails at the end of training, the files stay.
  void let_go(bool complete) noexcept override {
    if (!complete || !is_deleted_) return;
    try {
      for (const std::string& path : {path_, previous_}) {
        if (io::exists(path, location()))
          io::file_system(path, location()).remove(path, location());
      }
    } catch (const Error& error) {
      say(LogLevel::warning, str("the run is done, and its files stay: ", error.report().what));
    }
  }

 private:
  const std::string path_, previous_;
  const bool is_deleted_;
  bool state_is_damaged_ = false;
};

}  // namespace

BackupAndRestore::operator CallbackPtr() const { return std::make_shared<Backup>(*this); }

}  // namespace systolic::inline v0
