#include "systolic/train/callbacks/backup_and_restore.h"

#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/process/place_in_run.h"
#include "systolic/cluster/this_run.h"
#include "systolic/events/event_stream.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/io/files/owner_lock.h"
#include "systolic/train/callbacks/step_count.h"
#include "systolic/train/options/callback_states.h"
#include "systolic/train/options/fit_options.h"
#include "systolic/train/options/run_state.h"
#include "systolic/train/saving/training_file.h"
#include "systolic/train/state/model_state.h"
#include "systolic/train/step/metric_totals.h"

namespace systolic::inline v0 {
namespace {

void say(LogLevel level, std::string text) {
  publish(events::Notice{{.level = level, .text = "BackupAndRestore: " + std::move(text)}});
}

// 0 where it follows a schedule, which is the program's own.
double rate_of(const Model& model) {
  const Optimizer& optimizer = model.optimizer();
  return optimizer.has_schedule() ? 0 : optimizer.learning_rate().item<double>();
}

class Backup : public Callback {
 public:
  explicit Backup(BackupAndRestore options)
      : options_(std::move(options)),
        path_(options_.backup_dir + "/state.safetensors"),
        previous_(options_.backup_dir + "/previous.safetensors"),
        steps_(options_.save_freq, options_.location) {
    if (!options_.backup_dir.empty()) return;
    raise<InvalidArgument>({.what = "a BackupAndRestore without a backup_dir",
                            .hint = "BackupAndRestore{.backup_dir = \"run\"}",
                            .location = options_.location});
  }

  bool wants_input_state() const override { return true; }
  bool comes_last() const override { return true; }
  bool only_writes() const override { return true; }

  void before_fit(Model& model, FitOptions& options) override {
    own_folder();
    exceptions_ = std::uncaught_exceptions();
    is_done_ = false;
    others_.assign(options.callbacks.begin(), options.callbacks.end());
    state_is_damaged_ = false;
    given_rate_ = rate_of(model);
    std::optional<TrainingPlace> place = loaded(model);
    agree_with_other_processes(place, model);
    if (place) {
      options.initial_epoch = place->epoch;
      options.input_state = std::move(place->input);
      options.run_state = std::move(place->run);
      const std::string where = place->epoch < options.epochs
                                    ? str("goes on in epoch ", place->epoch + 1, ", from ")
                                    : str("all epochs were done, by ");
      say(LogLevel::info, where + taken_);
    }
    epoch_ = options.initial_epoch;
    has_news_ = false;
    trained_.reset();
  }
  // Where another callback fails at the end of training, the files stay.
  void after_fit() noexcept override {
    const bool failed = std::uncaught_exceptions() > exceptions_;
    if (is_done_ && !failed && options_.delete_checkpoint) remove_files();
    lock_.reset();
    others_.clear();
  }

  void on_epoch_begin(int epoch) override { epoch_ = epoch; }
  void on_train_batch_begin(int64_t step) override { steps_.begin(step); }
  void on_train_batch_end(int64_t step, const Logs&) override {
    has_news_ = true;
    if (steps_.at(step)) save(metric_totals(*model().state()));
  }
  // The validation of an epoch counts with the metrics' totals, and may be interrupted.
  void on_test_begin() override {
    if (!others_.empty()) trained_ = metric_totals(*model().state());
  }
  void on_epoch_end(int epoch, const Logs&) override {
    epoch_ = epoch + 1;
    trained_.reset();
    if (!steps_.counts()) save({});
  }
  // A run that is not done was interrupted: nothing of it is lost.
  void on_train_end(const Logs&) override {
    is_done_ = epoch_ >= parameters().epochs || model().state()->run().is_stopped();
    if (!is_done_ && has_news_) save(trained_.value_or(metric_totals(*model().state())));
  }

  // Whoever stopped the run: it is over also where the process ended before its end.
  Example save_state() const override {
    return {{"steps", steps_.since()},
            {"stopped", model().state()->run().is_stopped()},
            {"given_rate", given_rate_}};
  }
  void load_state(const Example& state) override {
    steps_.set_since(state["steps"].item<int64_t>());
    report_other_rate(state["given_rate"].item<double>());
    if (state["stopped"].item<bool>()) model().stop_training();
  }
  std::string state_name() const override { return "BackupAndRestore"; }

