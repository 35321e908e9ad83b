#include "systolic/train/callbacks/saving/training_checkpoint.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/process/place_in_run.h"
#include "systolic/base/threads/background_task.h"
#include "systolic/cluster/run_seed.h"
#include "systolic/cluster/this_run.h"
#include "systolic/events/event_stream.h"
#include "systolic/train/callbacks/checks/needs_validation.h"
#include "systolic/train/callbacks/saving/run_saver.h"
#include "systolic/train/options/fit_options.h"
#include "systolic/train/weights/steps/step_folder.h"

namespace systolic::inline v0 {
namespace {

constexpr const char* training_checkpoint_name = "TrainingCheckpoint";

class StepSaver : public RunSaver {
 public:
  explicit StepSaver(const TrainingCheckpoint& options)
      : RunSaver(training_checkpoint_name, options.directory, options.save_freq, options.location),
        options_(options),
        monitor_(options.monitor, options.mode) {
    const ErrorScope scope(training_checkpoint_name, options.location);
    if (options.directory.empty()) {
      raise<InvalidArgument>({.what = "a TrainingCheckpoint without a directory",
                              .hint = "TrainingCheckpoint{.directory = \"run\"}"});
    }
    if (options.max_to_keep && *options.max_to_keep < 1) {
      raise<InvalidArgument>({.what = str("max_to_keep = ", *options.max_to_keep),
                              .wanted = "1 or more, or none for all"});
    }
  }

  void before_fit(Model& model, FitOptions& options) override {
    check_is_validated(str("TrainingCheckpoint monitors '", options_.monitor, "'"),
                       options_.monitor, model, options, counts_steps(), location());
    RunSaver::before_fit(model, options);
  }
  bool only_writes() const override { return false; }  // each process its part
  bool wants_batch_logs() const override { return counts_steps() && !options_.monitor.empty(); }
  void on_train_begin() override {
    if (watches()) monitor_.begin(training_checkpoint_name, model(), location());
  }
  void on_train_batch_end(int64_t step, const Logs& logs) override {
    if (writer_.poll()) tell_of_written();
    RunSaver::on_train_batch_end(step, logs);
  }
  void on_train_end(const Logs& logs) override {
    RunSaver::on_train_end(logs);
    wait();
  }

 protected:
  std::optional<Found> load(Model& model, FitOptions& options) override {
    known_ = step_checkpoints(folder(), location());
    const std::string resume = std::exchange(options.resume, {});
    std::optional<Found> found;
    if (resume == "auto") {
      found = last_good(model);
    } else if (!resume.empty()) {
      found = named(resume, model);
    }
    check_none_is_later(found ? found->place.step : -1);
    if (place_in_run().index == 0) remove_unfinished_steps(folder(), location());
    return found;
  }

  void write(const TrainingPlace& place, const Logs& logs) override {
    wait();
    const std::optional<TrainingPart> part = own_part();
    if (!part) return;
    StepCheckpoint one{.path = step_folder(folder(), place.step), .step = place.step};
    if (watches()) {
      one.value = monitor_.value(training_checkpoint_name, epoch(), logs);
      one.larger_is_better = monitor_.beats(1, 0);
    }
    written_ = one.path;
    const auto snapshot =
        std::make_shared<TrainingSnapshot>(training_snapshot(model(), place, *part));
    writer_.start([this, one, part, snapshot] { write_files(one, *part, *snapshot); });
    if (!options_.asynchronous) wait();
  }

  bool keeps_last() const override { return true; }

  void let_go(bool) noexcept override {
    try {
      wait();
    } catch (const std::exception& error) {
      say(LogLevel::warning, str("the last checkpoint was not written: ", error.what()));
    }
  }

 private:
  // Process 0 watches for all.
  bool watches() const { return !options_.monitor.empty() && place_in_run().index == 0; }

  // What this process writes; nothing where another one writes all for it.
  static std::optional<TrainingPart> own_part() {
    const PlaceInRun place = place_in_run();
    if (place.count == 1 || !cluster::this_run())
      return place.index == 0 ? std::optional(TrainingPart{}) : std::nullopt;
    return TrainingPart{.index = place.index,
                        .count = place.count,
                        .run = str(cluster::run_seed(cluster::this_machine()).value_or(0))};
  }

