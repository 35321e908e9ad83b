#include "systolic/train/callbacks/saving/run_saver.h"

#include <exception>
#include <memory>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/process/place_in_run.h"
#include "systolic/cluster/this_run.h"
#include "systolic/events/event_stream.h"
#include "systolic/io/files/file_system.h"
#include "systolic/io/files/make_folder.h"
#include "systolic/train/callbacks/checks/given_options.h"
#include "systolic/train/model/model_access.h"
#include "systolic/train/options/callback_states.h"
#include "systolic/train/options/fit_options.h"
#include "systolic/train/options/run_state.h"
#include "systolic/train/step/metric_totals.h"

namespace systolic::inline v0 {
namespace {

// 0 where it follows a schedule, which is the program's own.
double rate_of(const Model& model) {
  const Optimizer& optimizer = model.optimizer();
  return optimizer.has_schedule() ? 0 : optimizer.learning_rate().item<double>();
}

Literal given_bytes(const std::string& text) {
  return Literal::from(std::vector<uint8_t>(text.begin(), text.end()),
                       {static_cast<int64_t>(text.size())});
}

std::string given_text(const Literal& bytes) {
  const auto data = bytes.data<uint8_t>();
  return {data.begin(), data.end()};
}

}  // namespace

RunSaver::RunSaver(std::string name, std::string folder, std::optional<int64_t> save_freq,
                   SourceLocation location)
    : name_(std::move(name)),
      folder_(std::move(folder)),
      location_(location),
      steps_(save_freq, location) {}

void RunSaver::say(LogLevel level, const std::string& text) const {
  publish(events::Notice{{.level = level, .text = str(name_, ": ", text)}});
}

void RunSaver::before_fit(Model& model, FitOptions& options) {
  own_folder();
  exceptions_ = std::uncaught_exceptions();
  is_done_ = has_news_ = in_epoch_ = false;
  trained_.reset();
  others_.assign(options.callbacks.begin(), options.callbacks.end());
  given_rate_ = rate_of(model);
  given_ = given_options(view_of(model).compiled());
  std::optional<Found> found = load(model, options);
  agree_with_other_processes(found, model);
  step_ = 0;
  if (found) go_on_from(std::move(*found), options);
  epoch_ = options.initial_epoch;
}

void RunSaver::go_on_from(Found found, FitOptions& options) {
  TrainingPlace& place = found.place;
  if (!options.run_state.empty()) {
    raise<InvalidArgument>({.what = str(name_, ": another callback has taken the run up already"),
                            .wanted = "one BackupAndRestore or TrainingCheckpoint",
                            .location = location_});
  }
  step_ = place.step;
  options.initial_epoch = place.epoch;
  options.input_state = std::move(place.input);
  options.run_state = std::move(place.run);
  say(LogLevel::info,
      str(place.epoch < options.epochs ? str("goes on in epoch ", place.epoch + 1, ", from ")
                                       : std::string("all epochs were done, by "),
          found.path));
}

void RunSaver::after_fit() noexcept {
  const bool failed = std::uncaught_exceptions() > exceptions_;
  let_go(is_done_ && !failed);
  lock_.reset();
  others_.clear();
}

void RunSaver::on_train_batch_begin(int64_t step) {
  steps_.begin(step);
  first_step_ = step;
}

void RunSaver::on_train_batch_end(int64_t step, const Logs& logs) {
  has_news_ = in_epoch_ = true;
  step_ += step - first_step_ + 1;
  if (steps_.at(step)) save(metric_totals(model()), logs);
}

// The validation of an epoch counts with the metrics' totals, and may be interrupted.
void RunSaver::on_test_begin() {
  if (!others_.empty()) trained_ = metric_totals(model());
}

void RunSaver::on_epoch_end(int epoch, const Logs& logs) {
  epoch_ = epoch + 1;
  trained_.reset();
  in_epoch_ = false;
  if (!steps_.counts()) save({}, logs);
}

// A run that is not done was interrupted: nothing of it is lost.
void RunSaver::on_train_end(const Logs& logs) {
  is_done_ = epoch_ >= parameters().epochs || is_stopped(model());
  if (!has_news_ || (is_done_ && !keeps_last())) return;
  if (!in_epoch_) return save({}, logs);
  save(trained_ ? *trained_ : metric_totals(model()), logs);
}

// Whoever stopped the run: it is over also where the process ended before its end.
Example RunSaver::save_state() const {
  return {{"steps", steps_.since()},
          {"stopped", is_stopped(model())},
          {"given_rate", given_rate_},
          {"given", given_bytes(given_.text())}};
}

void RunSaver::load_state(const Example& state) {
  steps_.set_since(state["steps"].item<int64_t>());
  report_other_rate(state["given_rate"].item<double>());
  if (const Literal* given = state.find("given")) report_other_options(given_text(*given));
  if (state["stopped"].item<bool>()) model().stop_training();
}

// The rate in the file may be another than the run was given, by a plateau or a scheduler.
void RunSaver::report_other_rate(double given_then) const {
  if (given_then == given_rate_) return;
  say(LogLevel::warning,
      str("the learning rate goes on from the file, ", rate_of(model()), ": compile() was given ",
          given_then, " when the run began, and now ", given_rate_,
          ", which is not taken. optimizer().set_learning_rate() in a callback's on_epoch_begin "
          "changes it"));
}

// All but the rate are the program's own.
void RunSaver::report_other_options(const std::string& given_then) const {
  const std::vector<std::string> others = other_options(Config::parse(given_then), given_);
  if (others.empty()) return;
  say(LogLevel::warning,
      str("compile() was given other options than when the run began, and they are taken: ",
          join(others, "; ")));
}

// On the local disk: other places have no locks. Process 0 writes, and owns it for its run.
void RunSaver::own_folder() {
  if (lock_ || !io::scheme_of(folder_).empty() || place_in_run().index != 0) return;
  io::make_folder(folder_, location_);
  lock_.emplace(folder_ + "/owner.lock", name_, location_);
  if (lock_->dead_owner().empty()) return;
  say(LogLevel::info, str("the run of ", lock_->dead_owner(), " left its lock on '", folder_,
                          "', which is taken over"));
}

// Each process reads what process 0 wrote: all go on from there, or none does.
void RunSaver::agree_with_other_processes(const std::optional<Found>& found,
                                          const Model& model) const {
  const auto run = place_in_run().count > 1 ? cluster::this_run() : nullptr;
  if (!run) return;
  constexpr double most_seconds = 600;
  const std::string state = found ? str("a state of epoch ", found->place.epoch + 1, ", after ",
                                        model.optimizer().iterations().item<int64_t>(), " steps")
                                  : "no state";
  try {
    run->agree(str("what ", name_, " finds"), state, most_seconds);
  } catch (const FailedPrecondition& error) {
    raise<FailedPrecondition>(
        {.what = str(name_, ", '", folder_, "': ", error.report().what),
         .got = error.report().got,
         .wanted = error.report().wanted,
         .hint = "let the folder be one that all hosts see, as on NFS or gs://",
         .location = location_});
  }
}

// `totals`: of the metrics in the epoch under way.
void RunSaver::save(const Example& totals, const Logs& logs) {
  TrainingPlace place{.epoch = epoch_, .input = {}, .run = {}, .step = step_};
  if (place_in_run().index == 0 || reads_own_rows(model())) place.input = model().input_state();
  add_under(run_state::callbacks, callback_states(others()), place.run);
  add_under(run_state::metrics, totals, place.run);
  if (trained_) place.run.set(run_state::epoch_is_trained, Literal::scalar(true));
  write(place, logs);
  has_news_ = false;
}

std::vector<CallbackPtr> RunSaver::others() const {
  std::vector<CallbackPtr> all;
  for (const std::weak_ptr<Callback>& one : others_) {
    if (CallbackPtr callback = one.lock()) all.push_back(std::move(callback));
  }
  return all;
}

}  // namespace systolic::inline v0