 private:
  // The rate in the file may be another than the run was given, by a plateau or a scheduler.
  void report_other_rate(double given_then) const {
    if (given_then == given_rate_) return;
    say(LogLevel::warning,
        str("the learning rate goes on from the file, ", rate_of(model()), ": compile() was given ",
            given_then, " when the run began, and now ", given_rate_,
            ", which is not taken. optimizer().set_learning_rate() in a callback's on_epoch_begin "
            "changes it"));
  }

  // On the local disk: other places have no locks. Process 0 writes, and owns it for its run.
  void own_folder() {
    if (lock_ || !io::scheme_of(options_.backup_dir).empty() || place_in_run().index != 0) return;
    io::make_folder(options_.backup_dir, options_.location);
    lock_.emplace(options_.backup_dir + "/owner.lock", "BackupAndRestore", options_.location);
    if (lock_->dead_owner().empty()) return;
    say(LogLevel::info, str("the run of ", lock_->dead_owner(), " left its lock on '",
                            options_.backup_dir, "', which is taken over"));
  }

  // The last file, or the one before where that is damaged; nothing where there is none.
  std::optional<TrainingPlace> loaded(Model& model) {
    const bool has_previous = io::exists(previous_, options_.location);
    taken_ = path_;
    try {
      if (io::exists(path_, options_.location))
        return load_training(model, path_, options_.location);
    } catch (const DataLoss& error) {
      if (!has_previous) throw;
      say(LogLevel::warning,
          str("the file before is taken, as the last one cannot be: ", error.report().what));
      state_is_damaged_ = true;
    }
    if (!has_previous) return std::nullopt;
    taken_ = previous_;
    return load_training(model, previous_, options_.location);
  }

  // Each process reads what process 0 wrote: all go on from there, or none does.
  void agree_with_other_processes(const std::optional<TrainingPlace>& place,
                                  const Model& model) const {
    const auto run = place_in_run().count > 1 ? cluster::this_run() : nullptr;
    if (!run) return;
    constexpr double most_seconds = 600;
    const std::string found = place ? str("a state of epoch ", place->epoch + 1, ", after ",
                                          model.optimizer().iterations().item<int64_t>(), " steps")
                                    : "no state";
    try {
      run->agree("what BackupAndRestore finds", found, most_seconds);
    } catch (const FailedPrecondition& error) {
      raise<FailedPrecondition>(
          {.what = str("BackupAndRestore, '", options_.backup_dir, "': ", error.report().what),
           .got = error.report().got,
           .wanted = error.report().wanted,
           .hint = "let backup_dir be a folder that all hosts see, as on NFS or gs://",
           .location = options_.location});
    }
  }

  // `totals`: of the metrics in the epoch under way.
  void save(const Example& totals) {
    TrainingPlace place{.epoch = epoch_, .input = model().input_state()};
    add_under(run_state::callbacks, callback_states(others()), place.run);
    add_under(run_state::metrics, totals, place.run);
    if (trained_) place.run.set(run_state::epoch_is_trained, Literal::scalar(true));
    // A file that is damaged must not take the place of the good one before it.
    if (std::exchange(state_is_damaged_, false)) {
      save_training(model(), path_, place, options_.location);
    } else {
      save_training_generation(model(), path_, previous_, place, options_.location);
    }
    has_news_ = false;
    publish(events::CheckpointWritten{.path = path_});
  }

  void remove_files() noexcept {
    try {
      for (const std::string& path : {path_, previous_}) {
        if (io::exists(path, options_.location))
          io::file_system(path, options_.location).remove(path, options_.location);
      }
    } catch (const Error& error) {
      say(LogLevel::warning, str("the run is done, and its files stay: ", error.report().what));
    }
  }

  std::vector<CallbackPtr> others() const {
    std::vector<CallbackPtr> all;
    for (const std::weak_ptr<Callback>& one : others_) {
      if (CallbackPtr callback = one.lock()) all.push_back(std::move(callback));
    }
    return all;
  }

  BackupAndRestore options_;
  std::string path_, previous_, taken_;
  StepCount steps_;
  std::optional<io::OwnerLock> lock_;
  std::vector<std::weak_ptr<Callback>> others_;  // this one too
  int epoch_ = 0;
  double given_rate_ = 0;  // by compile()
  bool state_is_damaged_ = false;
  bool is_done_ = false;
  int exceptions_ = 0;     // under way when fit began
  bool has_news_ = false;  // steps since the last save
  // The metrics' totals of an epoch whose steps are all done, while it is validated.
  std::optional<Example> trained_;
};

}  // namespace

BackupAndRestore::operator CallbackPtr() const { return std::make_shared<Backup>(*this); }

}  // namespace systolic::inline v0