  // On the thread that writes. The folder is a checkpoint once all parts are there.
  void write_files(const StepCheckpoint& one, const TrainingPart& part,
                   TrainingSnapshot& snapshot) {
    constexpr double most_seconds = 600;
    if (part.index > 0) write_step_part(one, snapshot, part, location());
    if (part.count > 1) {
      cluster::this_run()->barrier(str("the parts of ", one.path), most_seconds);
      if (part.index > 0) return;
      check_step_parts(one, part.count, location());
    }
    write_step_checkpoint(one, std::move(snapshot), location());
    keep(one);
  }

  // What is damaged is none of the known ones then. Where all are, the first one's error is thrown.
  std::optional<Found> last_good(Model& model) {
    while (!known_.empty()) {
      if (auto found = loaded(known_.back(), model)) return found;
      known_.pop_back();
    }
    return std::nullopt;
  }

  std::optional<Found> loaded(const StepCheckpoint& one, Model& model) const {
    const auto pass_over = [&](const Error& error) {
      if (known_.size() == 1) throw;
      say(LogLevel::warning, str("an earlier checkpoint than '", one.path,
                                 "' is taken, as that cannot be: ", error.report().what));
    };
    try {
      return Found{load_training(model, one.file(), location(), place_in_run().index), one.path};
    } catch (const DataLoss& error) {
      pass_over(error);
    } catch (const NotFound& error) {  // its file was removed
      pass_over(error);
    }
    return std::nullopt;
  }

  Found named(const std::string& path, Model& model) const {
    if (!is_committed(path, location())) {
      raise<NotFound>({.what = str(training_checkpoint_name, ": '", path,
                                   "', from which fit is to resume, is no whole "
                                   "checkpoint of a run"),
                       .wanted = "\"auto\", or a folder such as run/step_000100",
                       .location = location()});
    }
    const StepCheckpoint one{.path = path};
    return {load_training(model, one.file(), location(), place_in_run().index), path};
  }

  // Two runs in one directory would take up each other's checkpoints.
  void check_none_is_later(int64_t step) const {
    if (known_.empty() || known_.back().step <= step) return;
    raise<FailedPrecondition>(
        {.what = str(training_checkpoint_name, ": '", folder(),
                     "' holds checkpoints of a run, the last of step ", known_.back().step),
         .got = step < 0 ? std::string("a fit that begins anew")
                         : str("a fit that goes on from step ", step),
         .wanted = "fit({.resume = \"auto\"}) to go on from the last one",
         .hint = "or another directory; or remove the checkpoints, if they are not needed",
         .location = location()});
  }

  // On the thread that writes: once the new one is whole, those go that are not to stay.
  void keep(const StepCheckpoint& one) {
    std::erase_if(known_, [&](const StepCheckpoint& other) { return other.step == one.step; });
    known_.push_back(one);
    if (!options_.max_to_keep) return;
    const StepCheckpoint* best = best_of(known_);
    std::vector<StepCheckpoint> kept;
    for (size_t i = 0; i < known_.size(); ++i) {
      const bool is_last = static_cast<int64_t>(known_.size() - i) <= *options_.max_to_keep;
      if (is_last || &known_[i] == best || !removed(known_[i])) kept.push_back(known_[i]);
    }
    known_ = std::move(kept);
  }

  // One that cannot be removed is tried again after the next checkpoint.
  bool removed(const StepCheckpoint& one) {
    try {
      remove_step_checkpoint(one, location());
      return true;
    } catch (const Error& error) {
      trouble_ = str("'", one.path, "' stays, as it cannot be removed: ", error.report().what);
      return false;
    }
  }

  void wait() {
    const std::string path = std::exchange(written_, {});
    writer_.wait();
    written_ = path;
    tell_of_written();
  }

  void tell_of_written() {
    if (!trouble_.empty()) say(LogLevel::warning, std::exchange(trouble_, {}));
    const std::string path = std::exchange(written_, {});
    if (path.empty()) return;
    events::Line line;
    if (options_.verbose > 0) line.text = str("saved the run to ", path);
    publish(events::CheckpointWritten{.path = path, .line = std::move(line)});
  }

  const TrainingCheckpoint options_;
  WatchedValue monitor_;
  // What follows belongs to the thread that writes, while it does.
  std::vector<StepCheckpoint> known_;
  std::string trouble_;
  std::string written_;  // or being written, and not told of
  BackgroundTask writer_;
};

}  // namespace

TrainingCheckpoint::operator CallbackPtr() const { return std::make_shared<StepSaver>(*this); }

}  // namespace systolic::inline v0
