// What callbacks have in common that save a whole run, so that it can be taken up: what they keep
// and when. Internal to callbacks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/io/files/owner_lock.h"
#include "systolic/nn/config/config.h"
#include "systolic/train/callbacks/saving/step_count.h"
#include "systolic/train/options/callback.h"
#include "systolic/train/weights/training_file.h"

namespace systolic::inline v0 {

// Tells a class that derives from it when to load and to write.
class RunSaver : public Callback {
 public:
  // Saves every `save_freq` steps, without it at the end of each epoch; besides at the end of a
  // training that was not saved since its last step.
  RunSaver(std::string name, std::string folder, std::optional<int64_t> save_freq,
           SourceLocation location);

  bool wants_input_state() const override { return true; }
  bool comes_last() const override { return true; }
  bool only_writes() const override { return true; }

  void before_fit(Model& model, FitOptions& options) override;
  void after_fit() noexcept override;
  void on_epoch_begin(int epoch) override { epoch_ = epoch; }
  void on_train_batch_begin(int64_t step) override;
  void on_train_batch_end(int64_t step, const Logs& logs) override;
  void on_test_begin() override;
  void on_epoch_end(int epoch, const Logs& logs) override;
  void on_train_end(const Logs& logs) override;

  Example save_state() const override;
  void load_state(const Example& state) override;
  std::string state_name() const override { return name_; }

 protected:
  struct Found {
    TrainingPlace place;
    std::string path;
  };
  // Loads what the run goes on from into the model; nothing where it begins. In every process,
  // after the folder is owned.
  virtual std::optional<Found> load(Model& model, FitOptions& options) = 0;
  // Between two steps, in the processes that are told of steps. `place.input` is process 0's,
  // or each one's own where each reads rows of its own.
  // `logs`: as they stand then.
  virtual void write(const TrainingPlace& place, const Logs& logs) = 0;
  // Whether the last state of a run that came to its end is to be written, too.
  virtual bool keeps_last() const = 0;
  // When fit is over; `complete` where it came to its end and nothing was thrown.
  virtual void let_go(bool complete) noexcept = 0;

  void say(LogLevel level, const std::string& text) const;
  const std::string& folder() const { return folder_; }
  SourceLocation location() const { return location_; }
  bool counts_steps() const { return steps_.counts(); }
  int epoch() const { return epoch_; }  // under way, or to begin

 private:
  void own_folder();
  void agree_with_other_processes(const std::optional<Found>& found, const Model& model) const;
  void go_on_from(Found found, FitOptions& options);
  void report_other_rate(double given_then) const;
  void report_other_options(const std::string& given_then) const;
  void save(const Example& totals, const Logs& logs);
  std::vector<CallbackPtr> others() const;

  const std::string name_, folder_;
  const SourceLocation location_;
  StepCount steps_;
  std::optional<io::OwnerLock> lock_;
  std::vector<std::weak_ptr<Callback>> others_;  // this one too
  int epoch_ = 0;
  int64_t step_ = 0, first_step_ = 0;  // done in the run; the first of this execution in the epoch
  double given_rate_ = 0;              // by compile()
  Config given_;                       // all else
  bool is_done_ = false;
  int exceptions_ = 0;     // under way when fit began
  bool has_news_ = false;  // steps since the last save
  bool in_epoch_ = false;  // steps of an epoch that has not ended
  // The metrics' totals of an epoch whose steps are all done, while it is validated.
  std::optional<Example> trained_;
};

}  // namespace systolic::inline v0
