// Where a fit stands in its run, in an epoch and in the data, also where it goes on from the middle
// of an epoch. Internal to train.
//
//   cursor.open(feed.steps_before());  // the data, which may be opened anew at each epoch
//   cursor.begin_epoch();
//   while (input = feed.next()) {
//     train;
//     cursor.advance(input.steps);
//     if (cursor.all_steps()) break;
//   }
//   cursor.end_data();  // where it gave nothing more
#pragma once

#include <cstdint>
#include <utility>

namespace systolic::inline v0 {

class EpochCursor {
 public:
  // -1: an epoch ends with the data.
  explicit EpochCursor(int64_t steps_per_epoch) : steps_per_epoch_(steps_per_epoch) {}

  // The run has done this many steps in earlier fits: messages count as if it had not been cut off.
  void begin_run(int64_t step) { step_ = first_step_ = step; }
  // The data was opened, to be read from after this many steps of an epoch.
  void open(int64_t steps_before) {
    steps_before_ = steps_before;
    data_ended_ = false;
  }
  // `trained`: an earlier fit did all its steps, and the data stands before the next epoch.
  void begin_epoch(bool trained = false) {
    trained_ = trained;
    step_in_epoch_ = std::exchange(steps_before_, 0);
    goes_on_ = step_in_epoch_ > 0;
  }
  void advance(int64_t steps) {
    step_ += steps;
    step_in_epoch_ += steps;
  }
  void end_data() { data_ended_ = true; }

  int64_t step() const { return step_; }  // of the run
  int64_t first_step() const { return first_step_; }
  int64_t step_in_epoch() const { return step_in_epoch_; }
  int64_t steps_before() const { return steps_before_; }
  bool data_ended() const { return data_ended_; }

  bool all_steps() const { return step_in_epoch_ == steps_per_epoch_; }
  // Nothing of the epoch is still to be trained.
  bool complete() const { return trained_ || data_ended_ || all_steps(); }
  // The state that the run goes on from was saved after the epoch's last step: what comes after
  // that is still to be done.
  bool only_closes() const { return trained_ || (goes_on_ && complete()); }
  // An earlier fit did steps of the epoch.
  bool goes_on() const { return trained_ || goes_on_; }
  // The data ended, and the epochs are to have a number of steps.
  bool lacks_data() const { return data_ended_ && steps_per_epoch_ > 0; }

 private:
  int64_t steps_per_epoch_;
  int64_t step_ = 0, first_step_ = 0;
  int64_t step_in_epoch_ = 0;
  int64_t steps_before_ = 0;  // of the epoch that comes, where the data is read on within one
  bool goes_on_ = false;      // the epoch was begun by an earlier fit
  bool trained_ = false;      // and it did all its steps
  bool data_ended_ = false;
};

}  // namespace systolic::inline v0
